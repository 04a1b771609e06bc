// SPDX-License-Identifier: Apache-2.0
/// What a results file says about the run that wrote it: enough to see that it need not be run
/// again, and to show its table once more.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/cohort.hpp"

namespace assay::results {

struct SavedSummary {
  metrics::ChosenMetric metric;
  metrics::Summary summary;
  metrics::FailureEffect failures{};
};

/// A label or region, and its summaries.
struct SavedLabel {
  metrics::Region region;
  std::vector<SavedSummary> metrics;
};

struct FinishedRun {
  std::string text;  ///< the whole file
  std::string version, settings_sha256, model_name;
  std::vector<metrics::CaseRecord> cases;  ///< ids, groups, files and their hashes; no evidence
  metrics::Ledger ledger;
  std::vector<SavedSummary> metrics;
  std::vector<SavedLabel> labels;
};

/// Nothing when the file is absent, is not `assay.segmentation/1`, or does not name its settings.
std::optional<FinishedRun> read_finished_run(const std::filesystem::path& path);

}  // namespace assay::results
