// SPDX-License-Identifier: Apache-2.0
/// Results as one self-contained HTML page.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/compare.hpp"

namespace assay::report {

/// What to read.
struct StudyRequest {
  std::vector<std::string> files;      ///< results files, and folders of question-answering runs
  std::string title{};                 ///< "": made from the names of the models
  compare::CompareSettings compare{};  ///< the executor is set from `jobs`
  std::filesystem::path groups{};
  unsigned jobs = 1;
};

/// Where images may be; any of them can be empty.
struct ImageRoots {
  std::filesystem::path images{};                     ///< matched by case id
  std::filesystem::path predictions{}, references{};  ///< for paths in results; with a folder per
                                                      ///< model, or without
};

/// What to show.
struct ReportRequest {
  StudyRequest study;
  std::vector<std::string> cases{};  ///< to show besides the usual ones; ids of questions too
  ImageRoots roots{};
  bool wants_images = false;  ///< it is news if none is found
  bool with_niivue = false;
};

}  // namespace assay::report
