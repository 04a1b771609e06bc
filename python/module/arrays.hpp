// SPDX-License-Identifier: Apache-2.0
/// NumPy's arrays as views; the Python side has made them contiguous and checked their shape.
#pragma once

#include "assay/metrics/count_values.hpp"
#include "python/module/module.hpp"

namespace assay::python {

/// Bytes of one element of an array or a dtype. NumPy is asked, because pybind11 before 2.12 reads
/// the size at an offset that is right only for NumPy 1. For the same reason no array is made from
/// a dtype without strides.
inline py::ssize_t item_size(const py::object& of) {
  return of.attr("itemsize").cast<py::ssize_t>();
}

/// Throws TypeError for a type that holds no numbers.
metrics::ValuesView values_view(const py::array& array);

/// A float64 vector of the caller, without a copy when it is one already.
using Vector = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A new array of these values. Its shape is a list of sizes and not a number, because pybind11
/// then computes the strides from sizeof(T) and not from the dtype (see item_size).
template <class T>
py::array_t<T> array_of(std::span<const T> values) {
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(values.size())};
  return py::array_t<T>(shape, values.data());
}

inline std::span<const double> span_of(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace assay::python
