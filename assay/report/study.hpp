// SPDX-License-Identifier: Apache-2.0
/// What a report is made from: everything that was read, in one value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/compare.hpp"
#include "assay/compare/cross_validation.hpp"
#include "assay/parity.hpp"
#include "assay/qa.hpp"
#include "assay/results/label_curves.hpp"

namespace assay::report {

/// One results file of question answering: a benchmark as one model answered it.
struct QaStudyPart {
  std::string source;   ///< the file, as given
  qa::QaResult result;  ///< items with truths, labels, votes, costs
  qa::QaScores scores;  ///< of `result`
};

/// One cross-validation, made of the runs of one model.
struct FoldsStudyPart {
  std::string name, source;
  compare::CrossValidation result;
};

/// What a results file says about how it was made, if anything.
struct ResultSettings {
  std::string convention{};  ///< "": the file does not say
  std::string version{};     ///< of the program that wrote it
  bool is_scored_here{};     ///< by assay itself, not by another program whose values were read
  /// Name and value of every setting, in order, such as nsd_tolerance and 1.
  std::vector<std::pair<std::string, std::string>> settings{};
};

/// Everything that was read. Any part may be empty.
struct Study {
  std::string title;
  std::vector<compare::ResultTable> models{};  ///< names are distinct
  std::vector<std::string> ids{};  ///< every case of any model, sorted; marks refer to positions
  std::vector<std::string> metrics{};  ///< asked for by name; empty: those that were scored
  std::optional<compare::Comparison> comparison{};  ///< of the models, if at least two share cases
  /// The same without the cases in which a model failed. None if no failure counts, or if too few
  /// cases are left. It has no subgroups, and its ranks must not be used.
  std::optional<compare::Comparison> without_failures{};
  std::vector<ResultSettings> settings{};  ///< by model; empty when no file says anything
  std::vector<std::vector<results::LabelCurves>> curves{};  ///< by model, then by label
  std::vector<parity::ParityReport> parity{};
  std::vector<FoldsStudyPart> folds{};
  std::vector<QaStudyPart> qa{};
};

/// Compares the models of a study, with their failures and without. Throws Error for what cannot be
/// compared.
void compare_models(Study& study, const compare::CompareSettings& settings);

/// Says what the value of a case is: the mean over some labels or regions, or one of them. "" if
/// the files have one label or none.
std::string averaged_note(const Study& study);

/// The metric that a key of the study means: one that a file declares, or one of ours.
std::optional<metrics::ChosenMetric> metric_in(const Study& study, std::string_view key);

/// The unit of distances.
metrics::LengthUnit length_unit(const Study& study);

}  // namespace assay::report
