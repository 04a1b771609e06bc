// SPDX-License-Identifier: Apache-2.0
/// Separate threads for work that waits (for a program, a disk, its turn at a model), and for files
/// read one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {

/// "only 3 of 8 threads could be started, …": for standard error.
inline std::string few_threads(std::size_t started, std::size_t wanted) {
  return "only " + std::to_string(started) + " of " + std::to_string(wanted) +
         " threads could be started, so this takes longer; the limit on processes may be reached "
         "(ulimit -u)";
}

/// Calls work() on up to `threads` threads at once, the calling one included, and returns when all
/// are done. The threads share the work. If the system refuses to start more, the ones already
/// started do all of it, and `warn` gets a sentence. Rethrows the first exception of a thread.
template <class Work>
void on_own_threads(std::size_t threads, Work work,
                    const std::function<void(const std::string&)>& warn = {}) {
  std::vector<std::exception_ptr> troubles(threads);
  const auto guarded = [&](std::size_t i) {
    try {
      work();
    } catch (...) {
      troubles[i] = std::current_exception();
    }
  };
  std::size_t started = 1;
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    try {
      for (; started < threads; ++started)
        running.emplace_back([&guarded, i = started] { guarded(i); });
    } catch (const std::system_error&) {  // a limit on processes
    } catch (const std::bad_alloc&) {
    }
    if (started < threads && warn) warn(few_threads(started, threads));
    guarded(0);
  }
  for (const std::exception_ptr& trouble : troubles)
    if (trouble) std::rethrow_exception(trouble);
}

/// Calls task(0) ... task(tasks - 1), handing them out in order to up to `threads` threads.
template <class Task>
void each_on_own_threads(std::size_t tasks, std::size_t threads, Task task) {
  std::atomic<std::size_t> next = 0;
  on_own_threads(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(tasks, 1)), [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < tasks;) task(i);
  });
}

}  // namespace assay
