// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_slide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/demo/tiff_writer.hpp"
#include "assay/error.hpp"
#include "assay/image/jpeg.hpp"
#include "assay/image/picture.hpp"

namespace assay::demo {
namespace {

/// Tissue as a function of position, so that any part can be drawn on its own and parts fit
/// together.
class DemoTissue {
 public:
  DemoTissue(std::int64_t width, std::int64_t height, std::uint32_t seed);

  /// The square with its upper left corner at (x, y); white beyond the edge of the slide.
  Picture tile(std::int64_t x, std::int64_t y, std::int64_t side) const;

 private:
  struct Ground {
    float tissue;  ///< above 0: inside
    float stain;   ///< 0 pale to 1 dark
  };

  Ground ground(std::int64_t x, std::int64_t y) const;
  float nucleus(std::int64_t x, std::int64_t y) const;

  std::int64_t width_, height_;
  std::uint32_t seed_;
  std::int64_t columns_ = 0;
  std::vector<Ground> coarse_{};  ///< at every 16th pixel; smooth in between
};

constexpr std::int64_t step = 16;  ///< distance of the pixels at which the ground is computed

/// A number in [0, 1) that looks random, from a position and a seed (a finaliser of MurmurHash3).
float hashed(std::int64_t x, std::int64_t y, std::uint32_t seed) {
  auto h = static_cast<std::uint32_t>(x) * 0x9E3779B1U ^
           static_cast<std::uint32_t>(y) * 0x85EBCA77U ^ seed * 0xC2B2AE3DU;
  h = (h ^ h >> 16) * 0x85EBCA6BU;
  h = (h ^ h >> 13) * 0xC2B2AE35U;
  return static_cast<float>((h ^ h >> 16) >> 8) * 0x1p-24F;
}

float mixed(float from, float to, float share) {
  return from + (to - from) * share;
}

/// Value noise: random at whole numbers, smooth in between.
float noise(float x, float y, std::uint32_t seed) {
  const float left = std::floor(x), top = std::floor(y);
  const auto smooth = [](float t) { return t * t * (3 - 2 * t); };
  const auto column = static_cast<std::int64_t>(left), row = static_cast<std::int64_t>(top);
  const float across = smooth(x - left);
  return mixed(mixed(hashed(column, row, seed), hashed(column + 1, row, seed), across),
               mixed(hashed(column, row + 1, seed), hashed(column + 1, row + 1, seed), across),
               smooth(y - top));
}

using Colour = std::array<float, 3>;
constexpr Colour glass = {244, 242, 245}, pale = {240, 190, 215}, dark = {196, 108, 168},
                 chromatin = {88, 52, 128};

Colour blended(const Colour& from, const Colour& to, float share) {
  return {mixed(from[0], to[0], share), mixed(from[1], to[1], share), mixed(from[2], to[2], share)};
}

DemoTissue::DemoTissue(std::int64_t width, std::int64_t height, std::uint32_t seed)
    : width_(width), height_(height), seed_(seed), columns_(width / step + 2) {
  const std::int64_t rows = height / step + 2;
  coarse_.reserve(static_cast<std::size_t>(columns_ * rows));
  const auto size = static_cast<float>(std::min(width, height));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns_; ++column) {
      const auto x = static_cast<float>(column * step), y = static_cast<float>(row * step);
      const float across = 2 * x / static_cast<float>(width) - 1;
      const float down = 2 * y / static_cast<float>(height) - 1;
      const float edge = std::max(across * across, down * down);
      const float shape = 0.7F * noise(5 * x / size, 5 * y / size, seed) +
                          0.3F * noise(17 * x / size, 17 * y / size, seed + 1);
      const float stain =
          0.6F * noise(x / 190, y / 190, seed + 2) + 0.4F * noise(x / 47, y / 47, seed + 3);
      coarse_.push_back({.tissue = shape - 0.34F - 0.5F * edge * edge * edge, .stain = stain});
    }
}

DemoTissue::Ground DemoTissue::ground(std::int64_t x, std::int64_t y) const {
  const Ground* at = coarse_.data() + y / step * columns_ + x / step;
  const float across = static_cast<float>(x % step) / step;
  const float down = static_cast<float>(y % step) / step;
  const auto between = [&](float Ground::*field) {
    return mixed(mixed(at[0].*field, at[1].*field, across),
                 mixed(at[columns_].*field, at[columns_ + 1].*field, across), down);
  };
  return {.tissue = between(&Ground::tissue), .stain = between(&Ground::stain)};
}

/// How strongly a nucleus covers this pixel. Each cell of 20 pixels holds one nucleus or none.
float DemoTissue::nucleus(std::int64_t x, std::int64_t y) const {
  constexpr std::int64_t cell = 20;
  const std::int64_t column = x / cell, row = y / cell;
  const std::int64_t place = row * cell / step * columns_ + column * cell / step;
  const float density = 0.15F + coarse_[static_cast<std::size_t>(place)].stain;
  if (hashed(column, row, seed_ + 4) > density) return 0;
  const float radius = 3.5F + 3 * hashed(column, row, seed_ + 5);
  const float room = cell - 2 * radius;
  const float dx = static_cast<float>(x % cell) - radius - room * hashed(column, row, seed_ + 6);
  const float dy = static_cast<float>(y % cell) - radius - room * hashed(column, row, seed_ + 7);
  return std::clamp(radius - std::sqrt(dx * dx + dy * dy), 0.0F, 1.0F);
}

Picture DemoTissue::tile(std::int64_t x, std::int64_t y, std::int64_t side) const {
  Picture out = Picture::filled(static_cast<std::size_t>(side), static_cast<std::size_t>(side));
  for (std::int64_t row = y; row < std::min(y + side, height_); ++row) {
    std::uint8_t* at = out.at(0, static_cast<std::size_t>(row - y));
    for (std::int64_t column = x; column < std::min(x + side, width_); ++column) {
      const Ground here = ground(column, row);
      Colour colour = glass;
      if (here.tissue > 0) {
        colour = blended(pale, dark, here.stain);
        colour = blended(colour, chromatin, 0.85F * nucleus(column, row));
        colour = blended(glass, colour, std::min(1.0F, here.tissue * 25));
      }
      for (const float channel : colour) *at++ = static_cast<std::uint8_t>(channel);
    }
  }
  return out;
}

constexpr std::int64_t tile_side = 256, shrink = 4;
constexpr int quality = 80;

/// Draws the mean of each 4 x 4 pixels of a tile of the finer level into the coarser one.
void put_reduced(const Picture& tile, std::int64_t x, std::int64_t y, Picture& coarser) {
  const auto left = static_cast<std::size_t>(x / shrink),
             top = static_cast<std::size_t>(y / shrink);
  const std::size_t right = std::min(left + tile_side / shrink, coarser.width);
  const std::size_t bottom = std::min(top + tile_side / shrink, coarser.height);
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

/// The part of a picture that a tile covers, padded with white.
Picture cut(const Picture& picture, std::int64_t x, std::int64_t y) {
  Picture tile = Picture::filled(tile_side, tile_side);
  const auto left = static_cast<std::size_t>(x), top = static_cast<std::size_t>(y);
  const std::size_t width = std::min<std::size_t>(tile_side, picture.width - left);
  const std::size_t height = std::min<std::size_t>(tile_side, picture.height - top);
  for (std::size_t row = 0; row < height; ++row)
    std::copy_n(picture.at(left, top + row), width * 3, tile.at(0, row));
  return tile;
}

struct Level {
  TiffImage image;
  Picture coarser;  ///< empty when this is the last level
};

/// One level, tile by tile; `tile_at(x, y)` gives its pixels.
template <class TileAt>
Level level_of(std::int64_t width, std::int64_t height, TileAt tile_at) {
  Level out = {.image = {.width = width, .height = height, .tile = tile_side}, .coarser = {}};
  if (std::max(width, height) > tile_side)
    out.coarser =
        Picture::filled(static_cast<std::size_t>(std::max<std::int64_t>(1, width / shrink)),
                        static_cast<std::size_t>(std::max<std::int64_t>(1, height / shrink)));
  for (std::int64_t y = 0; y < height; y += tile_side)
    for (std::int64_t x = 0; x < width; x += tile_side) {
      const Picture tile = tile_at(x, y);
      out.image.parts.push_back(jpeg_bytes(tile, quality));
      put_reduced(tile, x, y, out.coarser);
    }
  return out;
}

std::vector<TiffImage> levels_of(const DemoSlide& o) {
  const DemoTissue tissue(o.width, o.height, o.seed);
  std::vector<TiffImage> out;
  Level level = level_of(o.width, o.height, [&](std::int64_t x, std::int64_t y) {
    return tissue.tile(x, y, tile_side);
  });
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

/// Adds what makes a reader recognise the file as an Aperio slide: Aperio's description, and a
/// thumbnail in one strip.
void make_aperio(const DemoSlide& o, std::vector<TiffImage>& images) {
  const std::string software = "Aperio Image Library v11.2.1 \r\n";
  images.front().description =
      software +
      fmt::format("{0}x{1} [0,0 {0}x{1}] ({2}x{2}) JPEG/RGB Q={3}|AppMag = 40|MPP = 0.2500",
                  o.width, o.height, tile_side, quality);
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
  if (std::min(options.width, options.height) < tile_side ||
      std::max(options.width, options.height) > longest)
    throw Error(Error::Kind::usage,
                fmt::format("a demonstration slide has sides of {} to {} pixels, not {} x {}",
                            tile_side, longest, options.width, options.height));
  std::vector<TiffImage> images = levels_of(options);
  if (options.aperio)
    make_aperio(options, images);
  else
    images.front().pixels_per_cm = 40'000;  // 0.25 microns per pixel
  write_atomically(path, tiff_bytes(images));
}

}  // namespace assay::demo
