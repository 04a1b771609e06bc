// SPDX-License-Identifier: Apache-2.0
#include "assay/image/tiff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/pictures.hpp"
#include "assay/image/tiff_file.hpp"
#include "assay/image/tiled.hpp"
#include "assay/named.hpp"

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr std::array tiff_magics = {"II\x2a\0"sv, "MM\0\x2a"sv, "II\x2b\0"sv, "MM\0\x2b"sv};

struct TiffType {
  std::uint16_t format, bits;
  VoxelType type;
};

constexpr std::array tiff_types = {
    TiffType{SAMPLEFORMAT_UINT, 1, VoxelType::u8},
    TiffType{SAMPLEFORMAT_UINT, 2, VoxelType::u8},
    TiffType{SAMPLEFORMAT_UINT, 4, VoxelType::u8},
    TiffType{SAMPLEFORMAT_UINT, 8, VoxelType::u8},
    TiffType{SAMPLEFORMAT_UINT, 16, VoxelType::u16},
    TiffType{SAMPLEFORMAT_UINT, 32, VoxelType::u32},
    TiffType{SAMPLEFORMAT_UINT, 64, VoxelType::u64},
    TiffType{SAMPLEFORMAT_INT, 8, VoxelType::i8},
    TiffType{SAMPLEFORMAT_INT, 16, VoxelType::i16},
    TiffType{SAMPLEFORMAT_INT, 32, VoxelType::i32},
    TiffType{SAMPLEFORMAT_INT, 64, VoxelType::i64},
    TiffType{SAMPLEFORMAT_IEEEFP, 16, VoxelType::f16},
    TiffType{SAMPLEFORMAT_IEEEFP, 32, VoxelType::f32},
    TiffType{SAMPLEFORMAT_IEEEFP, 64, VoxelType::f64},
};

VoxelType type_of(const TiffPage& page) {
  const auto found = std::ranges::find_if(tiff_types, [&](const TiffType& t) {
    return t.format == page.format && t.bits == page.bits;
  });
  if (found == tiff_types.end())
    throw unsupported_tiff(
        fmt::format("has numbers of {} bits of a kind that assay does not read; save it with 8, 16 "
                    "or 32 bits",
                    page.bits));
  return found->type;
}

/// How much a byte of compressed data can become; the name is for messages.
struct TiffCompression {
  std::uint16_t tag;
  std::string_view name;
  double most_of_a_byte;  ///< 0: it changes values, as JPEG does
};

/// For compressions without a useful limit: what a large mask of one value reaches, since every
/// strip or tile takes some bytes of the directory.
constexpr double hardly_limited = 1 << 14;

/// What a file may state however short it is: a blank fax page takes one bit per row.
constexpr std::size_t always_allowed = std::size_t{1} << 28;

/// Also allowed, because parts that are 0 everywhere may be left out.
constexpr std::size_t may_be_left_out = std::size_t{1} << 24;

constexpr std::array tiff_compressions = {
    TiffCompression{COMPRESSION_NONE, "none", 1},
    TiffCompression{COMPRESSION_PACKBITS, "PackBits", 64},
    TiffCompression{COMPRESSION_LZW, "LZW", 4096},
    TiffCompression{COMPRESSION_ADOBE_DEFLATE, "deflate", 1032},
    TiffCompression{COMPRESSION_DEFLATE, "deflate", 1032},
    TiffCompression{COMPRESSION_CCITTRLE, "CCITT", hardly_limited},
    TiffCompression{COMPRESSION_CCITTRLEW, "CCITT", hardly_limited},
    TiffCompression{COMPRESSION_CCITTFAX3, "CCITT", hardly_limited},
    TiffCompression{COMPRESSION_CCITTFAX4, "CCITT", hardly_limited},
    TiffCompression{COMPRESSION_LZMA, "LZMA", hardly_limited},
    TiffCompression{COMPRESSION_ZSTD, "Zstandard", hardly_limited},
    TiffCompression{COMPRESSION_JPEG, "JPEG", 0},
    TiffCompression{COMPRESSION_OJPEG, "JPEG", 0},
    TiffCompression{COMPRESSION_JP2000, "JPEG 2000", 0},
    TiffCompression{33003, "JPEG 2000", 0},
    TiffCompression{33005, "JPEG 2000", 0},
    TiffCompression{COMPRESSION_WEBP, "WebP", 0},
};

const TiffCompression& compression_of(const TiffPage& page) {
  const auto* const found =
      std::ranges::find(tiff_compressions, page.compression, &TiffCompression::tag);
  if (found == tiff_compressions.end() ||
      (found->most_of_a_byte > 0 && TIFFIsCODECConfigured(page.compression) == 0))
    throw unsupported_tiff("is compressed in a way that assay does not read; save it with deflate");
  if (found->most_of_a_byte == 0)
    throw unsupported_tiff(fmt::format(
        "is compressed with {}, which changes the values of pixels, so they are not the labels "
        "that were saved; save masks with deflate or LZW",
        found->name));
  return *found;
}

void require_known_meaning(const TiffPage& page) {
  constexpr std::array known = {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_PALETTE,
                                PHOTOMETRIC_RGB};
  if (std::ranges::find(known, int{page.photometric}) == known.end())
    throw unsupported_tiff("has colours that are not red, green and blue; save it as labels");
  if (page.photometric == PHOTOMETRIC_MINISWHITE && page.bits != 1)
    throw unsupported_tiff(
        "has grey values in which 0 is white, so labels are ambiguous; save it with 0 as black");
  if (is_colored(page) && (page.bits != 8 || page.samples > 4))
    throw unsupported_tiff(
        "has colours that do not have 8 bits each; save it with 8, or as labels");
  if (page.samples > 1 && page.planes != PLANARCONFIG_CONTIG)
    throw unsupported_tiff(
        "has its channels one after the other; save them pixel by pixel (contiguous)");
  if (page.samples > 1 && page.bits < 8)
    throw unsupported_tiff("has several channels of less than 8 bits; save it with 8");
}

// ---- The size of a pixel, which writers state in three ways.

/// In mm.
constexpr Named<double> length_names[] = {{"micron", 1e-3},     {"um", 1e-3},  {"\xC2\xB5m", 1e-3},
                                          {"\xCE\xBCm", 1e-3},  {"mm", 1},     {"cm", 10},
                                          {"\\u00B5m", 1e-3},   {"nm", 1e-6},  {"m", 1000},
                                          {"micrometer", 1e-3}, {"inch", 25.4}};

std::optional<double> unit_mm(std::string_view name) {
  const auto* const found = std::ranges::find(length_names, trimmed(name), &Named<double>::name);
  return found == std::end(length_names) ? std::nullopt : std::optional(found->value);
}

/// The text after `key`, up to one of `ends`.
std::string_view after_key(std::string_view text, std::string_view key, std::string_view ends) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find_first_of(ends));
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || !std::isfinite(number) || number <= 0) return std::nullopt;
  return number;
}

/// OME-XML: PhysicalSizeX="0.5" PhysicalSizeXUnit="mm"; micrometres where no unit is given.
std::optional<StatedSize> ome_size(std::string_view text) {
  StatedSize out;
  const std::array<std::string, 3> axes = {"X", "Y", "Z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string key = "PhysicalSize" + axes[axis];
    const auto number = number_in(after_key(text, key + "=\"", "\""));
    const std::string_view unit = after_key(text, key + "Unit=\"", "\"");
    const auto mm = unit.empty() ? std::optional(1e-3) : unit_mm(unit);
    if (axis < 2 && (!number || !mm)) return std::nullopt;
    if (number && mm) out.mm[axis] = *number * *mm;
  }
  return out;
}

std::optional<StatedSize> size_of_pixels(const TiffFile& file) {
  const std::string_view text = file.text(TIFFTAG_IMAGEDESCRIPTION);
  if (text.find("<OME") != std::string_view::npos) return ome_size(text);
  const auto x = static_cast<double>(file.field<float>(TIFFTAG_XRESOLUTION, 0));
  const auto y = static_cast<double>(file.field<float>(TIFFTAG_YRESOLUTION, 0));
  if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y))) return std::nullopt;
  if (text.starts_with("ImageJ=")) {
    const auto mm = unit_mm(after_key(text, "\nunit=", "\n"));
    const auto slices = number_in(after_key(text, "\nspacing=", "\n"));
    if (!mm) return std::nullopt;
    return StatedSize{{*mm / x, *mm / y, slices.value_or(0) * *mm}};
  }
  constexpr std::array<double, 4> unit = {0, 0, 25.4, 10};  // by ResolutionUnit
  const auto stated = file.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  const double mm = stated < unit.size() ? unit[stated] : 0;
  return mm == 0 ? std::nullopt : std::optional(StatedSize{{mm / x, mm / y, 0}});
}

/// Channels and time points are pages, too, but make no sense as slices.
void require_slices(const TiffFile& file) {
  const std::string_view text = file.text(TIFFTAG_IMAGEDESCRIPTION);
  const bool is_ome = text.find("<OME") != std::string_view::npos;
  if (!is_ome && !text.starts_with("ImageJ=")) return;
  constexpr std::array<std::string_view, 2> of_ome = {"SizeC=\"", "SizeT=\""},
                                            of_imagej = {"\nchannels=", "\nframes="};
  for (const std::string_view key : is_ome ? of_ome : of_imagej)
    if (number_in(after_key(text, key, "\"\n")).value_or(1) > 1)
      throw unsupported_tiff(
          "has pages for channels or time points, not only for slices; save one label map per "
          "file");
}

// ---- Parts of a page that are compressed separately: strips, or tiles.

struct TiffPart {
  std::size_t width, height, row_bytes, size;  ///< the last two in bytes

  bool operator==(const TiffPart&) const = default;
};

std::size_t pixel_size(const TiffPage& page) {
  return is_colored(page) ? 4 : page.samples * std::max<std::size_t>(page.bits / 8, 1);
}

/// The largest part of the current page. Throws Error when the header makes no sense.
TiffPart part_of(const TiffFile& file, const TiffPage& page) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const bool is_tiled = TIFFIsTiled(file.get()) != 0;
  const auto rows =
      file.field<std::uint32_t>(is_tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, 0);
  TiffPart part = {.width = is_tiled ? file.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0) : page.width,
                   .height = is_tiled ? rows : std::min(rows, page.height),
                   .row_bytes = static_cast<std::size_t>(is_tiled ? TIFFTileRowSize(file.get())
                                                                  : TIFFScanlineSize(file.get())),
                   .size = static_cast<std::size_t>(is_tiled ? TIFFTileSize(file.get())
                                                             : TIFFStripSize(file.get()))};
  file.require(part.width > 0 && part.height > 0 && part.row_bytes > 0 &&
               part.size / part.height >= part.row_bytes);
  if (part.size > most || part.width > most / part.height / pixel_size(page))
    throw unsupported_tiff(fmt::format("has {} of more than 1 GB; save it with tiles of 512x512",
                                       is_tiled ? "tiles" : "strips"));
  return part;
}

std::uint32_t count_of_parts(const TiffFile& file) {
  return TIFFIsTiled(file.get()) != 0 ? TIFFNumberOfTiles(file.get())
                                      : TIFFNumberOfStrips(file.get());
}

/// How many different parts are stored for the current page. Some writers leave out parts that are
/// 0 everywhere, and several parts may be stored in the same place.
std::size_t count_stored_parts(const TiffFile& file) {
  std::vector<std::uint64_t> places(count_of_parts(file));
  for (std::uint32_t i = 0; i < places.size(); ++i)
    places[i] = TIFFGetStrileByteCount(file.get(), i) == 0 ? 0 : TIFFGetStrileOffset(file.get(), i);
  std::ranges::sort(places);
  const auto count = std::unique(places.begin(), places.end()) - places.begin();
  return static_cast<std::size_t>(count) - (!places.empty() && places.front() == 0 ? 1 : 0);
}

/// Numbers of less than 8 bits, highest first in their byte, as bytes.
void unpack_bits(TiffBytes from, unsigned bits, bool inverted, std::span<std::byte> to) {
  const unsigned mask = (1U << bits) - 1, per_byte = 8 / bits;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto shift = static_cast<unsigned>(8 - bits * (i % per_byte + 1));
    const unsigned value = std::to_integer<unsigned>(from[i / per_byte]) >> shift & mask;
    to[i] = static_cast<std::byte>(inverted ? mask - value : value);
  }
}

/// A row of a part as bytes for each pixel.
void unpack_row(const TiffPage& page, TiffBytes row, std::span<std::byte> to) {
  if (page.bits < 8)
    return unpack_bits(row, page.bits, page.photometric == PHOTOMETRIC_MINISWHITE, to);
  for (std::size_t i = 0; 4 * i < to.size(); ++i) {
    std::ranges::copy(row.subspan(page.samples * i, 3),
                      to.begin() + static_cast<std::ptrdiff_t>(4 * i));
    to[4 * i + 3] = std::byte{0xFF};
  }
}

// ---- Pages: slices, and their smaller copies.

/// Which pages are the slices of one level.
struct TiffPlan {
  TiffPage page;
  std::vector<toff_t> slices;  ///< where their directories are
  std::size_t levels = 1;
  double shrunk = 1;  ///< how many times wider the full picture is
  std::size_t stored_parts = 0;
  std::optional<StatedSize> stated_size{};
};

/// What the pages of a file are.
struct TiffPages {
  std::vector<toff_t> slices, copies;
  TiffPage first;
  std::size_t stored_parts = 0;
};

/// Whether a copy shows the same numbers, smaller.
bool is_smaller(const TiffPage& copy, const TiffPage& of) {
  TiffPage same = copy;
  same.width = of.width, same.height = of.height, same.compression = of.compression;
  return same == of && copy.width <= of.width && copy.height <= of.height;
}

/// Walks through all pages. Throws Error when slices are not alike.
TiffPages pages_of(TiffFile& file) {
  constexpr std::size_t most = 65'535;  // what the library counts to
  while (is_copy(file)) file.require(file.next_page());
  TiffPages out = {.slices = {}, .copies = {}, .first = page_of(file)};
  do {
    const auto kind = file.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0);
    if (kind == FILETYPE_REDUCEDIMAGE && is_smaller(page_of(file), out.first))
      out.copies.push_back(file.directory());
    if (is_copy(file)) continue;
    if (page_of(file) != out.first)
      throw unsupported_tiff("has pages of different sizes or kinds; save the labels alone");
    out.slices.push_back(file.directory());
    out.stored_parts += count_stored_parts(file);
    if (out.slices.size() > most) throw unsupported_tiff("has more than 65535 pages; split it");
  } while (file.next_page());
  return out;
}

/// The smaller copies of the current page, largest first, where the page itself names them.
std::vector<toff_t> named_copies(TiffFile& file, const TiffPage& page) {
  const toff_t here = file.directory();
  std::vector<toff_t> out;
  for (const toff_t place : file.sub_directories()) {
    file.go_to(place);
    if (is_smaller(page_of(file), page)) out.push_back(place);
  }
  file.go_to(here);
  return out;
}

/// The pages of a level; the full picture is level 0.
TiffPlan plan_of(TiffFile& file, std::size_t level) {
  TiffPages pages = pages_of(file);
  TiffPlan plan = {.page = pages.first, .slices = {}, .stored_parts = pages.stored_parts};
  file.go_to(pages.slices.front());
  require_known_meaning(plan.page);
  require_slices(file);
  plan.stated_size = size_of_pixels(file);
  const bool names_copies = !file.sub_directories().empty();
  if (names_copies)
    plan.levels = 1 + named_copies(file, plan.page).size();
  else if (pages.slices.size() == 1)
    plan.levels = 1 + pages.copies.size();
  require_level(level, plan.levels);
  if (level == 0) {
    plan.slices = std::move(pages.slices);
    return plan;
  }
  if (!names_copies) pages.slices = {pages.copies[level - 1]};
  plan.stored_parts = 0;
  for (toff_t place : pages.slices) {
    file.go_to(place);
    if (names_copies) {
      const std::vector<toff_t> copies = named_copies(file, pages.first);
      file.require(level <= copies.size());
      file.go_to(place = copies[level - 1]);
    }
    if (plan.slices.empty()) plan.page = page_of(file);
    file.require(page_of(file) == plan.page);
    plan.slices.push_back(place);
    plan.stored_parts += count_stored_parts(file);
  }
  plan.shrunk = static_cast<double>(pages.first.width) / plan.page.width;
  return plan;
}

void decode_tiff(TiffBytes bytes, const Layout& layout, std::span<std::byte> into);

Layout layout_by(const TiffPlan& plan) {
  Layout layout;
  const TiffPage& page = plan.page;
  layout.header.type = type_of(page);
  layout.is_colored = is_colored(page);
  layout.stated_size = plan.stated_size;
  if (layout.stated_size)
    for (const std::size_t axis : {0U, 1U}) layout.stated_size->mm[axis] *= plan.shrunk;
  layout.header.channels = layout.is_colored ? 4 : page.samples;
  layout.header.interleaved = layout.header.channels > 1;
  layout.header.grid = picture_grid({page.width, page.height, plan.slices.size()});
  layout.levels = plan.levels;
  layout.decode = decode_tiff;
  return layout;
}

unsigned bits_of(const TiffPage& page) {
  return is_colored(page) ? 1 : page.bits;
}

/// The layout of a file on disk, which may leave out parts, and store several parts in one place.
Layout sparse_layout(const TiffFile& file, const TiffPlan& plan) {
  Layout layout = layout_by(plan);
  const TiffCompression& compression = compression_of(plan.page);
  const double parts =
      static_cast<double>(count_of_parts(file)) * static_cast<double>(plan.slices.size());
  const auto all = static_cast<double>(
      least_file_size(layout.header, bits_of(plan.page), compression.most_of_a_byte));
  if (voxel_bytes(layout.header) > always_allowed)
    layout.least_file_size = static_cast<std::size_t>(all * static_cast<double>(plan.stored_parts) /
                                                      std::max(parts, 1.0));
  return layout;
}

class TiffTiles final : public TiledImage {
 public:
  /// The file is at the first slice of the plan, whose parts are such.
  TiffTiles(TiffFile file, const TiffPlan& plan, const Layout& layout, const TiffPart& part)
      : TiledImage(layout, {part.width, part.height, 1}),
        file_(std::move(file)),
        plan_(plan),
        part_(part) {}

  void read_tile(const Shape& at, std::span<std::byte> into) override {
    if (const toff_t slice = plan_.slices.at(at[2]); slice != file_.directory()) {
      file_.go_to(slice);
      file_.require(part_of(file_, plan_.page) == part_);
    }
    const std::size_t across = (plan_.page.width + part_.width - 1) / part_.width;
    const auto index = static_cast<std::uint32_t>(at[1] * across + at[0]);
    if (index < count_of_parts(file_) && TIFFGetStrileByteCount(file_.get(), index) == 0) {
      file_.require();
      return static_cast<void>(std::ranges::fill(into, std::byte{}));
    }
    const std::size_t row = part_.width * voxel_size();
    if (row == part_.row_bytes && part_.size <= into.size() && plan_.page.bits >= 8)
      return read_part(index, at[1], into.first(part_.size));
    raw_.resize(part_.size);
    read_part(index, at[1], raw_);
    for (std::size_t y = 0; y < part_.height; ++y)
      unpack_row(plan_.page, TiffBytes(raw_).subspan(y * part_.row_bytes, part_.row_bytes),
                 into.subspan(y * row, row));
  }

 private:
  void read_part(std::uint32_t index, std::size_t row_of_parts, std::span<std::byte> into) {
    if (TIFFIsTiled(file_.get()) != 0) {
      const auto size = static_cast<tmsize_t>(into.size());
      file_.require(TIFFReadEncodedTile(file_.get(), index, into.data(), size) == size);
      return;
    }
    const std::size_t rows =
        std::min(part_.height, plan_.page.height - row_of_parts * part_.height);
    const auto size = static_cast<tmsize_t>(rows * part_.row_bytes);
    file_.require(TIFFReadEncodedStrip(file_.get(), index, into.data(), size) == size);
  }

  TiffFile file_;
  TiffPlan plan_;
  TiffPart part_;
  std::vector<std::byte> raw_;
};

std::unique_ptr<TiledImage> tiles_of(TiffFile file, const TiffPlan& plan, const Layout& layout) {
  file.go_to(plan.slices.front());
  const TiffPart part = part_of(file, plan.page);
  return std::make_unique<TiffTiles>(std::move(file), plan, layout, part);
}

void decode_tiff(TiffBytes bytes, const Layout& layout, std::span<std::byte> into) {
  TiffFile file(bytes);
  const TiffPlan plan = plan_of(file, 0);
  const auto tiles = tiles_of(std::move(file), plan, layout);
  Buffer tile;
  read_box(*tiles, {{}, layout.header.grid.shape}, into, tile);
}

}  // namespace

bool is_tiff(TiffBytes head) {
  return std::ranges::any_of(
      tiff_magics, [&](std::string_view magic) { return text_of(head).starts_with(magic); });
}

Layout tiff_layout(TiffBytes head, const std::filesystem::path&) {
  TiffFile file(head);
  const TiffPlan plan = plan_of(file, 0);
  Layout layout = layout_by(plan);
  const TiffCompression& compression = compression_of(plan.page);
  const bool leaves_out = plan.stored_parts < count_of_parts(file) * plan.slices.size();
  const std::size_t always = compression.most_of_a_byte == hardly_limited ? always_allowed
                             : leaves_out                                 ? may_be_left_out
                                                                          : 0;
  if (voxel_bytes(layout.header) > always)
    layout.least_file_size =
        least_file_size(layout.header, bits_of(plan.page), compression.most_of_a_byte);
  return layout;
}

std::unique_ptr<TiledImage> open_tiff(const std::filesystem::path& path, std::size_t level) {
  TiffFile file(path);
  const TiffPlan plan = plan_of(file, level);
  file.go_to(plan.slices.front());
  const Layout layout = sparse_layout(file, plan);
  require_possible_pixels(layout, file.size());
  return tiles_of(std::move(file), plan, layout);
}

}  // namespace assay
