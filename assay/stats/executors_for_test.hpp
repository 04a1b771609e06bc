// SPDX-License-Identifier: Apache-2.0
/// Executors that bring hidden dependencies between tasks to light.
#pragma once

#include <thread>
#include <vector>

#include "assay/executor.hpp"

namespace assay::executors {

inline const Executor backwards = [](std::size_t tasks, const auto& task) {
  for (std::size_t i = tasks; i-- > 0;) task(i);
};

inline const Executor three_threads = [](std::size_t tasks, const auto& task) {
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < 3; ++k)
    threads.emplace_back([&task, tasks, k] {
      for (std::size_t i = k; i < tasks; i += 3) task(i);
    });
};

}  // namespace assay::executors
