// SPDX-License-Identifier: Apache-2.0
/// Mid-ranks, and the signed ranks that paired tests are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::stats {

/// 1-based ranks; equal values share the mean of their places.
struct MidRanks {
  std::vector<double> ranks;        ///< in the order of the values
  std::vector<std::size_t> groups;  ///< how many values share each rank, in ascending order
};

/// Values must not be NaN.
MidRanks mid_ranks(std::span<const double> values);

/// What happens to differences of exactly zero: dropped before ranking (wilcox), ranked and then
/// dropped (pratt), or ranked and shared between both sides (zsplit).
enum class ZeroMethod { wilcox, pratt, zsplit };

/// The ranks of |d| by the sign of d, summed up.
struct SignedRanks {
  std::size_t pairs = 0;           ///< all differences
  std::size_t zeros = 0;           ///< differences of zero
  std::size_t ties = 0;            ///< non-zero differences that share their magnitude with another
  std::size_t ranked = 0;          ///< how many were ranked: without zeros for `wilcox`
  double plus = 0, minus = 0;      ///< rank sums by sign
  double tie_term = 0;             ///< sum of t^3 - t, as the normal approximation wants it
  std::uint64_t doubled_plus = 0;  ///< twice the rank sum of the positive differences
  std::vector<std::uint32_t> doubled;  ///< twice the ranks of the non-zero differences, ascending
};

/// Differences must not be NaN; infinite ones rank last. Magnitudes that differ by no more than
/// `tolerance` from the least of their group are ties (0: only equal numbers are).
SignedRanks signed_ranks(std::span<const double> differences, ZeroMethod method,
                         double tolerance = 0);

}  // namespace assay::stats
