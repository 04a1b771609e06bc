// SPDX-License-Identifier: Apache-2.0
// A row is stored as differences from its left and upper neighbours, by one of five filters that
// its first byte names (PNG specification, chapter 9). Checksums of chunks are checked here, that
// of the stream by libdeflate.
#include "assay/image/png_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "assay/base/bytes.hpp"
#include "assay/base/crc32.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using RowBytes = std::span<const std::byte>;

std::uint32_t number_at(RowBytes bytes, std::size_t at) {
  return load<std::uint32_t>(bytes.data() + at, std::endian::native == std::endian::little);
}

/// Whether IHDR describes one byte per pixel, grey or of a palette, without interlacing.
bool is_usual(RowBytes header) {
  constexpr std::size_t depth = 8, color = 9, compression = 10, filter = 11, interlace = 12;
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(header[i]); };
  return header.size() == 13 && at(depth) == 8 && (at(color) == 0 || at(color) == 3) &&
         at(compression) == 0 && at(filter) == 0 && at(interlace) == 0;
}

/// The compressed rows, all chunks joined; nothing when the file is not a usual one.
std::optional<std::vector<std::byte>> packed_rows(RowBytes file) {
  constexpr std::size_t around = 12;  // length, type and checksum
  std::vector<std::byte> out;
  bool has_header = false, has_palette = false;
  for (std::size_t at = 8; file.size() - at >= around;) {
    const std::size_t length = number_at(file, at);
    if (length > file.size() - at - around) return std::nullopt;
    const RowBytes typed = file.subspan(at + 4, length + 4), data = typed.subspan(4);
    if (crc32(typed) != number_at(file, at + 8 + length)) return std::nullopt;
    const std::string_view type = text_of(typed.first(4));
    if (type == "IEND") return has_header ? std::optional(std::move(out)) : std::nullopt;
    if (type == "IHDR") {
      if (!is_usual(data)) return std::nullopt;
      has_header = true;
      has_palette = data[9] == std::byte{0};  // grey needs none
    }
    has_palette = has_palette || type == "PLTE";
    if (type == "IDAT") {
      if (!has_palette) return std::nullopt;
      out.insert(out.end(), data.begin(), data.end());
    }
    at += around + length;
  }
  return std::nullopt;
}

using Byte = std::uint8_t;

/// Which of left, above and the corner between them is nearest to left + above - corner.
int nearest(int left, int above, int corner) {
  const int to_left = std::abs(above - corner), to_above = std::abs(left - corner),
            to_corner = std::abs(left + above - 2 * corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

void add_nothing(const Byte* in, const Byte*, Byte* out, std::size_t width) {
  std::copy_n(in, width, out);
}

void add_left(const Byte* in, const Byte*, Byte* out, std::size_t width) {
  Byte left = 0;
  for (std::size_t x = 0; x < width; ++x) out[x] = left = static_cast<Byte>(in[x] + left);
}

void add_above(const Byte* in, const Byte* above, Byte* out, std::size_t width) {
  for (std::size_t x = 0; x < width; ++x) out[x] = static_cast<Byte>(in[x] + above[x]);
}

void add_mean(const Byte* in, const Byte* above, Byte* out, std::size_t width) {
  int left = 0;
  for (std::size_t x = 0; x < width; ++x) {
    left = (in[x] + (left + above[x]) / 2) & 0xFF;
    out[x] = static_cast<Byte>(left);
  }
}

void add_nearest(const Byte* in, const Byte* above, Byte* out, std::size_t width) {
  int left = 0, corner = 0;
  for (std::size_t x = 0; x < width; ++x) {
    left = (in[x] + nearest(left, above[x], corner)) & 0xFF;
    corner = above[x];
    out[x] = static_cast<Byte>(left);
  }
}

/// By the number of the filter.
constexpr std::array filters = {add_nothing, add_left, add_above, add_mean, add_nearest};

bool unfilter(RowBytes rows, std::size_t width, std::span<std::byte> into) {
  const std::vector<Byte> nothing(width, 0);  // above the first row
  const auto* in = reinterpret_cast<const Byte*>(rows.data());
  auto* out = reinterpret_cast<Byte*>(into.data());
  const Byte* above = nothing.data();
  for (std::size_t y = 0; y < into.size() / width; ++y, in += width + 1, out += width) {
    if (*in >= filters.size()) return false;
    filters[*in](in + 1, above, out, width);
    above = out;
  }
  return true;
}

}  // namespace

bool unpack_png_rows(RowBytes file, std::size_t width, std::span<std::byte> into) try {
  const auto packed = packed_rows(file);
  if (!packed) return false;
  const std::size_t size = into.size() + into.size() / width;
  if (size > inflated_size_bound(packed->size())) return false;
  std::vector<std::byte> rows(size);
  inflate_zlib(*packed, rows);
  return unfilter(rows, width, into);
} catch (const Error&) {
  return false;
}

}  // namespace assay
