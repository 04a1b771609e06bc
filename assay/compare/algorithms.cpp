// SPDX-License-Identifier: Apache-2.0
//
// A cross-validation trains one model per fold, and all cases of a fold share what that training
// happened to learn. A test over the pooled cases treats them as independent. It answers whether
// these trained models differ, and far too often says yes when the question is about the
// algorithms. The unit for algorithms is the training: one mean difference per fold. Training sets
// overlap, so these differences are not independent either, and Nadeau and Bengio (2003) widen the
// variance of their mean from s^2 / n to (1 / n + test / training) s^2. Restarts of one fold share
// all training and test cases and are averaged, not counted.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/error.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {
namespace {

/// What is known about one case must be the same in every table that has the column.
void require_agreement(const ResultTable& table, std::span<const std::size_t> places,
                       const Matching& matching, std::span<const std::string> values,
                       const std::string& column) {
  for (const auto& [name, texts] : table.groups) {
    if (name != column) continue;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::string& here = texts[places[i]]; !here.empty() && here != values[i])
        throw Error(Error::Kind::input,
                    fmt::format("--folds {}: case {} is in fold {}, but in {} in fold {}; "
                                "algorithms are compared on the same folds",
                                column, matching.ids[i], values[i], table.source, here));
  }
}

/// By matched case.
std::vector<std::string> agreed_values(std::span<const ResultTable> tables,
                                       const Matching& matching, const std::string& column) {
  std::vector<std::string> values = group_values(tables, matching, column);
  if (const auto gap = std::ranges::find(values, ""); gap != values.end())
    throw Error(Error::Kind::input,
                fmt::format("--folds {}: case {} has no value in that column; --groups CSV adds it",
                            column, matching.ids[static_cast<std::size_t>(gap - values.begin())]));
  for (std::size_t m = 0; m < tables.size(); ++m)
    require_agreement(tables[m], matching.places[m], matching, values, column);
  return values;
}

std::optional<double> mean_difference(const TrainingFolds& folds, std::size_t fold,
                                      std::span<const std::optional<double>> baseline,
                                      std::span<const std::optional<double>> model) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < folds.of_case.size(); ++i)
    if (folds.of_case[i] == fold && baseline[i] && model[i])
      differences.push_back(*model[i] - *baseline[i]);
  return differences.empty() ? std::nullopt : std::optional(stats::mean(differences));
}

}  // namespace

TrainingFolds training_folds(std::span<const ResultTable> tables, const Matching& matching,
                             std::span<const std::string> columns) {
  const std::size_t cases = matching.ids.size();
  std::vector<std::string> repetitions(cases);
  for (const std::string& column : columns.subspan(1)) {
    const auto values = agreed_values(tables, matching, column);
    for (std::size_t i = 0; i < cases; ++i) repetitions[i] += values[i] + '\n';
  }
  const auto names = agreed_values(tables, matching, columns.front());
  std::map<std::string, std::size_t> sizes, fold_sizes, numbers;
  TrainingFolds out;
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string fold = repetitions[i] + names[i];
    out.of_case.push_back(numbers.emplace(fold, numbers.size()).first->second);
    ++sizes[repetitions[i]];
    ++fold_sizes[fold];
  }
  out.count = numbers.size();
  for (const auto& [fold, test] : fold_sizes) {
    const std::string repetition = fold.substr(0, fold.rfind('\n') + 1);
    const std::size_t training = sizes[repetition] - test;
    if (training == 0)
      throw Error(Error::Kind::usage,
                  "--folds " + joined(columns, ",") +
                      ": all cases are in one fold; a statement about algorithms needs at least "
                      "two trainings");
    out.test_share +=
        static_cast<double>(test) / static_cast<double>(training) / static_cast<double>(out.count);
  }
  return out;
}

std::optional<AlgorithmTest> algorithm_test(const TrainingFolds& folds,
                                            std::span<const std::optional<double>> baseline,
                                            std::span<const std::optional<double>> model,
                                            double level) {
  std::vector<double> differences;
  for (std::size_t fold = 0; fold < folds.count; ++fold)
    if (const auto found = mean_difference(folds, fold, baseline, model))
      differences.push_back(*found);
  if (differences.size() < 2) return {};
  const stats::ResampledT found = stats::resampled_t(differences, folds.test_share, level);
  AlgorithmTest out = {
      .folds = differences.size(),
      .test_share = folds.test_share,
      .test = found.test,
      .level = level,
      .difference = found.difference,
      .difference95 = stats::resampled_t(differences, folds.test_share).difference};
  const bool equal = std::ranges::all_of(differences, [](double d) { return d == 0; });
  if (equal) out.test = {.t = 0, .pvalue = 1, .df = found.test.df};
  out.corrected_p_value = out.test.pvalue;
  return out;
}

void correct_algorithms(std::span<AlgorithmTest* const> family, stats::Correction correction,
                        double alpha) {
  std::vector<double> pvalues;
  for (const AlgorithmTest* each : family) pvalues.push_back(each->test.pvalue);
  const stats::Adjusted adjusted = stats::adjust(pvalues, correction, alpha);
  for (std::size_t k = 0; k < family.size(); ++k) {
    family[k]->corrected_p_value = adjusted.pvalues[k];
    family[k]->is_significant = adjusted.reject[k] && family[k]->folds >= least_folds;
  }
}

std::string_view verdict_name(const AlgorithmTest& found) {
  if (found.folds < least_folds) return "too_few_folds";
  return found.is_significant ? "different" : "inconclusive";
}

}  // namespace assay::compare
