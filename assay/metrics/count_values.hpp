// SPDX-License-Identifier: Apache-2.0
/// Counts of two arrays of any number type, in place in the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "assay/base/half.hpp"
#include "assay/executor.hpp"
#include "assay/metrics.hpp"

namespace assay::metrics {

/// Contiguous numbers of one type.
struct ValuesView {
  using Pointer = std::variant<const std::uint8_t*, const std::int8_t*, const std::uint16_t*,
                               const std::int16_t*, const std::uint32_t*, const std::int32_t*,
                               const std::uint64_t*, const std::int64_t*, const Half*, const float*,
                               const double*>;
  Pointer values;
  std::size_t size = 0;
};

/// Foreground is a value above 0, or equal to `label`. Sizes must agree. NaN is an Error::input
/// that says where it is: a mask cannot hold it.
Confusion count_values(const ValuesView& prediction, const ValuesView& reference,
                       std::optional<double> label = {}, const Executor& executor = {});

/// Whether the values are those of a map: two or more different ones besides 0, at least one of
/// them not a whole number.
bool is_map(const ValuesView& values);

/// The same masks as one bit per value, as `pack_foreground` would leave them.
std::vector<std::uint64_t> packed_values(const ValuesView& values,
                                         std::optional<double> label = {});

}  // namespace assay::metrics
