// SPDX-License-Identifier: Apache-2.0
/// The cores of this machine for the pure layers.
#pragma once

#include <atomic>

#include "assay/executor.hpp"

namespace assay {

/// How many of `jobs` threads (0: of all cores), the calling one included, tbb_executor can have:
/// fewer than asked for where a limit on processes is reached.
unsigned startable_threads(unsigned jobs);

/// Runs tasks on up to `jobs` threads of oneTBB; 1 gives the empty executor, 0 means all cores.
/// Where fewer threads can be started, it has those.
Executor tbb_executor(unsigned jobs);

/// The same, but once `stop` is set it throws Error instead of beginning anything more.
Executor stoppable(Executor executor, const std::atomic<bool>& stop);

}  // namespace assay
