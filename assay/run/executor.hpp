// SPDX-License-Identifier: Apache-2.0
/// The cores of this machine for the pure layers.
#pragma once

#include "assay/core/executor.hpp"

namespace assay {

/// Runs tasks on up to `jobs` threads of oneTBB; 1 gives the empty executor, 0 means all cores.
Executor tbb_executor(unsigned jobs);

}  // namespace assay
