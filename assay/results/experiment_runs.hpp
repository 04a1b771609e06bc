// SPDX-License-Identifier: Apache-2.0
/// The single runs of an experiment's file: their spreads, their subjects, their number.
#pragma once

#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/parity.hpp"

namespace assay::results {

struct TestRun {
  const Json* entry = nullptr;
  std::string place;       ///< folds[0].runs[2]
  std::string outer_fold;  ///< "" when the file does not say
};

/// The entries of `test_results`.
std::vector<TestRun> listed_runs(const Json& file);

/// The entries of every `folds[].runs[]`.
std::vector<TestRun> fold_runs(const Json& file);

/// `{mean, std, n, ddof}`; the SD is brought to ddof 0. Where the object does not say, it has
/// `usual_ddof`.
parity::SpreadReading spread_at(const Json& object, parity::SpreadOver over,
                                const std::string& place, double usual_ddof);

/// Adds what the runs of the file say in addition to its headline: spreads, single values, counts.
void add_runs(const Json& file, parity::Achieved& out);

}  // namespace assay::results
