// SPDX-License-Identifier: Apache-2.0
/// What is known about a slide before any pixel is read. All coordinates are level-0 pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::slide {

/// A rectangle of the slide. (What metrics call a region is a union of labels.)
struct SlideRegion {
  std::int64_t x = 0, y = 0, width = 0, height = 0;

  bool operator==(const SlideRegion&) const = default;
};

struct SlideLevel {
  std::int64_t width = 0, height = 0;
  double downsample = 1;
};

struct SlideInfo {
  std::int64_t width = 0, height = 0;
  std::vector<SlideLevel> levels{};           ///< finest first; at least one
  std::optional<double> microns_per_pixel{};  ///< of level 0, as the file says
  std::string vendor{};

  /// None for values that no scanner has: files often state a screen's resolution (72 dpi is 353
  /// µm) or a wrong unit.
  std::optional<double> plausible_microns_per_pixel() const {
    constexpr double least = 0.05, most = 20;
    const bool plausible =
        microns_per_pixel && *microns_per_pixel >= least && *microns_per_pixel <= most;
    return plausible ? microns_per_pixel : std::nullopt;
  }
};

}  // namespace assay::slide
