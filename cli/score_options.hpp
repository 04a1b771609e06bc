// SPDX-License-Identifier: Apache-2.0
/// The options of everything that scores images, as typed; nothing is looked up or opened yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/score/cohort.hpp"
#include "cli/arguments.hpp"

namespace assay::cli {

/// The same for every command that has cases.
inline constexpr const char* groups_help =
    "Table that adds columns, such as site, by 'id' or BIDS 'participant_id': CSV or TSV";

struct ScoreOptions {
  std::string ref, ref_pattern, model, labels, dataset_json, groups;
  std::vector<std::string> regions;
  std::optional<long long> ignore_label;
  std::string foreground;
  std::string nsd_tolerance = "1";
  std::string lesion_rule, connectivity;  ///< empty: the convention's
  std::optional<double> min_lesion_ml;
  std::string metrics, convention, missing = "exclude", ci = "t", compat, format = "json", csv;
  double beta = 1;
  bool allow_affine_mismatch = false, anonymous = false, resume = false, keep_journal = false;
};

/// Which cases, labels and names.
void declare_cohort_options(Arguments& arguments, ScoreOptions& options);
/// Which metrics, under which rules, written how.
void declare_metric_options(Arguments& arguments, ScoreOptions& options);

/// Throws Error::usage on what cannot be meant.
metrics::ScoreSettings settings_of(const ScoreOptions& options);

/// The request but for the side that is scored.
score::CohortRequest request_of(const ScoreOptions& options);

}  // namespace assay::cli
