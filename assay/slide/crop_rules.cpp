// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/crop_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::slide {
namespace {

/// Whether [start, start + length) lies in [0, end), without a sum that could overflow.
bool inside(std::int64_t start, std::int64_t length, std::int64_t end) {
  return start >= 0 && length > 0 && length <= end && start <= end - length;
}

}  // namespace

std::optional<std::string> crop_problem(const SlideRegion& r, const SlideInfo& slide) {
  if (inside(r.x, r.width, slide.width) && inside(r.y, r.height, slide.height)) return std::nullopt;
  const std::string asked =
      fmt::format("The crop x={}, y={}, width={}, height={}", r.x, r.y, r.width, r.height);
  if (r.width <= 0 || r.height <= 0)
    return asked + " is empty: width and height must be 1 or more.";
  return asked + fmt::format(
                     " does not lie inside the slide, which is {} x {} pixels: x and y must be 0 "
                     "or more, x + width at most {} and y + height at most {}.",
                     slide.width, slide.height, slide.width, slide.height);
}

std::size_t level_for(const SlideRegion& region, const SlideInfo& slide, std::int64_t longest,
                      double oversampling) {
  const auto side = static_cast<double>(std::max(region.width, region.height));
  const auto wanted = static_cast<double>(longest);
  const auto distance = [&](const SlideLevel& level) {
    return std::abs(side / level.downsample - wanted / oversampling);
  };
  const auto& levels = slide.levels;
  const auto closest = std::ranges::min_element(levels, {}, distance);
  auto chosen = static_cast<std::size_t>(closest - levels.begin());
  while (chosen > 0 && side / levels[chosen].downsample < wanted) --chosen;
  return chosen;
}

}  // namespace assay::slide
