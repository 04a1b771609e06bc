// SPDX-License-Identifier: Apache-2.0
#include "assay/image/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "assay/error.hpp"
#include "assay/image/stored.hpp"
#include "assay/image/tiled.hpp"

namespace assay {
namespace {

Error no_stated_size() {
  return {Error::Kind::input,
          "states no pixel size; give it in mm with --spacing, such as --spacing 0.5,0.5"};
}

Point size_by(const Layout& layout, const PictureRules& rules) {
  Point mm = rules.size_mm.value_or(Point{});
  if (rules.uses_stated_size) {
    if (!layout.stated_size) throw no_stated_size();
    mm = layout.stated_size->mm;
  }
  const Grid& grid = layout.header.grid;
  if (mm[2] == 0 && std::ranges::all_of(grid.has_axis, std::identity{}))
    throw Error(Error::Kind::input,
                fmt::format("has {} slices, and their distance is not known; give it as the third "
                            "number of --spacing, such as --spacing 0.5,0.5,2",
                            grid.shape[2]));
  if (mm[2] == 0) mm[2] = 1;  // a single picture is measured in its plane
  return mm;
}

std::uint32_t code_of(const Color& color) {
  return std::uint32_t{color[0]} << 16 | std::uint32_t{color[1]} << 8 | color[2];
}

/// Labels by colour, for pictures of few colours; the last colour is usually the next one, too.
class Colors {
 public:
  explicit Colors(std::span<const LabelRow> rows) {
    for (const LabelRow& row : rows)
      if (row.color) labels_.emplace(code_of(*row.color), row.label);
  }
  const Label* label(std::uint32_t code) {
    if (last_ == nullptr || last_->first != code) {
      const auto found = labels_.find(code);
      last_ = found == labels_.end() ? nullptr : &*found;
    }
    return last_ == nullptr ? nullptr : &last_->second;
  }

 private:
  std::unordered_map<std::uint32_t, Label> labels_;
  const std::pair<const std::uint32_t, Label>* last_ = nullptr;
};

[[noreturn]] void refuse_color(const Grid& grid, std::size_t pixel, std::uint32_t code) {
  throw Error(Error::Kind::input,
              fmt::format("pixel {} has the colour ({}, {}, {}), which the table of --colors does "
                          "not have; add it, or give the picture without smoothed edges",
                          place(grid, pixel), code >> 16, code >> 8 & 0xFF, code & 0xFF));
}

/// Four bytes per pixel are replaced in place by one label of 32 bits.
void label_colors(std::span<std::byte> pixels, const Grid& grid, std::span<const LabelRow> rows) {
  Colors colors(rows);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::byte* at = pixels.data() + 4 * i;
    const Color color = {std::to_integer<std::uint8_t>(at[0]), std::to_integer<std::uint8_t>(at[1]),
                         std::to_integer<std::uint8_t>(at[2])};
    const Label* label = colors.label(code_of(color));
    if (label == nullptr) refuse_color(grid, i, code_of(color));
    const auto stored = static_cast<std::int32_t>(*label);
    std::memcpy(at, &stored, sizeof stored);
  }
}

ImageHeader labelled(ImageHeader header) {
  header.type = VoxelType::i32;
  header.channels = 1;
  header.interleaved = header.byte_swapped = false;
  return header;
}

}  // namespace

ImageHeader sized_header(const Layout& layout, const PictureRules& rules) {
  require_level(rules.level, layout.levels);
  ImageHeader header = layout.is_colored ? labelled(layout.header) : layout.header;
  Grid& grid = header.grid;
  if (grid.has_size || (!rules.size_mm && !rules.uses_stated_size)) return header;
  const Point mm = size_by(layout, rules);
  for (std::size_t row = 0; row < 3; ++row)
    for (double& x : grid.affine[row]) x *= mm[row];
  grid.has_size = true;
  return header;
}

void require_possible_pixels(const Layout& layout, std::size_t file_size) {
  if (file_size < layout.least_file_size)
    throw Error(Error::Kind::input,
                fmt::format("its header states {} bytes of pixels, more than {} bytes can hold; "
                            "the header is wrong or the file is cut short",
                            voxel_bytes(layout.header), file_size));
}

Image picture_from(const Layout& layout, const PictureRules& rules, Buffer scratch,
                   const std::function<void(std::span<std::byte> pixels)>& fill) {
  if (layout.is_colored && rules.colors.empty())
    throw Error(Error::Kind::input,
                "has colours, not labels; say with --colors FILE which label each colour means, or "
                "save the labels themselves as a picture with one channel or a palette");
  const ImageHeader header = sized_header(layout, rules);
  const std::span<std::byte> pixels = room_in(scratch, voxel_bytes(layout.header));
  fill(pixels);
  if (layout.is_colored) label_colors(pixels, header.grid, rules.colors);
  return {header, std::move(scratch), 0};
}

Image decode_picture(const Layout& layout, std::span<const std::byte> file,
                     const PictureRules& rules, Buffer scratch) {
  require_possible_pixels(layout, file.size());
  return picture_from(layout, rules, std::move(scratch),
                      [&](std::span<std::byte> pixels) { layout.decode(file, layout, pixels); });
}

}  // namespace assay
