// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <utility>

#include "assay/error.hpp"
#include "assay/threads.hpp"

namespace assay {

Executor tbb_executor(unsigned jobs) {
  if (jobs == 1) return {};
  const int threads = jobs == 0 ? tbb::task_arena::automatic : static_cast<int>(jobs);
  return [threads](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    tbb::task_arena arena(threads);
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, tasks, task); });
  };
}

Executor stoppable(Executor executor, const std::atomic<bool>& stop) {
  return [executor = std::move(executor), &stop](std::size_t tasks,
                                                 const std::function<void(std::size_t)>& task) {
    if (stop) throw Error(Error::Kind::usage, "interrupted");
    run_tasks(executor, tasks, task);
  };
}

}  // namespace assay
