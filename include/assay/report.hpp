// SPDX-License-Identifier: Apache-2.0
/// Results as one self-contained HTML page.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/compare.hpp"

namespace assay::report {

/// What to read.
struct StudyRequest {
  std::vector<std::string> files;      ///< results files, and folders of question-answering runs
  std::string title{};                 ///< "": made from the names of the models
  compare::CompareSettings compare{};  ///< its executor is used for everything else, too
  std::filesystem::path groups{};
};

/// Where images may be; any of them can be empty.
struct ImageRoots {
  std::filesystem::path images{};                     ///< matched by case id
  std::filesystem::path predictions{}, references{};  ///< for paths in results; with a folder per
                                                      ///< model, or without
};

/// How large figures are on paper.
struct PaperSize {
  double width_mm = 180;
  double font_pt = 8;  ///< of usual text; that of ticks is a twelfth smaller
};

/// What to show.
struct ReportRequest {
  StudyRequest study;
  std::vector<std::string> cases{};  ///< to show besides the usual ones; ids of questions too
  ImageRoots roots{};
  bool wants_images = false;  ///< images were asked for, so say so if none is found
  bool with_niivue = false;
  std::filesystem::path since{};    ///< results of an older version of a model; "": none
  std::filesystem::path figures{};  ///< a folder for the figures as files of their own; "": none
  std::optional<PaperSize> figure_size{};  ///< of these files; unset: as on the page
};

// What changed between two versions of a model.

/// A setting that two files do not share; "" where a file does not have it.
struct SettingChange {
  std::string name, before, after;
};

struct ChangedCase {
  std::string id;
  double before = 0, after = 0;
};

/// One metric over the cases of both versions; failures of the model count.
struct MetricChange {
  std::string metric;
  std::size_t n = 0;
  std::optional<double> before{}, after{};  ///< means
  /// After - before: the Hodges-Lehmann estimate with its interval, and the mean.
  std::optional<double> difference{};
  std::optional<std::pair<double, double>> ci95{};
  std::optional<double> mean_difference{};
  std::string verdict{}, sentence{};
  std::vector<ChangedCase> better{}, worse{};  ///< the largest change first
  std::size_t same = 0;
};

/// A case that an older version was scored on.
struct NewFailure {
  std::string id, reason;
};

struct VersionChanges {
  std::string before_file, after_file;
  std::string before, after;  ///< names
  std::vector<MetricChange> metrics{};
  std::vector<NewFailure> failed{};
  std::vector<std::string> recovered{}, appeared{}, disappeared{};  ///< ids of cases
  std::vector<std::string> other_reference{};  ///< cases whose reference has another content
  bool is_stated = false;                      ///< both files say how they were scored
  std::vector<SettingChange> settings{};       ///< that differ
  std::vector<std::string> notes{};            ///< metrics whose meaning has changed, and why
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
  std::optional<VersionChanges> since{};
  std::string figure_files{};  ///< which files of figures there are, in a sentence
};

/// Reads the results, compares models that share cases, and writes the page to `out`, which appears
/// whole or not at all. Throws Error naming file and fault; nothing is written then.
WrittenReport write_report(const ReportRequest& request, const std::filesystem::path& out);

}  // namespace assay::report
