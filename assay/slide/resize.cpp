// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/resize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace assay::slide {
namespace {

constexpr double lobes = 3;

double sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double lanczos(double x) {
  return std::abs(x) < lobes ? sinc(x) * sinc(x / lobes) : 0;
}

/// The pixels of a source line, and their weights, that make one pixel of the result.
struct Taps {
  std::size_t first = 0;
  std::vector<float> weights;  ///< sum to 1
};

/// The taps of `count` result pixels that cover [start, start + length) of a line of `size` pixels.
std::vector<Taps> taps_of(double start, double length, std::size_t size, std::size_t count) {
  const double scale = length / static_cast<double>(count);
  const double stretch = std::max(scale, 1.0);  // a reduction widens the window to avoid aliasing
  std::vector<Taps> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double centre = start + (static_cast<double>(i) + 0.5) * scale;
    const double low = std::floor(centre - lobes * stretch + 0.5);
    const double high = std::floor(centre + lobes * stretch + 0.5);
    const auto first = static_cast<std::size_t>(std::max(low, 0.0));
    const auto last =
        std::min(size, static_cast<std::size_t>(std::max(high, static_cast<double>(first) + 1)));
    out[i].first = std::min(first, size - 1);
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t at = out[i].first; at < std::max(last, out[i].first + 1); ++at) {
      weights.push_back(lanczos((static_cast<double>(at) + 0.5 - centre) / stretch));
      sum += weights.back();
    }
    for (const double w : weights) out[i].weights.push_back(static_cast<float>(w / sum));
  }
  return out;
}

/// A weighted sum of lines of the picture, three values per pixel.
void add_lines(const Picture& picture, const Taps& rows, std::vector<float>& sums) {
  std::ranges::fill(sums, 0.0F);
  std::size_t y = rows.first;
  for (const float weight : rows.weights) {
    const std::uint8_t* line = picture.at(0, y++);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * static_cast<float>(line[i]);
  }
}

/// Four values per pixel, the last unused, because a processor handles four at once.
constexpr std::size_t lanes = 4;
using Pixel = std::array<float, lanes>;

void spread(const std::vector<float>& sums, std::vector<Pixel>& pixels) {
  for (std::size_t x = 0; x < pixels.size(); ++x)
    pixels[x] = {sums[x * 3], sums[x * 3 + 1], sums[x * 3 + 2], 0};
}

Pixel weighted_sum(const std::vector<Pixel>& pixels, const Taps& columns) {
  Pixel sum = {};
  const Pixel* at = pixels.data() + columns.first;
  for (const float weight : columns.weights) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += weight * (*at)[lane];
    ++at;
  }
  return sum;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

}  // namespace

Picture resized(const Picture& picture, const PictureBox& box, std::size_t width,
                std::size_t height) {
  const std::vector<Taps> columns = taps_of(box.x, box.width, picture.width, width);
  const std::vector<Taps> rows = taps_of(box.y, box.height, picture.height, height);
  Picture out = Picture::filled(width, height);
  std::vector<float> sums(picture.width * 3);
  std::vector<Pixel> pixels(picture.width);
  for (std::size_t y = 0; y < height; ++y) {
    add_lines(picture, rows[y], sums);
    spread(sums, pixels);
    std::uint8_t* at = out.at(0, y);
    for (const Taps& taps : columns) {
      const Pixel sum = weighted_sum(pixels, taps);
      for (std::size_t channel = 0; channel < 3; ++channel) *at++ = to_byte(sum[channel]);
    }
  }
  return out;
}

}  // namespace assay::slide
