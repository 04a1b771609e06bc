// SPDX-License-Identifier: Apache-2.0
/// Several models on the same cases: each against the baseline, all ranked, and by subgroup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/compare/algorithms.hpp"
#include "assay/compare/compared_values.hpp"
#include "assay/compare/matching.hpp"
#include "assay/compare/metric_values.hpp"
#include "assay/compare/ranking.hpp"
#include "assay/compare/result_table.hpp"
#include "assay/metrics/results.hpp"
#include "assay/stats/compare.hpp"

namespace assay::compare {

struct CompareSettings {
  std::string baseline{};  ///< a model's name or file; "": the first of two
  MetricChoice choice{};
  UndefinedPolicy undefined = UndefinedPolicy::worst;
  double alpha = 0.05;
  stats::WilcoxonPolicy policy = stats::WilcoxonPolicy::exact;
  stats::Correction correction = stats::Correction::holm;
  std::optional<double> margin{};  ///< of equivalence, for every metric without one of its own
  std::vector<std::pair<std::string, double>> margins{};
  double tie_tolerance = 0;  ///< differences closer than this are ties, below it zeros
  /// One family of all models in all metrics, by max-T, not one per metric by `correction`.
  bool across_metrics = false;
  MatchOptions matching{};
  std::string cluster{};             ///< a group column: its cases are not independent
  std::vector<std::string> folds{};  ///< group columns of folds: algorithms are compared, too
  std::optional<std::vector<std::string>> subgroups{};  ///< group columns; unset: all that suit
  std::size_t replicates = 1000;
  std::uint32_t seed = 42;
  bool compat_spec = false;  ///< policy scipy-1.10 with the allclose shortcut
  Executor executor{};       ///< for the resamples; the numbers do not depend on it
};

struct ComparedModel {
  std::string name, source;
  std::size_t cases = 0;  ///< in its file
};

/// How often one model and the baseline failed on the same cases.
struct FailureTest {
  std::size_t model = 0, baseline = 0;            ///< cases in which it failed
  std::size_t only_model = 0, only_baseline = 0;  ///< and the other did not
  double p_value = 1, corrected_p_value = 1;      ///< exact McNemar test
  std::size_t family = 1;  ///< models that it was corrected for: those that fail on other cases

  bool differs() const { return only_model + only_baseline != 0; }
};

/// One model against the baseline in one metric.
struct PairComparison {
  stats::ComparisonResult result;  ///< without pairs only the name is set
  std::size_t n = 0;               ///< pairs that were compared (clusters, if there are any)
  std::size_t undefined = 0;  ///< matched cases that are left out, since some model has no value
  FailureTest failures{};
  std::optional<AlgorithmTest> algorithms{};  ///< over folds, where these were asked for
};

struct MetricComparison {
  ComparedMetric metric;
  std::optional<double> margin;
  std::vector<metrics::Summary> models{};  ///< over the cases that are compared, by model
  ComparedValues values{};
  std::vector<PairComparison> pairs{};  ///< all models but the baseline, in order
  Ranking ranking{};
};

/// The comparison repeated within the cases of one value of a group column.
struct Subgroup {
  std::string column, value;
  std::size_t cases = 0;
  std::vector<MetricComparison> metrics;  ///< without ranking
};

/// Does the difference of one model from the baseline depend on a group column? The Kruskal-Wallis
/// test of the differences by group.
struct Interaction {
  std::string column{};
  std::size_t metric = 0;  ///< its place in `Comparison::metrics`
  std::string model_name{};
  double h = 0, df = 0, p_value = 1;
  double corrected_p_value = 1;  ///< over the models
};

struct Comparison {
  CompareSettings settings;
  std::vector<ComparedModel> models{};
  std::size_t baseline = 0;
  Matching matching{};
  std::vector<MetricComparison> metrics{};
  std::vector<Subgroup> subgroups{};
  std::vector<Interaction> interactions{};  ///< by column, metric and model
  std::vector<std::string> notes{};         ///< what the reader should know, in sentences
};

/// Throws Error for what cannot be compared; see docs/comparison.md.
Comparison compare(std::vector<ResultTable> tables, const CompareSettings& settings);

}  // namespace assay::compare
