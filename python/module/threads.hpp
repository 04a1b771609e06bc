// SPDX-License-Identifier: Apache-2.0
/// How many cores the functions of arrays may use, one setting for the whole package.
#pragma once

#include "assay/executor.hpp"

namespace assay::python {

/// Runs tasks on as many threads as `set_threads` allows.
Executor executor();

}  // namespace assay::python
