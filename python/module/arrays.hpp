// SPDX-License-Identifier: Apache-2.0
/// NumPy's arrays as views; the Python side has made them contiguous and settled their shape.
#pragma once

#include "assay/metrics/count_values.hpp"
#include "python/module/module.hpp"

namespace assay::python {

/// Throws TypeError for a type that holds no numbers.
ValuesView values_view(const py::array& array);

/// A float64 vector of the caller, without a copy when it is one already.
using Vector = py::array_t<double, py::array::c_style | py::array::forcecast>;

inline std::span<const double> span_of(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace assay::python
