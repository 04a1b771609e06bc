// SPDX-License-Identifier: Apache-2.0
#include "assay/image/tiff.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using TiffBytes = std::span<const std::byte>;
using namespace std::string_view_literals;

constexpr std::array tiff_magics = {"II\x2a\0"sv, "MM\0\x2a"sv, "II\x2b\0"sv, "MM\0\x2b"sv};

Error broken_tiff() {
  return {Error::Kind::input, "the TIFF is damaged or cut short; copy or save it again"};
}

Error unsupported_tiff(const std::string& what) {
  return {Error::Kind::unsupported, what};
}

// ---- A file in memory, as the library wants it.

struct TiffSource {
  TiffBytes bytes;
  toff_t at = 0;
};

tmsize_t read_source(thandle_t handle, void* to, tmsize_t count) {
  auto* source = static_cast<TiffSource*>(handle);
  if (count < 0 || source->at >= source->bytes.size()) return 0;
  const std::size_t rest = source->bytes.size() - static_cast<std::size_t>(source->at);
  const std::size_t size = std::min(static_cast<std::size_t>(count), rest);
  std::memcpy(to, source->bytes.data() + source->at, size);
  source->at += size;
  return static_cast<tmsize_t>(size);
}

tmsize_t write_source(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seek_source(thandle_t handle, toff_t offset, int from) {
  auto* source = static_cast<TiffSource*>(handle);
  const toff_t starts[] = {0, source->at, source->bytes.size()};  // SEEK_SET, SEEK_CUR, SEEK_END
  return source->at = starts[std::clamp(from, 0, 2)] + offset;
}

int close_source(thandle_t) {
  return 0;
}

toff_t size_of_source(thandle_t handle) {
  return static_cast<TiffSource*>(handle)->bytes.size();
}

int map_source(thandle_t handle, void** start, toff_t* size) {
  const auto* source = static_cast<TiffSource*>(handle);
  *start = const_cast<std::byte*>(source->bytes.data());  // the library only reads it
  *size = source->bytes.size();
  return 1;
}

void unmap_source(thandle_t, void*, toff_t) {}

/// What the library complains about: any error makes the file unusable.
int note_error(TIFF*, void* user, const char*, const char*, va_list) {
  *static_cast<bool*>(user) = true;
  return 1;
}

int ignore_tiff_warning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

/// A file that is open at its first page.
class TiffFile {
 public:
  explicit TiffFile(TiffBytes bytes) : source_{bytes} {
    constexpr tmsize_t most_at_once = tmsize_t{1} << 30;
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_at_once);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), note_error, &has_failed_);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_tiff_warning, nullptr);
    tiff_.reset(TIFFClientOpenExt("", "rm", &source_, read_source, write_source, seek_source,
                                  close_source, size_of_source, map_source, unmap_source,
                                  options.get()));
    forgive_compression();
    require();
  }

  TIFF* get() const { return tiff_.get(); }
  /// Throws Error when anything went wrong so far.
  void require() const {
    if (tiff_ == nullptr || has_failed_) throw broken_tiff();
  }
  void require(bool is_right) const {
    if (!is_right) throw broken_tiff();
    require();
  }
  /// Whether there is another page; it is the current one then.
  bool next_page() {
    if (TIFFLastDirectory(get()) != 0) return false;
    require();
    const bool is_read = TIFFReadDirectory(get()) != 0;
    forgive_compression();
    require(is_read);
    return true;
  }
  template <class T>
  T field(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(get(), tag, &value) == 1 ? value : otherwise;
  }
  std::string_view text(ttag_t tag) const {
    const char* found = nullptr;
    return TIFFGetField(get(), tag, &found) == 1 && found != nullptr ? found : std::string_view();
  }

 private:
  /// The library may have been built without a compression, and takes a page that has it for an
  /// error. Such a page is passed over as a copy, or refused by the name of its compression.
  void forgive_compression() {
    if (tiff_ != nullptr &&
        TIFFIsCODECConfigured(field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE)) == 0)
      has_failed_ = false;
  }
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  TiffSource source_;
  bool has_failed_ = false;
  std::unique_ptr<TIFF, Close> tiff_;
};

// ---- What a page holds.

struct TiffPage {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, photometric = 0, planes = 1,
                compression = COMPRESSION_NONE;

  bool operator==(const TiffPage&) const = default;
};

TiffPage page_of(const TiffFile& file) {
  TiffPage page = {.width = file.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0),
                   .height = file.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0),
                   .bits = file.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1),
                   .samples = file.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1),
                   .format = file.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT),
                   .photometric = file.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, 1),
                   .planes = file.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG),
                   .compression = file.field<std::uint16_t>(TIFFTAG_COMPRESSION, 1)};
  file.require(page.width != 0 && page.height != 0 && page.samples != 0);
  if (page.format == SAMPLEFORMAT_VOID) page.format = SAMPLEFORMAT_UINT;
  return page;
}

/// Pages that show the picture once more, smaller, or say which of its pixels count.
bool is_copy(const TiffFile& file) {
  return (file.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) &
          (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

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

/// Of those that have no useful limit: what a large mask of one value reaches, since every strip or
/// tile takes some bytes of the directory.
constexpr double hardly_limited = 1 << 14;

/// What a file may state however short it is: a blank page of a fax has a bit per row.
constexpr std::size_t always_allowed = std::size_t{1} << 28;

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

bool is_colored(const TiffPage& page) {
  return page.photometric == PHOTOMETRIC_RGB && page.format == SAMPLEFORMAT_UINT &&
         page.samples >= 3;
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

// ---- The size of a pixel: three habits.

struct LengthUnit {
  std::string_view name;
  double mm;
};

constexpr std::array length_names = {
    LengthUnit{"micron", 1e-3},     LengthUnit{"um", 1e-3},   LengthUnit{"\xC2\xB5m", 1e-3},
    LengthUnit{"\xCE\xBCm", 1e-3},  LengthUnit{"mm", 1},      LengthUnit{"cm", 10},
    LengthUnit{"\\u00B5m", 1e-3},   LengthUnit{"nm", 1e-6},   LengthUnit{"m", 1000},
    LengthUnit{"micrometer", 1e-3}, LengthUnit{"inch", 25.4},
};

std::optional<double> unit_mm(std::string_view name) {
  const auto* const found = std::ranges::find(length_names, trimmed(name), &LengthUnit::name);
  return found == length_names.end() ? std::nullopt : std::optional(found->mm);
}

/// What follows `key` up to one of `ends`.
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

/// Channels and time points are pages too; as slices they would be nonsense.
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

// ---- Pixels.

/// Numbers of less than 8 bits, highest first in their byte, as bytes.
void unpack_bits(TiffBytes from, unsigned bits, bool inverted, std::span<std::byte> to) {
  const unsigned mask = (1U << bits) - 1, per_byte = 8 / bits;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto shift = static_cast<unsigned>(8 - bits * (i % per_byte + 1));
    const unsigned value = std::to_integer<unsigned>(from[i / per_byte]) >> shift & mask;
    to[i] = static_cast<std::byte>(inverted ? mask - value : value);
  }
}

/// The part of a page that is compressed by itself: a strip, or a tile.
struct TiffPart {
  std::size_t width, height, row_bytes;
};

/// Where a page goes.
struct TiffTarget {
  const TiffPage& page;
  std::span<std::byte> pixels;

  std::size_t pixel_bytes() const { return pixels.size() / page.width / page.height; }
  /// Copies one row of a part, which begins at column x; what lies outside the page is left out.
  void put(TiffBytes row, std::size_t x, std::size_t y, std::size_t columns) const {
    const std::size_t count = std::min(columns, page.width - x);
    std::span<std::byte> to =
        pixels.subspan((y * page.width + x) * pixel_bytes(), count * pixel_bytes());
    if (page.bits < 8)
      return unpack_bits(row, page.bits, page.photometric == PHOTOMETRIC_MINISWHITE, to);
    if (!is_colored(page) || page.samples == 4)
      return static_cast<void>(std::ranges::copy(row.first(to.size()), to.begin()));
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(row.subspan(3 * i, 3), to.begin() + static_cast<std::ptrdiff_t>(4 * i));
      to[4 * i + 3] = std::byte{0xFF};
    }
  }
};

void put_part(const TiffTarget& target, TiffBytes part, const TiffPart& shape, std::size_t x,
              std::size_t y) {
  const std::size_t rows = std::min<std::size_t>(shape.height, target.page.height - y);
  for (std::size_t row = 0; row < rows; ++row)
    target.put(part.subspan(row * shape.row_bytes, shape.row_bytes), x, y + row, shape.width);
}

/// Room for a part that the library will fill. Throws Error when a header asks for nonsense.
std::vector<std::byte> room_for_part(const TiffFile& file, tmsize_t size, const TiffPart& shape) {
  constexpr std::size_t most = std::size_t{1} << 30;
  file.require(size > 0 && static_cast<std::size_t>(size) <= most && shape.row_bytes > 0 &&
               shape.height > 0 &&
               shape.row_bytes <= static_cast<std::size_t>(size) / shape.height);
  return std::vector<std::byte>(static_cast<std::size_t>(size));
}

void read_tiles(const TiffFile& file, const TiffTarget& target) {
  const TiffPart shape = {.width = file.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0),
                          .height = file.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0),
                          .row_bytes = static_cast<std::size_t>(TIFFTileRowSize(file.get()))};
  file.require(shape.width > 0 && shape.height > 0);
  std::vector<std::byte> tile = room_for_part(file, TIFFTileSize(file.get()), shape);
  std::uint32_t index = 0;
  for (std::size_t y = 0; y < target.page.height; y += shape.height)
    for (std::size_t x = 0; x < target.page.width; x += shape.width, ++index) {
      file.require(
          TIFFReadEncodedTile(file.get(), index, tile.data(), static_cast<tmsize_t>(tile.size())) ==
          static_cast<tmsize_t>(tile.size()));
      put_part(target, tile, shape, x, y);
    }
}

void read_strips(const TiffFile& file, const TiffTarget& target) {
  const auto stated = file.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, 0);
  const TiffPart shape = {.width = target.page.width,
                          .height = std::min(stated, target.page.height),
                          .row_bytes = static_cast<std::size_t>(TIFFScanlineSize(file.get()))};
  std::vector<std::byte> strip = room_for_part(file, TIFFStripSize(file.get()), shape);
  std::uint32_t index = 0;
  for (std::size_t y = 0; y < target.page.height; y += shape.height, ++index) {
    const std::size_t rows = std::min<std::size_t>(shape.height, target.page.height - y);
    const auto size = static_cast<tmsize_t>(rows * shape.row_bytes);
    file.require(TIFFReadEncodedStrip(file.get(), index, strip.data(), size) == size);
    put_part(target, strip, shape, 0, y);
  }
}

void decode_tiff(TiffBytes bytes, const Layout& layout, std::span<std::byte> into) {
  TiffFile file(bytes);
  const std::size_t slices = layout.header.grid.shape[2], slice_bytes = into.size() / slices;
  std::size_t slice = 0;
  do {
    if (is_copy(file)) continue;
    const TiffPage page = page_of(file);
    file.require(slice < slices);
    const TiffTarget target = {page, into.subspan(slice++ * slice_bytes, slice_bytes)};
    TIFFIsTiled(file.get()) != 0 ? read_tiles(file, target) : read_strips(file, target);
  } while (slice < slices && file.next_page());
  file.require(slice == slices);
}

/// How many pages are slices. Throws Error when they are not alike.
std::size_t count_slices(TiffFile& file, const TiffPage& first) {
  constexpr std::size_t most = 65'535;  // what the library counts to
  std::size_t slices = 1;
  while (file.next_page()) {
    if (is_copy(file)) continue;
    if (page_of(file) != first)
      throw unsupported_tiff("has pages of different sizes or kinds; save the labels alone");
    if (++slices > most) throw unsupported_tiff("has more than 65535 pages; split it");
  }
  return slices;
}

}  // namespace

bool is_tiff(TiffBytes head) {
  return std::ranges::any_of(
      tiff_magics, [&](std::string_view magic) { return text_of(head).starts_with(magic); });
}

Layout tiff_layout(TiffBytes head, const std::filesystem::path&) {
  TiffFile file(head);
  while (is_copy(file)) file.require(file.next_page());
  const TiffPage page = page_of(file);
  require_known_meaning(page);
  require_slices(file);
  Layout layout;
  const TiffCompression& compression = compression_of(page);
  layout.header.type = type_of(page);
  layout.is_colored = is_colored(page);
  layout.stated_size = size_of_pixels(file);
  layout.header.channels = layout.is_colored ? 4 : page.samples;
  layout.header.interleaved = layout.header.channels > 1;
  layout.header.grid = picture_grid({page.width, page.height, count_slices(file, page)});
  layout.decode = decode_tiff;
  const bool is_small =
      compression.most_of_a_byte == hardly_limited && voxel_bytes(layout.header) <= always_allowed;
  if (!is_small)
    layout.least_file_size = least_file_size(layout.header, layout.is_colored ? 1 : page.bits,
                                             compression.most_of_a_byte);
  return layout;
}

}  // namespace assay
