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
  compare::CompareSettings compare{};  ///< everything else has its executor, too
  std::filesystem::path groups{};
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
  std::filesystem::path figures{};  ///< a folder for the figures as files of their own; "": none
};

/// What was written.
struct WrittenReport {
  std::vector<std::string> models{};   ///< names
  std::size_t bytes = 0;               ///< of the page
  std::size_t cases = 0;               ///< of all models
  std::size_t questions = 0;           ///< results files of question answering
  std::vector<std::string> figures{};  ///< keys
  std::vector<std::string> shown{};    ///< ids of the cases that can be looked at
  std::size_t images = 0;              ///< of those, with an image under the masks
  std::size_t asked_and_absent = 0;    ///< cases that were asked for and could not be shown
  std::vector<std::string> notes{};    ///< what was decided without being asked, in sentences
  std::vector<std::string> dropped{};  ///< what the budget of bytes left out, in sentences
  std::string figure_files{};          ///< which files of figures there are, in a sentence
};

/// Reads the results, compares models that share cases, and writes the page to `out`, which appears
/// whole or not at all. Throws Error naming file and fault; nothing is written then.
WrittenReport write_report(const ReportRequest& request, const std::filesystem::path& out);

}  // namespace assay::report
