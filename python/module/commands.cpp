// SPDX-License-Identifier: Apache-2.0
/// Every command of the program, called in this process.
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <sstream>

#include "assay/base/json.hpp"
#include "assay/own_metric.hpp"
#include "assay/results/own_metric_json.hpp"
#include "cli/program.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

using namespace std::chrono_literals;

/// The exception that a Python signal handler raised, or nothing.
std::optional<py::error_already_set> raised_by_signal() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return std::nullopt;
  return py::error_already_set();
}

/// A read-only array of booleans that the function may keep, with the axes x, y, z of `read_image`.
py::array bool_array(const View<std::uint8_t>& mask) {
  std::vector<py::ssize_t> sizes, strides;
  py::ssize_t stride = 1;
  for (const std::size_t size : mask.grid.shape) {
    sizes.push_back(static_cast<py::ssize_t>(size));
    strides.push_back(stride);
    stride *= sizes.back();
  }
  py::array array(py::dtype::of<bool>(), sizes, strides, mask.voxels.data());  // a copy
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Calls a Python function on one of our threads. `OwnMetric.measure` catches the exceptions of the
/// user's function; any other exception is a failure, too.
metrics::OwnValue call_function(py::handle function, const metrics::LabelMasks& masks) {
  const py::gil_scoped_acquire acquired;
  try {
    const Point mm = spacing_mm(masks.prediction.grid);
    const py::tuple found = function(bool_array(masks.prediction), bool_array(masks.reference),
                                     py::make_tuple(mm[0], mm[1], mm[2]), text_of(masks.label));
    metrics::OwnValue out;
    if (!found[0].is_none()) out.value = found[0].cast<double>();
    if (!found[1].is_none()) out.message = found[1].cast<std::string>();
    out.failed = !out.value && !out.message.empty();
    return out;
  } catch (const std::exception& e) {
    const std::string said = e.what();
    return {.failed = true, .message = said.substr(0, said.find('\n'))};
  }
}

/// The caller keeps the functions for as long as the command runs.
results::OwnMetrics functions_in(const py::list& own_metrics) {
  results::OwnMetrics out;
  for (const py::handle each : own_metrics) {
    const auto one = each.cast<py::tuple>();
    const py::handle function = py::object(one[1]);
    out.push_back(metrics::own_metric(
        results::parse_own_metric(parse_json(one[0].cast<std::string>(), "the declaration")),
        [function](const metrics::LabelMasks& masks) { return call_function(function, masks); }));
  }
  return out;
}

/// Runs the command on another thread, so that Ctrl-C reaches Python while the command works. The
/// command then stops in good order, as it does on a terminal, and the exception of Python's signal
/// handler is passed on to the caller.
py::tuple run(const std::vector<std::string>& arguments, const py::list& own_metrics) {
  std::ostringstream out, err;
  std::atomic<bool> stop = false;
  const results::OwnMetrics own = functions_in(own_metrics);
  auto work = std::async(std::launch::async, [&] {
    return cli::run_program(arguments, {.out = out, .err = err, .stop = stop, .own_metrics = own});
  });
  std::optional<py::error_already_set> raised;
  {
    const py::gil_scoped_release released;
    while (work.wait_for(20ms) != std::future_status::ready)
      if (!raised && (raised = raised_by_signal())) stop = true;
  }
  if (raised) throw py::error_already_set(*raised);
  const int status = work.get();
  return py::make_tuple(status, out.str(), err.str());
}

}  // namespace

void bind_commands(py::module_& module) {
  module.def(
      "run", run, py::arg("arguments"), py::arg("own_metrics") = py::list(),
      "(exit status, standard output, standard error); each own metric is its declaration as "
      "JSON, and a function of two masks, spacing and label that returns (value, message)");
}

}  // namespace assay::python
