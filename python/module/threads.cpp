// SPDX-License-Identifier: Apache-2.0
#include "python/module/threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
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

/// Threads that are kept from call to call.
struct KeptThreads {
  std::mutex mutex{};
  unsigned count = 1;
  pid_t process = 0;
  Executor executor{};
};

}  // namespace

Executor executor() {
  // Never destroyed: the threads do not exist in a forked child, and the destructor would wait for
  // them. For the same reason we never wait for the lock, which a thread of the parent may have
  // held, and we leak an executor that was made before the fork.
  static KeptThreads* kept = new KeptThreads;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const auto set = static_cast<unsigned>(threads.load());
  const unsigned count = set == 0 ? cores : std::min(set, cores);
  const std::unique_lock lock(kept->mutex, std::try_to_lock);
  if (!lock) return thread_executor(count);
  if (kept->process != 0 && kept->process != ::getpid()) new Executor(std::move(kept->executor));
  if (kept->process != ::getpid() || kept->count != count) {
    kept->executor = thread_executor(count);
    kept->process = ::getpid();
    kept->count = count;
  }
  return kept->executor;
}

void bind_threads(py::module_& module) {
  module.def("set_threads", set_threads, py::arg("count"));
  module.def("threads", [] { return threads.load(); });
}

}  // namespace assay::python
