// SPDX-License-Identifier: Apache-2.0
#include "assay/image/zarr/zarr_image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/zarr/zarr_array.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Every chunk is filled or read, so a header must not ask for too many.
constexpr std::size_t most_chunks = std::size_t{1} << 24;

bool has_file(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

/// The text of one of the small metadata files.
std::string read_description(const fs::path& path) {
  constexpr std::size_t most = std::size_t{1} << 24;
  const InputFile file(path);
  if (file.size() > most)
    throw Error(Error::Kind::input, path.string(), "has more than 16 MB; this is not its size");
  const Buffer bytes = file.read_all();
  return std::string(text_of(bytes.bytes()));
}

/// Which axis of the array is x, y and z; nothing where there is none.
using Places = std::array<std::optional<std::size_t>, 3>;

Places places_of(const ZarrArray& array, const std::vector<ZarrAxis>& axes) {
  constexpr std::array<std::string_view, 3> names = {"x", "y", "z"};
  const std::size_t count = array.shape.size();
  Places out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axes.empty()) {
      if (axis < count) out[axis] = count - 1 - axis;
      continue;
    }
    const auto found = std::ranges::find(axes, names[axis], &ZarrAxis::name);
    if (found != axes.end()) out[axis] = static_cast<std::size_t>(found - axes.begin());
  }
  if ((!axes.empty() && axes.size() != count) || !out[0] || !out[1])
    throw Error(Error::Kind::unsupported,
                fmt::format("has the shape {}, and its axes are not those of a picture or a volume",
                            fmt::join(array.shape, "x")));
  for (std::size_t i = 0; i < count; ++i)
    if (array.shape[i] != 1 && std::ranges::find(out, std::optional(i)) == out.end())
      throw Error(Error::Kind::unsupported,
                  fmt::format("has the shape {}, with channels or points in time; save one label "
                              "map per image",
                              fmt::join(array.shape, "x")));
  return out;
}

Shape extents_along(const std::vector<std::size_t>& extents, const Places& places) {
  Shape out{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (places[axis]) out[axis] = extents[*places[axis]];
  return out;
}

/// How far apart neighbours are within a chunk, in voxels.
std::vector<std::size_t> strides_of(const ZarrArray& array) {
  std::vector<std::size_t> out(array.chunks.size());
  std::size_t stride = 1;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::size_t axis = array.first_axis_fastest ? k : out.size() - 1 - k;
    out[axis] = stride;
    stride *= array.chunks[axis];
  }
  return out;
}

void require_few_chunks(const ZarrArray& array) {
  std::size_t chunks = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const std::size_t along = (array.shape[i] + array.chunks[i] - 1) / array.chunks[i];
    if (__builtin_mul_overflow(chunks, along, &chunks) || chunks > most_chunks)
      throw Error(
          Error::Kind::unsupported,
          fmt::format("has more than {} chunks ({} voxels in chunks of {}); save it with "
                      "larger chunks",
                      most_chunks, fmt::join(array.shape, "x"), fmt::join(array.chunks, "x")));
  }
}

/// The numbers of a chunk by its name, such as "3.0.12"; nothing for any other file.
std::optional<std::vector<std::size_t>> chunk_numbers(std::string_view name, char separator) {
  std::vector<std::size_t> out;
  for (;;) {
    std::size_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto digits = static_cast<std::size_t>(read.ptr - name.data());
    if (read.ec != std::errc{} || (name[0] == '0' && digits > 1)) return std::nullopt;
    out.push_back(number);
    name.remove_prefix(digits);
    if (name.empty()) return out;
    if (name[0] != separator) return std::nullopt;
    name.remove_prefix(1);
  }
}

/// Which chunks have a file. The folder is listed once, because looking for each of millions of
/// absent chunks would take minutes.
class StoredChunks {
 public:
  StoredChunks(const fs::path& folder, const ZarrArray& array) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < array.shape.size(); ++i)
      count *= along_.emplace_back((array.shape[i] + array.chunks[i] - 1) / array.chunks[i]);
    is_there_.resize(count);
    const int deepest = array.separator == '/' ? static_cast<int>(along_.size()) - 1 : 0;
    std::error_code trouble;
    fs::recursive_directory_iterator it(folder, trouble);
    for (; !trouble && it != fs::end(it); it.increment(trouble)) {
      if (it.depth() >= deepest) it.disable_recursion_pending();
      if (it.depth() == deepest) note(it->path().lexically_relative(folder), array.separator);
    }
    if (trouble)
      throw Error(Error::Kind::io, folder.string(),
                  "the folder cannot be read; check the path and its permissions");
  }

  bool has(std::span<const std::size_t> numbers) const { return is_there_[place(numbers)]; }

 private:
  void note(const fs::path& file, char separator) {
    const auto numbers = chunk_numbers(file.generic_string(), separator);
    if (!numbers || numbers->size() != along_.size()) return;
    for (std::size_t i = 0; i < along_.size(); ++i)
      if ((*numbers)[i] >= along_[i]) return;
    is_there_[place(*numbers)] = true;
  }
  std::size_t place(std::span<const std::size_t> numbers) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < along_.size(); ++i) out = out * along_[i] + numbers[i];
    return out;
  }

  std::vector<std::size_t> along_;
  std::vector<bool> is_there_;
};

/// The size of a pixel, where the image states it as a length.
std::optional<StatedSize> stated_size(const ZarrMultiscale& image, const ZarrLevel& level,
                                      const Places& places) {
  if (image.axes.empty() || level.scale.size() != image.axes.size()) return std::nullopt;
  StatedSize out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!places[axis]) continue;
    const double mm = level.scale[*places[axis]] * image.axes[*places[axis]].unit_mm;
    const bool is_known = std::isfinite(mm) && mm > 0;
    if (!is_known && axis < 2) return std::nullopt;
    out.mm[axis] = is_known ? mm : 0;
  }
  return out;
}

class ZarrImage final : public TiledImage {
 public:
  ZarrImage(fs::path folder, ZarrArray array, const Places& places, const Layout& layout)
      : TiledImage(layout, extents_along(array.chunks, places)),
        folder_(std::move(folder)),
        array_(std::move(array)),
        places_(places),
        strides_(extents_along(strides_of(array_), places)) {}

  void read_tile(const Shape& at, std::span<std::byte> into) override {
    const std::vector<std::size_t> numbers = numbers_at(at);
    if (!stored_) stored_.emplace(folder_, array_);
    if (!stored_->has(numbers)) return fill(into);
    const fs::path path =
        folder_ / fmt::format("{}", fmt::join(numbers, std::string(1, array_.separator)));
    try {
      const Buffer packed = read_chunk(path);
      if (is_as_wanted()) return decode_chunk(array_.packing, packed.bytes(), into);
      raw_.resize(array_.chunk_size());
      decode_chunk(array_.packing, packed.bytes(), raw_);
    } catch (const Error& e) {
      throw e.about(path.string());
    }
    rearrange(into);
  }

 private:
  std::vector<std::size_t> numbers_at(const Shape& at) const {
    std::vector<std::size_t> numbers(array_.shape.size(), 0);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (places_[axis]) numbers[*places_[axis]] = at[axis];
    return numbers;
  }
  Buffer read_chunk(const fs::path& path) const {
    const InputFile file(path);
    if (file.size() / 2 > array_.chunk_size() + (std::size_t{1} << 16))
      throw Error(Error::Kind::input,
                  fmt::format("has {} bytes, far more than a chunk takes; copy the folder again",
                              file.size()));
    return file.read_all();
  }
  void fill(std::span<std::byte> into) const {
    if (std::ranges::all_of(array_.fill, [&](std::byte b) { return b == array_.fill.front(); }))
      return static_cast<void>(std::ranges::fill(into, array_.fill.front()));
    const std::size_t width = array_.fill.size();
    for (std::size_t i = 0; i + width <= into.size(); i += width)
      std::memcpy(into.data() + i, array_.fill.data(), width);
  }
  /// Whether the voxels of a chunk are stored with x fastest, then y, then z, and nothing else.
  bool is_as_wanted() const {
    const auto& [x, y, z] = tile();
    return array_.chunk_size() == tile_size() && (x == 1 || strides_[0] == 1) &&
           (y == 1 || strides_[1] == x) && (z == 1 || strides_[2] == x * y);
  }
  void rearrange(std::span<std::byte> into) const {
    const std::size_t width = voxel_size();
    std::byte* out = into.data();
    for (std::size_t z = 0; z < tile()[2]; ++z)
      for (std::size_t y = 0; y < tile()[1]; ++y)
        for (std::size_t x = 0; x < tile()[0]; ++x, out += width)
          std::memcpy(out,
                      raw_.data() + (x * strides_[0] + y * strides_[1] + z * strides_[2]) * width,
                      width);
  }

  fs::path folder_;
  ZarrArray array_;
  Places places_;
  Shape strides_;
  std::optional<StoredChunks> stored_;
  std::vector<std::byte> raw_;
};

/// The array of a folder.
ZarrArray read_array(const fs::path& folder) try {
  ZarrArray array = parse_zarr_array(read_description(folder / ".zarray"));
  require_few_chunks(array);
  return array;
} catch (const Error& e) {
  throw e.file() == ".zarray" ? Error(e.kind(), (folder / ".zarray").string(), e.sentence()) : e;
}

std::optional<ZarrMultiscale> read_multiscale(const fs::path& folder) {
  if (!has_file(folder, ".zattrs")) return std::nullopt;
  return parse_multiscale(read_description(folder / ".zattrs"));
}

std::unique_ptr<TiledImage> open_array(const fs::path& folder, const ZarrMultiscale& image,
                                       const ZarrLevel& level) {
  ZarrArray array = read_array(folder);
  const Places places = places_of(array, image.axes);
  Layout layout;
  layout.header.type = array.type;
  layout.header.byte_swapped = array.byte_swapped;
  layout.header.grid = picture_grid(extents_along(array.shape, places));
  layout.levels = std::max<std::size_t>(image.levels.size(), 1);
  layout.stated_size = stated_size(image, level, places);
  return std::make_unique<ZarrImage>(folder, std::move(array), places, layout);
}

}  // namespace

bool is_zarr(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return false;
  return image_ending(path.filename().native()).ends_with(".zarr") || has_file(path, ".zarray") ||
         has_file(path, ".zgroup") || has_file(path, "zarr.json");
}

std::unique_ptr<TiledImage> open_zarr(const fs::path& folder, std::size_t level) {
  if (has_file(folder, ".zarray")) {
    require_level(level, 1);
    return open_array(folder, {}, {});
  }
  if (has_file(folder, "zarr.json"))
    throw Error(Error::Kind::unsupported,
                "is of version 3 of Zarr, and assay reads version 2; save it with zarr_format=2");
  const auto image = read_multiscale(folder);
  if (!image)
    throw Error(Error::Kind::input,
                "holds neither an array (.zarray) nor an image of OME-Zarr (multiscales in "
                ".zattrs); give the folder of one, such as labels/NAME in it");
  require_level(level, image->levels.size());
  const ZarrLevel& wanted = image->levels[level];
  return open_array(voxel_file(wanted.path, folder / ".zattrs"), *image, wanted);
}

std::string zarr_sha256(const fs::path& folder) try {
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::end(it); ++it)
    if (it->is_regular_file()) files.push_back(it->path());
  std::ranges::sort(files);
  Sha256 all;
  for (const fs::path& file : files) {
    all.add(file.lexically_relative(folder).generic_string() + '\n');
    all.add(sha256_of_file(file) + '\n');
  }
  return all.hex();
} catch (const fs::filesystem_error&) {
  throw Error(Error::Kind::io, folder.string(),
              "the folder cannot be read; check the path and its permissions");
}

}  // namespace assay
