// SPDX-License-Identifier: Apache-2.0
#include "python/module/threads.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "assay/error.hpp"
#include "assay/threads.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

std::atomic<int> threads = 0;  // 0: all cores; a setting of the process, as in NumPy and torch

void set_threads(int count) {
  if (count < 0)
    throw Error(Error::Kind::usage, "the number of threads must be 0 (all cores) or more, not " +
                                        std::to_string(count));
  threads = count;
}

}  // namespace

Executor executor() {
  // oneTBB complains on standard error about more threads than it has cores for.
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return tbb_executor(std::min(static_cast<unsigned>(threads.load()), cores));
}

void bind_threads(py::module_& module) {
  module.def("set_threads", set_threads, py::arg("count"));
  module.def("threads", [] { return threads.load(); });
}

}  // namespace assay::python
