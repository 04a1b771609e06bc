// SPDX-License-Identifier: Apache-2.0
/// From what was asked to a list of cases: which files, which labels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/results/scored_files.hpp"
#include "assay/score/score_case.hpp"

namespace assay::score {

/// What to score, as asked for; nothing has been looked up.
struct CohortRequest {
  std::filesystem::path prediction, reference;  ///< files or folders; with a manifest: roots, or ""
  std::filesystem::path manifest{};             ///< CSV with id, prediction, reference
  std::string prediction_pattern{}, reference_pattern{};
  std::string model_name{};  ///< "": the name of the prediction folder or file
  /// What the first side is: predictions, or the images that they are to be made from. Names a
  /// column of the manifest, and is used in messages.
  std::string side = "prediction";

  std::string labels{};                ///< "", "all", or "1,2,3"
  std::vector<std::string> regions{};  ///< "whole=1,2,4"
  std::filesystem::path dataset_json{};
  std::filesystem::path groups{};  ///< table that adds columns to the cases
};

/// What will be scored.
struct Cohort {
  metrics::ScoreSettings settings;
  std::vector<CasePlan> cases;          ///< by id
  std::vector<std::string> notes;       ///< what was decided without being asked, for people
  std::vector<std::string> warnings{};  ///< what looks wrong before any file is opened
  bool labels_were_asked_for = false;   ///< on the command line, not by a file that lies there
  results::CaseRoots roots{};           ///< what the paths of the cases start from
};

/// Pairs files and settles labels. `settings` holds what does not depend on files. Throws Error
/// when the request cannot be met: no such folder, no case at all, two files for one case.
Cohort planned_cohort(const CohortRequest& request, metrics::ScoreSettings settings);

/// Every file that is read for the cohort: no result may overwrite these.
std::vector<std::filesystem::path> input_files(const Cohort& cohort);

}  // namespace assay::score
