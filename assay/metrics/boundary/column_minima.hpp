// SPDX-License-Identifier: Apache-2.0
/// One step of a separable distance transform, for all columns of a cache line at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::metrics {

/// Columns that lie side by side in one line of the cache: 16 of integers, 8 of doubles.
template <class Value>
constexpr std::ptrdiff_t columns_per_line = 64 / static_cast<std::ptrdiff_t>(sizeof(Value));

/// For each column and each requested position, the least height + cost over the candidates.
template <class Value>
struct ColumnMinima {
  const Value* heights = nullptr;        ///< a line for each candidate
  std::span<const std::int32_t> places;  ///< of the candidates, ascending; at least one
  const Value* cost = nullptr;           ///< [candidate's place - place asked for], convex
  std::span<const std::int32_t> asked;   ///< places, ascending
  Value slack{};  ///< how far rounding can move equal sums apart; integers: 0
};

/// Writes a line for each requested position. Defined for std::int32_t and for double.
template <class Value>
void write_minima(const ColumnMinima<Value>& problem, std::span<Value* const> lines);

}  // namespace assay::metrics
