// SPDX-License-Identifier: Apache-2.0
/// Exit statuses of the program.
#pragma once

namespace assay::cli {

enum Exit { done = 0, answer_is_no = 1, could_not = 2, some_failed = 3, interrupted = 130 };

}  // namespace assay::cli
