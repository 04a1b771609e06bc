// SPDX-License-Identifier: Apache-2.0
/// Draws the items of bootstrap replicates, single or by whole clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/stats/random.hpp"

namespace assay {

class Resampler {
 public:
  /// `clusters` is empty or has one entry per item; anything else is an Error.
  Resampler(std::size_t size, std::span<const std::size_t> clusters,
            std::span<const std::uint32_t> seed);

  /// The next replicate; valid until the next call.
  std::span<const std::uint32_t> draw();

  /// How many units (items or clusters) there are, and all items but those of one unit.
  std::size_t units() const { return units_; }
  std::vector<std::uint32_t> without(std::size_t unit) const;

  std::vector<std::uint32_t> all() const;

 private:
  std::size_t size_, units_;
  std::vector<std::vector<std::size_t>> members_;  ///< empty: items are the units
  Generator generator_;
  std::vector<std::uint32_t> drawn_, items_;
};

}  // namespace assay
