// SPDX-License-Identifier: Apache-2.0
/// The native module `assay._core`: a thin layer over the library. Names, defaults and
/// documentation that people see are in the Python files of the package.
#include "python/module/module.hpp"

#include <filesystem>

#include "assay/error.hpp"
#include "assay/version.hpp"
#include "cli/commands.hpp"

namespace assay::python {

py::str text_of(std::string_view utf8) {
  const auto size = static_cast<py::ssize_t>(utf8.size());
  return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(utf8.data(), size, "replace"));
}

}  // namespace assay::python

namespace {

using assay::python::text_of;

/// Maps our one class of errors to three of Python's.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const assay::Error& error) {
    const bool outside = error.kind() == assay::Error::Kind::io;
    PyErr_SetObject(outside ? PyExc_OSError : PyExc_ValueError, text_of(error.what()).ptr());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string text = error.path1().string() + ": cannot be accessed; check the path (" +
                             error.code().message() + ")";
    PyErr_SetObject(PyExc_OSError, text_of(text).ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  pybind11::register_exception_translator(translate);
  module.attr("__version__") = assay::version();
  assay::python::bind_counts(module);
  assay::python::bind_training_dice(module);
  assay::python::bind_tests(module);
  assay::python::bind_agreement(module);
  assay::python::bind_resampling(module);
  assay::python::bind_answers(module);
  assay::python::bind_images(module);
  assay::python::bind_threads(module);
  assay::python::bind_commands(module);
}
