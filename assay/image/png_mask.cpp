// SPDX-License-Identifier: Apache-2.0
#include "assay/image/png_mask.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/base/bytes.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/png_rows.hpp"

namespace assay {
namespace {

using PngBytes = std::span<const std::byte>;

constexpr std::string_view png_magic = "\x89PNG\r\n\x1A\n";
constexpr bool is_little = std::endian::native == std::endian::little;

Error broken_png() {
  return {Error::Kind::input, "the PNG is damaged or cut short; copy or save it again"};
}

std::uint32_t big_endian(PngBytes bytes, std::size_t at) {
  if (bytes.size() < at + 4) throw broken_png();
  return load<std::uint32_t>(bytes.data() + at, is_little);
}

/// What precedes the pixels.
struct PngHead {
  std::uint32_t width = 0, height = 0;
  unsigned depth = 0, color = 0;
  std::optional<StatedSize> size{};
};

void read_png_header(PngHead& to, PngBytes data) {
  if (data.size() != 13) throw broken_png();
  to.width = big_endian(data, 0);
  to.height = big_endian(data, 4);
  to.depth = std::to_integer<unsigned>(data[8]);
  to.color = std::to_integer<unsigned>(data[9]);
}

/// Pixels per metre; any other unit gives only the aspect ratio of a pixel.
void read_png_size(PngHead& to, PngBytes data) {
  if (data.size() != 9 || data[8] != std::byte{1}) return;
  const double x = big_endian(data, 0), y = big_endian(data, 4);
  if (x > 0 && y > 0) to.size = StatedSize{{1000 / x, 1000 / y, 0}};
}

struct PngChunk {
  std::string_view type;
  void (*read)(PngHead&, PngBytes data);
};

constexpr std::array png_chunks = {PngChunk{"IHDR", read_png_header},
                                   PngChunk{"pHYs", read_png_size}};

PngHead png_head(PngBytes file) {
  PngHead out;
  for (std::size_t at = png_magic.size();;) {
    const std::size_t length = big_endian(file, at);
    if (file.size() < at + 8) throw broken_png();
    const std::string_view type = text_of(file.subspan(at + 4, 4));
    if (type == "IDAT") break;
    if (length > file.size() - at - 8) throw broken_png();
    const auto known = std::ranges::find(png_chunks, type, &PngChunk::type);
    if (known != png_chunks.end()) known->read(out, file.subspan(at + 8, length));
    at += 12 + length;
  }
  const bool has_depth = out.depth > 0 && out.depth <= 16 && std::has_single_bit(out.depth);
  if (out.width == 0 || out.height == 0 || !has_depth) throw broken_png();
  return out;
}

/// The library reports errors by a function that must not return. It jumps back to where `escape`
/// was set. No object with a destructor may be created between there and any call of the library,
/// so everything that owns something is a member here, created before.
struct PngReader {
  PngReader(PngBytes bytes, std::span<std::byte> into, std::size_t height) : file(bytes) {
    for (std::size_t y = 0; y < height; ++y)
      rows.push_back(reinterpret_cast<png_bytep>(into.data() + y * (into.size() / height)));
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }

  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf escape{};
  PngBytes file;
  std::vector<png_bytep> rows{};
};

[[noreturn]] void leave_png(png_structp png, png_const_charp) {
  std::longjmp(static_cast<PngReader*>(png_get_error_ptr(png))->escape, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void give_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->file.size()) png_error(png, "cut short");
  std::memcpy(to, reader->file.data(), count);
  reader->file = reader->file.subspan(count);
}

/// Whether reading succeeded. Coloured pictures become four bytes per pixel.
bool read_png(PngReader& reader, bool is_colored) {
  if (setjmp(reader.escape) != 0) return false;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, leave_png, ignore_warning);
  if (reader.png == nullptr) return false;
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) return false;
  png_set_read_fn(reader.png, &reader, give_png_bytes);
  png_set_crc_action(reader.png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  png_read_info(reader.png, reader.info);
  png_set_packing(reader.png);
  if (is_colored) {
    png_set_gray_to_rgb(reader.png);
    png_set_tRNS_to_alpha(reader.png);
    png_set_add_alpha(reader.png, 0xFF, PNG_FILLER_AFTER);
  }
  png_set_interlace_handling(reader.png);
  png_read_image(reader.png, reader.rows.data());
  png_read_end(reader.png, nullptr);
  return true;
}

void decode_png(PngBytes file, const Layout& layout, std::span<std::byte> into) {
  const std::size_t width = layout.header.grid.shape[0];
  const bool has_bytes = layout.header.type == VoxelType::u8 && !layout.is_colored;
  if (has_bytes && unpack_png_rows(file, width, into)) return;
  PngReader reader(file, into, layout.header.grid.shape[1]);
  if (!read_png(reader, layout.is_colored)) throw broken_png();
}

}  // namespace

bool is_png(PngBytes head) {
  return text_of(head).starts_with(png_magic);
}

Layout png_layout(PngBytes head, const std::filesystem::path&) {
  const PngHead png = png_head(head);
  const bool is_colored = png.color != PNG_COLOR_TYPE_GRAY && png.color != PNG_COLOR_TYPE_PALETTE;
  if (is_colored && png.depth != 8)
    throw Error(Error::Kind::unsupported,
                "has colours of 16 bits; save it with 8 bits per colour, or as labels");
  Layout layout;
  layout.header.grid = picture_grid({png.width, png.height, 1});
  layout.header.type = png.depth == 16 ? VoxelType::u16 : VoxelType::u8;
  layout.header.byte_swapped = png.depth == 16 && is_little;
  layout.header.channels = is_colored ? 4 : 1;
  layout.header.interleaved = is_colored;
  layout.is_colored = is_colored;
  layout.stated_size = png.size;
  layout.decode = decode_png;
  constexpr double most_of_a_byte = 1032;  // a match of 258 bytes takes at least two bits
  layout.least_file_size = least_file_size(layout.header, png.depth, most_of_a_byte);
  return layout;
}

}  // namespace assay
