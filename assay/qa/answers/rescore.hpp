// SPDX-License-Identifier: Apache-2.0
/// Saved answers read again: with other rules, or with what the table knows about the questions.
#pragma once

#include "assay/qa/answers/extract.hpp"
#include "assay/qa/values/item.hpp"
#include "assay/qa/values/result.hpp"

namespace assay::qa {

/// Labels from the saved texts by these rules; runs that gave no answer stay what they are.
QaResult rescored(QaResult result, ExtractionRules rules);

/// The results in the order of the table with slides and options; questions of the benchmark that
/// are not in the results count as skipped. Throws Error::input on an item that is not in the
/// table, an item that appears twice, or another truth.
QaResult completed(QaResult result, const ItemTable& table);

}  // namespace assay::qa
