// SPDX-License-Identifier: Apache-2.0
/// How pure code uses several cores: the caller says how tasks are run.
#pragma once

#include <cstddef>
#include <functional>

namespace assay {

/// Runs task(0) … task(tasks - 1), in any order and on any threads, and returns when all are done.
/// Empty: one after the other.
using Executor =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t)>& task)>;

inline void run_tasks(const Executor& executor, std::size_t tasks,
                      const std::function<void(std::size_t)>& task) {
  if (executor && tasks > 1) {
    executor(tasks, task);
  } else {
    for (std::size_t i = 0; i < tasks; ++i) task(i);
  }
}

}  // namespace assay
