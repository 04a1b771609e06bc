// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/stats/random.hpp"

namespace assay::qa {
namespace {

/// Saturation of HSV in bytes. Pixels near black have no colour to speak of: pen, dust, the edge of
/// a scan.
std::uint8_t saturation(const std::uint8_t* pixel) {
  constexpr int darkest = 20;
  const int most = std::max({pixel[0], pixel[1], pixel[2]});
  const int least = std::min({pixel[0], pixel[1], pixel[2]});
  return most < darkest ? std::uint8_t{0} : static_cast<std::uint8_t>((most - least) * 255 / most);
}

/// Otsu's threshold (1979): values above it and the others differ the most.
int otsu(const std::array<std::size_t, 256>& histogram) {
  double all = 0, sum = 0;
  for (std::size_t v = 0; v < histogram.size(); ++v) {
    all += static_cast<double>(histogram[v]);
    sum += static_cast<double>(v * histogram[v]);
  }
  int best = 0;
  double largest = -1, below = 0, sum_below = 0;
  for (std::size_t v = 0; v < histogram.size(); ++v) {
    below += static_cast<double>(histogram[v]);
    sum_below += static_cast<double>(v * histogram[v]);
    if (below == 0 || below == all) continue;
    const double gap = sum_below / below - (sum - sum_below) / (all - below);
    const double between = below * (all - below) * gap * gap;
    if (between <= largest) continue;
    largest = between;
    best = static_cast<int>(v);
  }
  return best;
}

/// Pixels of the thumbnail that show tissue; all of them where none does.
std::vector<std::size_t> tissue(const Picture& thumbnail) {
  constexpr int palest = 15;  // glass and compression reach this far; stain does not
  const std::size_t size = thumbnail.width * thumbnail.height;
  std::vector<std::uint8_t> values(size);
  std::array<std::size_t, 256> histogram{};
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = saturation(thumbnail.rgb.data() + i * 3);
    ++histogram[values[i]];
  }
  // Where everything is stained there is no background to find, only darker tissue.
  const int threshold = std::clamp(otsu(histogram), palest, 4 * palest);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < size; ++i)
    if (values[i] > threshold) out.push_back(i);
  if (out.empty())
    for (std::size_t i = 0; i < size; ++i) out.push_back(i);
  return out;
}

/// Where a patch starts whose middle is at `share` of an axis of `length` pixels.
std::int64_t start_of(double share, std::int64_t size, std::int64_t length) {
  const double middle = share * static_cast<double>(length);
  const auto start = static_cast<std::int64_t>(std::floor(middle)) - size / 2;
  return std::clamp<std::int64_t>(start, 0, length - size);
}

}  // namespace

std::vector<slide::SlideRegion> patch_regions(const Picture& thumbnail,
                                              const slide::SlideInfo& slide,
                                              const PatchSettings& settings) {
  const std::vector<std::size_t> places = tissue(thumbnail);
  std::vector<slide::SlideRegion> out;
  if (places.empty()) return out;
  const std::int64_t width = std::min(settings.size, slide.width);
  const std::int64_t height = std::min(settings.size, slide.height);
  const auto columns = static_cast<double>(thumbnail.width);
  const auto rows = static_cast<double>(thumbnail.height);
  stats::Generator random(settings.seed);
  out.reserve(settings.count);
  for (std::size_t i = 0; i < settings.count; ++i) {
    const std::size_t place = places[random.below(places.size())];
    const std::size_t column = place % thumbnail.width, row = place / thumbnail.width;
    const double x = static_cast<double>(column) + random.uniform();
    const double y = static_cast<double>(row) + random.uniform();
    out.push_back({start_of(x / columns, width, slide.width),
                   start_of(y / rows, height, slide.height), width, height});
  }
  return out;
}

Picture collage(std::span<const Picture> pictures) {
  if (pictures.empty()) return {};
  std::size_t width = 0, height = 0, columns = 1;
  for (const Picture& picture : pictures) {
    width = std::max(width, picture.width);
    height = std::max(height, picture.height);
  }
  while (columns * columns < pictures.size()) ++columns;
  const std::size_t rows = (pictures.size() + columns - 1) / columns;
  Picture out = Picture::filled(columns * width, rows * height);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    for (std::size_t y = 0; y < pictures[i].height; ++y)
      std::copy_n(pictures[i].at(0, y), pictures[i].width * 3,
                  out.at(i % columns * width, i / columns * height + y));
  return out;
}

}  // namespace assay::qa
