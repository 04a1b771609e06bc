// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay {
namespace {

constexpr double lobes = 3;

double sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double lanczos(double x) {
  return std::abs(x) < lobes ? sinc(x) * sinc(x / lobes) : 0;
}

/// What one pixel of the result takes from a line of the source.
struct Taps {
  std::size_t first = 0;
  std::vector<float> weights;  ///< sum to 1
};

/// `count` pixels of the result over [start, start + length) of a line of `size` pixels.
std::vector<Taps> taps_of(double start, double length, std::size_t size, std::size_t count) {
  const double scale = length / static_cast<double>(count);
  const double stretch = std::max(scale, 1.0);  // a reduction widens the window: no aliasing
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

/// One line of the picture in the result's width.
void resize_line(const std::uint8_t* line, const std::vector<Taps>& columns, float* out) {
  for (const Taps& taps : columns) {
    float sum[3] = {};
    const std::uint8_t* at = line + taps.first * 3;
    for (const float weight : taps.weights)
      for (float& channel : sum) channel += weight * static_cast<float>(*at++);
    out = std::copy(sum, sum + 3, out);
  }
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

}  // namespace

Picture resized(const Picture& picture, const PictureBox& box, std::size_t width,
                std::size_t height) {
  const std::vector<Taps> columns = taps_of(box.x, box.width, picture.width, width);
  const std::vector<Taps> rows = taps_of(box.y, box.height, picture.height, height);
  const std::size_t first = rows.front().first;
  const std::size_t end = rows.back().first + rows.back().weights.size();
  std::vector<float> lines((end - first) * width * 3);
  for (std::size_t y = first; y < end; ++y)
    resize_line(picture.at(0, y), columns, lines.data() + (y - first) * width * 3);
  Picture out = Picture::filled(width, height);
  std::vector<float> sums(width * 3);
  for (std::size_t y = 0; y < height; ++y) {
    std::ranges::fill(sums, 0.0F);
    const float* line = lines.data() + (rows[y].first - first) * width * 3;
    for (const float weight : rows[y].weights)
      for (float& sum : sums) sum += weight * *line++;
    std::ranges::transform(sums, out.at(0, y), to_byte);
  }
  return out;
}

}  // namespace assay
