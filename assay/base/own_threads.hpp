// SPDX-License-Identifier: Apache-2.0
/// Threads for work that waits: for a program, a disk, its turn at a model.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace assay {

/// Calls work() on that many threads at once and returns when all are done. Rethrows the first
/// exception of a thread.
template <class Work>
void on_own_threads(std::size_t threads, Work work) {
  std::vector<std::exception_ptr> troubles(threads);
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        try {
          work();
        } catch (...) {
          troubles[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& trouble : troubles)
    if (trouble) std::rethrow_exception(trouble);
}

}  // namespace assay
