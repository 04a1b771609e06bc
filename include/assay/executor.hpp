// SPDX-License-Identifier: Apache-2.0
/// How pure code uses several cores without starting threads: the owner of the threads passes them
/// in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace assay {

/// Calls task(0) ... task(tasks - 1) in any order, possibly several at once, and returns when all
/// are done; rethrows an exception of a task. Empty means one after the other.
using Executor =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t)>& task)>;

inline void run_tasks(const Executor& executor, std::size_t tasks,
                      const std::function<void(std::size_t)>& task) {
  if (executor) return executor(tasks, task);
  for (std::size_t i = 0; i < tasks; ++i) task(i);
}

/// The same for short tasks: each thread runs many of them in a row.
template <class Task>
void run_short_tasks(const Executor& executor, std::size_t count, Task task) {
  constexpr std::size_t together = 64;
  run_tasks(executor, (count + together - 1) / together, [&](std::size_t block) {
    const std::size_t end = std::min(count, (block + 1) * together);
    for (std::size_t i = block * together; i < end; ++i) task(i);
  });
}

}  // namespace assay
