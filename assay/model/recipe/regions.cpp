// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/regions.hpp"

#include <algorithm>
#include <numeric>

#include "assay/error.hpp"

namespace assay::model {
namespace {

bool is_smaller(const OutputRegion& one, const OutputRegion& other) {
  return one.labels.size() < other.labels.size();
}

bool has_label(const OutputRegion& region, std::uint8_t label) {
  return std::ranges::find(region.labels, label) != region.labels.end();
}

}  // namespace

std::vector<PaintedRegion> painting_order(const std::vector<OutputRegion>& regions) {
  std::vector<std::size_t> channels(regions.size());
  std::iota(channels.begin(), channels.end(), std::size_t{0});
  std::ranges::stable_sort(
      channels, [&](std::size_t a, std::size_t b) { return is_smaller(regions[b], regions[a]); });
  std::vector<PaintedRegion> out;
  for (const std::size_t channel : channels) {
    const OutputRegion& region = regions[channel];
    const auto own = std::ranges::find_if(region.labels, [&](std::uint8_t label) {
      return std::ranges::none_of(regions, [&](const OutputRegion& other) {
        return is_smaller(other, region) && has_label(other, label);
      });
    });
    if (own == region.labels.end())
      throw Error(Error::Kind::input, "regions: every label of " + region.name +
                                          " is also in a smaller region, so the rest of it would "
                                          "have none; give it a label of its own");
    out.push_back({channel, *own});
  }
  return out;
}

}  // namespace assay::model
