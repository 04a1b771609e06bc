// SPDX-License-Identifier: Apache-2.0
/// The parts of the native module, one per file.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string_view>

namespace assay::stats {
struct Interval;
}

namespace assay::python {

namespace py = pybind11;

/// Text of files and messages, whatever bytes it holds: bytes that are not UTF-8 become U+FFFD.
py::str text_of(std::string_view utf8);

/// (estimate, lower, upper).
py::tuple tuple_of(const stats::Interval& interval);

void bind_counts(py::module_& module);
void bind_training_dice(py::module_& module);
void bind_tests(py::module_& module);
void bind_agreement(py::module_& module);
void bind_resampling(py::module_& module);
void bind_answers(py::module_& module);
void bind_images(py::module_& module);
void bind_threads(py::module_& module);
void bind_commands(py::module_& module);

}  // namespace assay::python
