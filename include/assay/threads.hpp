// SPDX-License-Identifier: Apache-2.0
/// The cores of this machine for the pure layers.
#pragma once

#include <atomic>

#include "assay/executor.hpp"

namespace assay {

/// Runs tasks on up to `jobs` threads of oneTBB; 1 gives the empty executor, 0 means all cores.
Executor tbb_executor(unsigned jobs);

/// The same, but once `stop` is set it throws Error instead of beginning anything more.
Executor stoppable(Executor executor, const std::atomic<bool>& stop);

}  // namespace assay
