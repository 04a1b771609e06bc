// SPDX-License-Identifier: Apache-2.0
/// What the replicates of a bootstrap are drawn from: items, or whole clusters of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/stats/draw_blocks.hpp"

namespace assay::stats {

class Resampler {
 public:
  /// `clusters` is empty or has one entry per item; anything else is an Error.
  Resampler(std::size_t size, std::span<const std::size_t> clusters,
            std::span<const std::uint32_t> seed);

  /// The units (items or clusters) of each replicate, from the first on.
  ReplicateDraws draws() const;

  /// The items of drawn units; where these are clusters, in `items`.
  std::span<const std::uint32_t> items_of(std::span<const std::uint32_t> units,
                                          std::vector<std::uint32_t>& items) const;
  bool clustered() const { return !members_.empty(); }

  /// How many units there are, and all items but those of one unit.
  std::size_t units() const { return units_; }
  std::vector<std::uint32_t> without(std::size_t unit) const;

  std::vector<std::uint32_t> all() const;

 private:
  std::size_t size_, units_;
  std::vector<std::vector<std::size_t>> members_;  ///< empty: items are the units
  Pcg64 bits_;
};

}  // namespace assay::stats
