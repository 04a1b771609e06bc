// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/slide.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/slide/crop_rules.hpp"
#include "assay/slide/openslide.hpp"
#include "assay/slide/resize.hpp"

namespace assay::slide {
namespace {

struct Closer {
  void operator()(OpenSlideHandle* slide) const { openslide().close(slide); }
};
using Owner = std::unique_ptr<OpenSlideHandle, Closer>;

bool is_dicom(const std::filesystem::path& path) {
  constexpr std::size_t place = 128;
  const Buffer start = InputFile(path).read_start(place + 4);
  return start.bytes().size() == place + 4 &&
         std::memcmp(start.bytes().data() + place, "DICM", 4) == 0;
}

/// Only regular files may be passed to the library. It would wait for bytes from a pipe.
void require_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw Error(Error::Kind::io, path, "does not exist");
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(Error::Kind::io, path, "is not a file");
  if (!open_descriptor(path, O_RDONLY).is_open())
    throw Error(Error::Kind::io, path, "may not be read; check its permissions");
}

[[noreturn]] void fail_as_no_slide(const std::filesystem::path& path) {
  const std::string version = openslide_version();
  if (is_dicom(path) && version.starts_with("3."))
    throw Error(Error::Kind::unsupported, path,
                "a DICOM slide needs OpenSlide 4, but this is " + version +
                    "; install it or set ASSAY_OPENSLIDE to its library file");
  throw Error(Error::Kind::input, path,
              "is not a slide that OpenSlide " + version + " knows, or its beginning is damaged");
}

[[noreturn]] void fail_as_damaged(const std::filesystem::path& path, const char* why) {
  throw Error(Error::Kind::input, path,
              std::string("the slide is damaged (") + why + "); download it again, then reopen it");
}

Owner open_handle(const std::filesystem::path& path) {
  const OpenSlide& library = openslide();
  require_file(path);
  Owner slide(library.detect_vendor(path.c_str()) == nullptr ? nullptr
                                                             : library.open(path.c_str()));
  if (slide == nullptr) fail_as_no_slide(path);
  if (const char* error = library.get_error(slide.get())) fail_as_damaged(path, error);
  return slide;
}

std::string property(OpenSlideHandle* slide, const char* name) {
  const char* value = openslide().get_property_value(slide, name);
  return value == nullptr ? "" : value;
}

/// The text as a positive number; nothing when it is not one.
std::optional<double> positive(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || !std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

std::optional<double> microns_per_pixel(OpenSlideHandle* slide) {
  if (const auto given = positive(property(slide, "openslide.mpp-x"))) return given;
  const auto pixels = positive(property(slide, "tiff.XResolution"));
  const std::string unit = property(slide, "tiff.ResolutionUnit");
  if (pixels && unit == "centimeter") return 10'000 / *pixels;
  if (pixels && unit == "inch") return 25'400 / *pixels;
  return std::nullopt;
}

SlideInfo info_of(OpenSlideHandle* slide, const std::filesystem::path& path) {
  const OpenSlide& library = openslide();
  SlideInfo info;
  for (std::int32_t i = 0; i < library.get_level_count(slide); ++i) {
    SlideLevel level = {.downsample = library.get_level_downsample(slide, i)};
    library.get_level_dimensions(slide, i, &level.width, &level.height);
    if (level.width <= 0 || level.height <= 0 || !(level.downsample >= 1))
      fail_as_damaged(path, "a level without size");
    info.levels.push_back(level);
  }
  if (info.levels.empty()) fail_as_damaged(path, "no level");
  info.width = info.levels.front().width;
  info.height = info.levels.front().height;
  info.vendor = property(slide, "openslide.vendor");
  info.microns_per_pixel = microns_per_pixel(slide);
  return info;
}

/// A rectangle of pixels of a level.
struct Block {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

/// Blends a pixel with white, so that missing parts are white, like glass.
void lay_on_white(std::uint32_t argb, std::uint8_t* out) {
  const std::uint32_t white = 255 - (argb >> 24);
  for (const unsigned shift : {16U, 8U, 0U})
    *out++ = static_cast<std::uint8_t>(std::min(255U, (argb >> shift & 255U) + white));
}

/// Averages boxes of factor x factor pixels, so that only one block of a level is in memory at a
/// time.
class Reducer {
 public:
  Reducer(const Block& whole, std::int64_t factor)
      : whole_(whole),
        factor_(factor),
        columns_((whole.width + factor - 1) / factor),
        rows_((whole.height + factor - 1) / factor),
        sums_(static_cast<std::size_t>(columns_ * rows_ * 3)) {}

  void add(const Picture& picture, const Block& block) {
    for (std::int64_t y = 0; y < block.height; ++y) {
      const std::uint8_t* at = picture.at(0, static_cast<std::size_t>(y));
      const std::int64_t row = (block.y - whole_.y + y) / factor_;
      for (std::int64_t x = 0; x < block.width; ++x) {
        const std::int64_t column = (block.x - whole_.x + x) / factor_;
        auto* sum = sums_.data() + (row * columns_ + column) * 3;
        for (int channel = 0; channel < 3; ++channel) sum[channel] += *at++;
      }
    }
  }

  Picture mean() const {
    Picture out =
        Picture::filled(static_cast<std::size_t>(columns_), static_cast<std::size_t>(rows_));
    std::size_t i = 0;
    for (std::int64_t row = 0; row < rows_; ++row)
      for (std::int64_t column = 0; column < columns_; ++column) {
        const auto width = std::min(factor_, whole_.width - column * factor_);
        const auto height = std::min(factor_, whole_.height - row * factor_);
        const auto count = static_cast<std::uint32_t>(width * height);
        for (int channel = 0; channel < 3; ++channel, ++i)
          out.rgb[i] = static_cast<std::uint8_t>((sums_[i] + count / 2) / count);
      }
    return out;
  }

 private:
  Block whole_;
  std::int64_t factor_, columns_, rows_;
  std::vector<std::uint32_t> sums_;  ///< the sum of 2048 x 2048 pixels of 255 still fits
};

/// The largest area of a level that is read at once. Larger areas are read in blocks and reduced as
/// they come.
constexpr std::int64_t longest_read = 10'000, most_pixels = 40'000'000, block_side = 2048;

bool fits(const Block& block) {
  return std::max(block.width, block.height) <= longest_read &&
         block.width * block.height <= most_pixels;
}

/// By how much blocks are averaged before the final Lanczos reduction, which still gets at least
/// twice the pixels that it needs.
std::int64_t factor_for(const Block& block, std::int64_t longest) {
  if (fits(block)) return 1;
  const std::int64_t factor = std::max(block.width, block.height) / (2 * longest);
  return std::clamp<std::int64_t>(factor, 1, block_side);
}

/// The pixels of a level that a region touches, and where the region lies among them.
struct Window {
  Block block;
  PictureBox box;
};

/// Along one axis: first pixel, number of pixels, start and length inside them.
struct Extent {
  std::int64_t first, count;
  double start, length;
};

Extent extent_of(std::int64_t start, std::int64_t length, double downsample, std::int64_t end) {
  const double from = static_cast<double>(start) / downsample;
  const double to = static_cast<double>(start + length) / downsample;
  const auto first = std::min(static_cast<std::int64_t>(std::floor(from)), end - 1);
  const auto last = std::clamp(static_cast<std::int64_t>(std::ceil(to)), first + 1, end);
  const double inside = std::min(from - static_cast<double>(first), 1.0);
  const auto count = last - first;
  // A level can be up to a pixel shorter than the slide. The region then ends where the level ends.
  return {first, count, inside, std::min(to - from, static_cast<double>(count) - inside)};
}

Window window_of(const SlideRegion& region, const SlideLevel& level) {
  const Extent x = extent_of(region.x, region.width, level.downsample, level.width);
  const Extent y = extent_of(region.y, region.height, level.downsample, level.height);
  return {{x.first, y.first, x.count, y.count}, {x.start, y.start, x.length, y.length}};
}

/// The size of the result: the longer side as requested, but never enlarged, and every side at
/// least 1.
std::pair<std::size_t, std::size_t> size_of(const SlideRegion& region, std::int64_t longest) {
  const std::int64_t side = std::max(region.width, region.height);
  if (side <= longest)
    return {static_cast<std::size_t>(region.width), static_cast<std::size_t>(region.height)};
  const auto scaled = [&](std::int64_t length) {
    const double exact = static_cast<double>(length * longest) / static_cast<double>(side);
    return static_cast<std::size_t>(std::max(1.0, std::round(exact)));
  };
  return {scaled(region.width), scaled(region.height)};
}

}  // namespace

struct Slide::Handle {
  std::filesystem::path path;
  Owner slide;
  SlideInfo info;

  /// A block of a level, at most as large as `fits` allows.
  Picture read(const Block& block, std::size_t level) const {
    const OpenSlide& library = openslide();
    const double downsample = info.levels[level].downsample;
    const auto origin = [&](std::int64_t at) {
      return static_cast<std::int64_t>(std::round(static_cast<double>(at) * downsample));
    };
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(block.width * block.height));
    library.read_region(slide.get(), pixels.data(), origin(block.x), origin(block.y),
                        static_cast<std::int32_t>(level), block.width, block.height);
    // After an error, a handle returns only that error, so later reads fail here too.
    if (const char* error = library.get_error(slide.get())) fail_as_damaged(path, error);
    Picture picture{static_cast<std::size_t>(block.width), static_cast<std::size_t>(block.height),
                    std::vector<std::uint8_t>(pixels.size() * 3)};
    for (std::size_t i = 0; i < pixels.size(); ++i)
      lay_on_white(pixels[i], picture.rgb.data() + i * 3);
    return picture;
  }

  Picture read_reduced(const Block& whole, std::size_t level, std::int64_t factor) const {
    if (fits(whole)) return read(whole, level);
    Reducer reducer(whole, factor);
    for (std::int64_t y = 0; y < whole.height; y += block_side)
      for (std::int64_t x = 0; x < whole.width; x += block_side) {
        const Block block = {whole.x + x, whole.y + y, std::min(block_side, whole.width - x),
                             std::min(block_side, whole.height - y)};
        reducer.add(read(block, level), block);
      }
    return reducer.mean();
  }
};

std::string openslide_version() {
  return openslide().get_version();
}

Slide::Slide(const std::filesystem::path& path) {
  Owner slide = open_handle(path);
  SlideInfo info = info_of(slide.get(), path);
  handle_ = std::make_unique<Handle>(Handle{path, std::move(slide), std::move(info)});
}

Slide::Slide(Slide&&) noexcept = default;
Slide& Slide::operator=(Slide&&) noexcept = default;
Slide::~Slide() = default;

const SlideInfo& Slide::info() const {
  return handle_->info;
}

Picture Slide::thumbnail(std::int64_t longest) const {
  return region({0, 0, info().width, info().height}, longest);
}

Picture Slide::region(const SlideRegion& region, std::int64_t longest) const {
  if (const auto problem = crop_problem(region, info()))
    throw Error(Error::Kind::usage, handle_->path, *problem);
  if (longest < 1) throw Error(Error::Kind::usage, "an image needs a side of 1 pixel or more");
  const auto [width, height] = size_of(region, longest);
  const std::size_t level = level_for(region, info(), longest);
  const Window window = window_of(region, info().levels[level]);
  const std::int64_t factor = factor_for(window.block, longest);
  const Picture picture = handle_->read_reduced(window.block, level, factor);
  const auto reduction = static_cast<double>(factor);
  const PictureBox box = {window.box.x / reduction, window.box.y / reduction,
                          window.box.width / reduction, window.box.height / reduction};
  return resized(picture, box, width, height);
}

}  // namespace assay::slide
