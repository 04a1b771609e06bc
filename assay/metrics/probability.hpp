// SPDX-License-Identifier: Apache-2.0
/// From a map of probabilities and a mask to the evidence for every probability metric.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// The masks are as `pack_foreground` leaves them, with a bit for every value of the map.
struct ProbabilityScene {
  ProbabilityView prediction;
  std::span<const std::uint64_t> reference;
  std::span<const std::uint64_t> ignored{};  ///< voxels that are not counted at all; may be empty
};

/// Every value must lie between 0 and 1. Exact: the only bins are those of the calibration error.
ProbabilityEvidence probability_evidence(const ProbabilityScene& scene);

// Sorting whole numbers by their digits.

/// Ascending, in time that grows only with the number of keys. Digits that all numbers share are
/// skipped, so a narrow range is cheap.
template <std::unsigned_integral Key>
void radix_sort(std::vector<Key>& keys, std::vector<Key>& scratch) {
  constexpr unsigned digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  scratch.resize(keys.size());
  for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += digit_bits) {
    const auto digit = [shift](Key key) {
      return static_cast<std::size_t>(key >> shift) & (digits - 1);
    };
    std::array<std::size_t, digits> start{};
    for (const Key key : keys) ++start[digit(key)];
    if (keys.empty() || start[digit(keys.front())] == keys.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& place : start) sum += std::exchange(place, sum);
    for (const Key key : keys) scratch[start[digit(key)]++] = key;
    keys.swap(scratch);
  }
}

}  // namespace assay::metrics
