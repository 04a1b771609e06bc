// SPDX-License-Identifier: Apache-2.0
/// Every command of the program, called in this process.
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <sstream>

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

/// Runs on another thread, so that Ctrl-C reaches Python while the command works: it then stops in
/// order, as it does on a terminal, and what the handler raised goes on to the caller.
py::tuple run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  std::atomic<bool> stop = false;
  auto work = std::async(std::launch::async, [&] {
    return cli::run_program(arguments, {.out = out, .err = err, .stop = stop});
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
  module.def("run", run, py::arg("arguments"), "(exit status, standard output, standard error)");
}

}  // namespace assay::python
