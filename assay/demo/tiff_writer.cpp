// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/tiff_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"

namespace assay::demo {
namespace {

template <class T>
void append(std::string& out, T value) {
  std::byte bytes[sizeof value];
  store_little_endian(bytes, value);
  out.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

enum class TiffType : std::uint16_t { text = 2, short_number = 3, number = 4, fraction = 5 };

struct Entry {
  std::uint16_t tag = 0;
  TiffType type = TiffType::number;
  std::uint32_t count = 0;
  std::string bytes{};
};

Entry numbers(std::uint16_t tag, const std::vector<std::uint32_t>& values) {
  Entry entry = {tag, TiffType::number, static_cast<std::uint32_t>(values.size())};
  for (const std::uint32_t value : values) append(entry.bytes, value);
  return entry;
}

Entry shorts(std::uint16_t tag, const std::vector<std::uint16_t>& values) {
  Entry entry = {tag, TiffType::short_number, static_cast<std::uint32_t>(values.size())};
  for (const std::uint16_t value : values) append(entry.bytes, value);
  return entry;
}

Entry text(std::uint16_t tag, const std::string& value) {
  return {tag, TiffType::text, static_cast<std::uint32_t>(value.size() + 1), value + '\0'};
}

Entry fraction(std::uint16_t tag, double value) {
  constexpr std::uint32_t denominator = 1000;
  Entry entry = {tag, TiffType::fraction, 1};
  append(entry.bytes, static_cast<std::uint32_t>(std::lround(value * denominator)));
  append(entry.bytes, denominator);
  return entry;
}

/// Tag numbers of TIFF 6.0 and of its JPEG supplement.
namespace tag {
constexpr std::uint16_t subfile = 254, width = 256, height = 257, bits = 258, compression = 259,
                        photometric = 262, description = 270, strip_offsets = 273, samples = 277,
                        rows_per_strip = 278, strip_sizes = 279, x_resolution = 282,
                        y_resolution = 283, planes = 284, resolution_unit = 296, tile_width = 322,
                        tile_height = 323, tile_offsets = 324, tile_sizes = 325, subsampling = 530;
}

std::vector<Entry> entries_of(const TiffImage& image, const std::vector<std::uint32_t>& offsets) {
  constexpr std::uint16_t jpeg = 7, ycbcr = 6, centimetre = 3;
  std::vector<std::uint32_t> sizes;
  sizes.reserve(image.parts.size());
  for (const std::string& part : image.parts)
    sizes.push_back(static_cast<std::uint32_t>(part.size()));
  const auto side = [](std::int64_t length) { return static_cast<std::uint32_t>(length); };
  std::vector<Entry> out = {numbers(tag::subfile, {image.reduced ? 1U : 0U}),
                            numbers(tag::width, {side(image.width)}),
                            numbers(tag::height, {side(image.height)}),
                            shorts(tag::bits, {8, 8, 8}),
                            shorts(tag::compression, {jpeg}),
                            shorts(tag::photometric, {ycbcr}),
                            shorts(tag::samples, {3}),
                            shorts(tag::planes, {1}),
                            shorts(tag::subsampling, {2, 2})};
  if (!image.description.empty()) out.push_back(text(tag::description, image.description));
  if (image.pixels_per_cm > 0)
    out.insert(out.end(), {fraction(tag::x_resolution, image.pixels_per_cm),
                           fraction(tag::y_resolution, image.pixels_per_cm),
                           shorts(tag::resolution_unit, {centimetre})});
  if (image.tile > 0)
    out.insert(out.end(), {numbers(tag::tile_width, {side(image.tile)}),
                           numbers(tag::tile_height, {side(image.tile)}),
                           numbers(tag::tile_offsets, offsets), numbers(tag::tile_sizes, sizes)});
  else
    out.insert(out.end(), {numbers(tag::rows_per_strip, {side(image.height)}),
                           numbers(tag::strip_offsets, offsets), numbers(tag::strip_sizes, sizes)});
  std::ranges::sort(out, {}, &Entry::tag);
  return out;
}

std::uint32_t end_of(const std::string& file) {
  if (file.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(Error::Kind::unsupported, "a TIFF cannot be larger than 4 GiB; make it smaller");
  return static_cast<std::uint32_t>(file.size());
}

/// Values of more than four bytes are written before the directory, which holds their positions.
/// Returns where the directory starts.
std::uint32_t append_directory(std::string& file, std::vector<Entry> entries) {
  for (Entry& entry : entries) {
    if (entry.bytes.size() > 4) {
      const std::uint32_t place = end_of(file);
      file += entry.bytes;
      if (file.size() % 2 != 0) file += '\0';
      entry.bytes.clear();
      append(entry.bytes, place);
    }
    entry.bytes.resize(4);
  }
  const std::uint32_t start = end_of(file);
  append(file, static_cast<std::uint16_t>(entries.size()));
  for (const Entry& entry : entries) {
    append(file, entry.tag);
    append(file, static_cast<std::uint16_t>(entry.type));
    append(file, entry.count);
    file += entry.bytes;
  }
  return start;
}

}  // namespace

std::string tiff_bytes(std::span<const TiffImage> images) {
  std::string file("II*\0\0\0\0\0", 8);
  std::size_t link = 4;  // position of the pointer to the next directory
  for (const TiffImage& image : images) {
    std::vector<std::uint32_t> offsets;
    for (const std::string& part : image.parts) {
      offsets.push_back(end_of(file));
      file += part;
      if (file.size() % 2 != 0) file += '\0';
    }
    const std::uint32_t start = append_directory(file, entries_of(image, offsets));
    store_little_endian(reinterpret_cast<std::byte*>(file.data()) + link, start);
    link = file.size();
    append(file, std::uint32_t{0});
  }
  end_of(file);
  return file;
}

}  // namespace assay::demo
