// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/resampler.hpp"

#include <algorithm>
#include <numeric>

#include "assay/error.hpp"
#include "assay/stats/clusters.hpp"

namespace assay::stats {

Resampler::Resampler(std::size_t size, std::span<const std::size_t> clusters,
                     std::span<const std::uint32_t> seed)
    : size_(size), units_(size), members_(cluster_members(clusters)), bits_(SeedSequence(seed)) {
  if (size == 0 || size >= 0xFFFFFFFFU)
    throw Error(Error::Kind::input, "a bootstrap needs at least one item and fewer than 2^32");
  if (!clusters.empty() && clusters.size() != size)
    throw Error(Error::Kind::input, "a cluster bootstrap needs one cluster for each item");
  if (!clusters.empty()) units_ = members_.size();
}

ReplicateDraws Resampler::draws() const {
  return {bits_, static_cast<std::uint32_t>(units_), units_};
}

std::span<const std::uint32_t> Resampler::items_of(std::span<const std::uint32_t> units,
                                                   std::vector<std::uint32_t>& items) const {
  if (members_.empty()) return units;
  items.clear();
  for (const std::uint32_t unit : units)
    for (const std::size_t item : members_[unit]) items.push_back(static_cast<std::uint32_t>(item));
  return items;
}

std::vector<std::uint32_t> Resampler::all() const {
  std::vector<std::uint32_t> items(size_);
  std::iota(items.begin(), items.end(), 0U);
  return items;
}

std::vector<std::uint32_t> Resampler::without(std::size_t unit) const {
  std::vector<std::uint32_t> items = all();
  if (members_.empty()) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(unit));
  } else {
    const auto& left_out = members_[unit];  // ascending
    std::erase_if(items, [&](std::uint32_t item) {
      return std::binary_search(left_out.begin(), left_out.end(), std::size_t{item});
    });
  }
  return items;
}

}  // namespace assay::stats
