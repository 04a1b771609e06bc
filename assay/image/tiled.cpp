// SPDX-License-Identifier: Apache-2.0
#include "assay/image/tiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/tiff.hpp"
#include "assay/image/zarr/zarr_image.hpp"

namespace assay {
namespace {

/// Where two boxes meet along one axis.
struct Meeting {
  std::size_t first, end;
};

Meeting meeting(std::size_t tile_first, std::size_t tile_size, std::size_t first,
                std::size_t size) {
  return {std::max(tile_first, first), std::min(tile_first + tile_size, first + size)};
}

/// Copies what a tile and a box have in common.
void copy_common(const TiledImage& image, const Shape& tile_first, const ImagePart& box,
                 std::span<const std::byte> from, std::span<std::byte> to) {
  const Shape& tile = image.tile();
  const std::size_t voxel = image.voxel_size();
  std::array<Meeting, 3> common{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    common[axis] = meeting(tile_first[axis], tile[axis], box.first[axis], box.size[axis]);
  const auto& [x, y, z] = common;
  const std::size_t row = (x.end - x.first) * voxel;
  for (std::size_t k = z.first; k < z.end; ++k)
    for (std::size_t j = y.first; j < y.end; ++j) {
      const std::size_t source =
          ((k - tile_first[2]) * tile[1] + j - tile_first[1]) * tile[0] + x.first - tile_first[0];
      const std::size_t target =
          ((k - box.first[2]) * box.size[1] + j - box.first[1]) * box.size[0] + x.first -
          box.first[0];
      std::memcpy(to.data() + target * voxel, from.data() + source * voxel, row);
    }
}

bool is_named_tiff(const std::filesystem::path& path) {
  const std::string_view name = image_ending(path.filename().native());
  return name.ends_with(".tif") || name.ends_with(".tiff");
}

}  // namespace

void read_box(TiledImage& image, const ImagePart& box, std::span<std::byte> into, Buffer& tile) {
  const std::span<std::byte> room = room_in(tile, image.tile_size());
  Shape first{}, last{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    first[axis] = box.first[axis] / image.tile()[axis];
    last[axis] = (box.first[axis] + box.size[axis] - 1) / image.tile()[axis];
  }
  for (std::size_t z = first[2]; z <= last[2]; ++z)
    for (std::size_t y = first[1]; y <= last[1]; ++y)
      for (std::size_t x = first[0]; x <= last[0]; ++x) {
        image.read_tile({x, y, z}, room);
        copy_common(image, {x * image.tile()[0], y * image.tile()[1], z * image.tile()[2]}, box,
                    room, into);
      }
}

bool is_folder_image(const std::filesystem::path& path) {
  return is_zarr(path);
}

std::unique_ptr<TiledImage> open_tiled(const std::filesystem::path& path, std::size_t level) {
  if (is_folder_image(path)) return open_zarr(path, level);
  if (!is_named_tiff(path)) return nullptr;
  constexpr std::size_t mark = 4;
  if (!is_tiff(InputFile(path).read_start(mark).bytes())) return nullptr;
  return open_tiff(path, level);
}

void require_level(std::size_t level, std::size_t levels) {
  if (level < levels) return;
  throw Error(Error::Kind::input,
              levels == 1
                  ? fmt::format("has no level {}, only the picture itself; drop --level", level)
                  : fmt::format("has no level {}; it has {}, from 0, the largest, to {}", level,
                                counted(levels, "level"), levels - 1));
}

}  // namespace assay
