// SPDX-License-Identifier: Apache-2.0
/// The cores of this machine for the pure layers.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "assay/executor.hpp"

namespace assay {

/// Runs tasks on up to `jobs` threads, the calling one included; 1 gives the empty executor, 0
/// means all cores. A task may run tasks of its own on it. The threads end with the last copy of
/// the executor. Where a limit on processes allows fewer threads, it uses those and passes a
/// sentence to `warn`.
Executor thread_executor(unsigned jobs, const std::function<void(const std::string&)>& warn = {});

/// The same, but once `stop` is set it throws Error instead of beginning anything more.
Executor stoppable(Executor executor, const std::atomic<bool>& stop);

}  // namespace assay
