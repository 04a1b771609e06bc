// SPDX-License-Identifier: Apache-2.0
/// Every command of the program, called in this process.
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <sstream>

#include "cli/program.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

using namespace std::chrono_literals;

/// Runs on another thread, so that Ctrl-C reaches Python while the command works: it then stops in
/// order, as it does on a terminal.
py::tuple run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  std::atomic<bool> stop = false;
  auto work = std::async(std::launch::async, [&] {
    return cli::run_program(arguments, {.out = out, .err = err, .stop = stop});
  });
  bool interrupted = false;
  {
    const py::gil_scoped_release released;
    while (work.wait_for(20ms) != std::future_status::ready) {
      const py::gil_scoped_acquire acquired;
      if (!interrupted && PyErr_CheckSignals() != 0) {
        interrupted = true;
        PyErr_Clear();
        stop = true;
      }
    }
  }
  const int status = work.get();
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return py::make_tuple(status, out.str(), err.str());
}

}  // namespace

void bind_commands(py::module_& module) {
  module.def("run", run, py::arg("arguments"), "(exit status, standard output, standard error)");
}

}  // namespace assay::python
