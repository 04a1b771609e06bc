// SPDX-License-Identifier: Apache-2.0
/// Summaries and ledgers of results files, written and read from one list of keys.
#pragma once

#include "assay/base/json.hpp"
#include "assay/cohort.hpp"

namespace assay::results {

/// Adds the statistics of the distribution, from "mean" to "ci_clipped".
void add_statistics(Json& block, const metrics::Summary& summary);

/// Counts by reason; reasons that do not occur are left out.
Json reasons_json(const metrics::ReasonCounts& counts);

/// A summary from its n, its reasons and its statistics, as far as the block has them. Throws
/// Json::exception or Error where one has the wrong type.
metrics::Summary summary_of(const Json& block);

/// Whether the block has all members of a summary.
bool is_whole_summary(const Json& block);

/// `undefined` is left out when it is empty.
Json ledger_json(const metrics::Ledger& ledger, const Json& undefined);
/// Counts that are absent are 0.
metrics::Ledger ledger_of(const Json& block);

}  // namespace assay::results
