// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_slide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/demo/demo_tissue.hpp"
#include "assay/error.hpp"
#include "assay/image/jpeg.hpp"
#include "assay/image/tiff_writer.hpp"

namespace assay::demo {
namespace {

constexpr std::int64_t side = 256, shrink = 4;
constexpr int quality = 80;

/// Draws the mean of each 4 x 4 pixels of a tile of the finer level into the coarser one.
void put_reduced(const Picture& tile, std::int64_t x, std::int64_t y, Picture& coarser) {
  const auto left = static_cast<std::size_t>(x / shrink),
             top = static_cast<std::size_t>(y / shrink);
  const std::size_t right = std::min(left + side / shrink, coarser.width);
  const std::size_t bottom = std::min(top + side / shrink, coarser.height);
  for (std::size_t row = top; row < bottom; ++row)
    for (std::size_t column = left; column < right; ++column)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < shrink * shrink; ++i)
          sum += tile.at((column - left) * shrink + i % shrink,
                         (row - top) * shrink + i / shrink)[channel];
        coarser.at(column, row)[channel] =
            static_cast<std::uint8_t>((sum + shrink * shrink / 2) / (shrink * shrink));
      }
}

/// The part of a picture that a tile covers, on white.
Picture cut(const Picture& picture, std::int64_t x, std::int64_t y) {
  Picture tile = Picture::filled(side, side);
  const auto left = static_cast<std::size_t>(x), top = static_cast<std::size_t>(y);
  const std::size_t width = std::min<std::size_t>(side, picture.width - left);
  const std::size_t height = std::min<std::size_t>(side, picture.height - top);
  for (std::size_t row = 0; row < height; ++row)
    std::copy_n(picture.at(left, top + row), width * 3, tile.at(0, row));
  return tile;
}

struct Level {
  TiffImage image;
  Picture coarser;  ///< empty when this is the last
};

/// One level, tile by tile; `tile_at(x, y)` gives its pixels.
template <class TileAt>
Level level_of(std::int64_t width, std::int64_t height, TileAt tile_at) {
  Level out = {.image = {.width = width, .height = height, .tile = side}, .coarser = {}};
  if (std::max(width, height) > side)
    out.coarser =
        Picture::filled(static_cast<std::size_t>(std::max<std::int64_t>(1, width / shrink)),
                        static_cast<std::size_t>(std::max<std::int64_t>(1, height / shrink)));
  for (std::int64_t y = 0; y < height; y += side)
    for (std::int64_t x = 0; x < width; x += side) {
      const Picture tile = tile_at(x, y);
      out.image.parts.push_back(jpeg_bytes(tile, quality));
      put_reduced(tile, x, y, out.coarser);
    }
  return out;
}

std::vector<TiffImage> levels_of(const DemoSlide& o) {
  const DemoTissue tissue(o.width, o.height, o.seed);
  std::vector<TiffImage> out;
  Level level = level_of(o.width, o.height,
                         [&](std::int64_t x, std::int64_t y) { return tissue.tile(x, y, side); });
  out.push_back(std::move(level.image));
  while (level.coarser.width > 0) {
    const Picture picture = std::move(level.coarser);
    level = level_of(static_cast<std::int64_t>(picture.width),
                     static_cast<std::int64_t>(picture.height),
                     [&](std::int64_t x, std::int64_t y) { return cut(picture, x, y); });
    level.image.reduced = true;
    out.push_back(std::move(level.image));
  }
  return out;
}

/// What makes a reader recognise the file as an Aperio slide: its words, and a thumbnail in one
/// strip.
void make_aperio(const DemoSlide& o, std::vector<TiffImage>& images) {
  const std::string software = "Aperio Image Library v11.2.1 \r\n";
  images.front().description =
      software +
      fmt::format("{0}x{1} [0,0 {0}x{1}] ({2}x{2}) JPEG/RGB Q={3}|AppMag = 40|MPP = 0.2500",
                  o.width, o.height, side, quality);
  for (TiffImage& image : images) image.reduced = false;
  const TiffImage& smallest = images.back();
  TiffImage thumbnail = {.width = smallest.width, .height = smallest.height};
  const Picture tile = parse_jpeg(smallest.parts.front(), "thumbnail");
  Picture picture = Picture::filled(static_cast<std::size_t>(thumbnail.width),
                                    static_cast<std::size_t>(thumbnail.height));
  for (std::size_t row = 0; row < picture.height; ++row)
    std::copy_n(tile.at(0, row), picture.width * 3, picture.at(0, row));
  thumbnail.parts = {jpeg_bytes(picture, quality)};
  thumbnail.description = software + "thumbnail";
  images.insert(images.begin() + 1, std::move(thumbnail));
}

}  // namespace

void write_demo_slide(const std::filesystem::path& path, const DemoSlide& options) {
  constexpr std::int64_t longest = 60'000;
  if (std::min(options.width, options.height) < side ||
      std::max(options.width, options.height) > longest)
    throw Error(Error::Kind::usage,
                fmt::format("a demonstration slide has sides of {} to {} pixels, not {} x {}", side,
                            longest, options.width, options.height));
  std::vector<TiffImage> images = levels_of(options);
  if (options.aperio)
    make_aperio(options, images);
  else
    images.front().pixels_per_cm = 40'000;  // 0.25 microns a pixel
  write_atomically(path, tiff_bytes(images));
}

}  // namespace assay::demo
