// SPDX-License-Identifier: Apache-2.0
/// Parts that the files of question answering share.
#pragma once

#include <optional>

#include "assay/base/json.hpp"
#include "assay/qa.hpp"

namespace assay::qa {

/// metrics, total_cost_usd, total_tokens, ledger, classes, confusion.
Json scores_json(const QaScores& scores);

}  // namespace assay::qa
