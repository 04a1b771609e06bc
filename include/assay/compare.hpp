// SPDX-License-Identifier: Apache-2.0
/// Several models on the same cases: each against the baseline, all ranked, and by subgroup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/executor.hpp"
#include "assay/metrics.hpp"
#include "assay/named.hpp"
#include "assay/statistics.hpp"

namespace assay::compare {

// ---- What a comparison needs from a results file, whichever tool wrote it: a value per case and
// metric.

/// A value that is missing because the model failed: it predicted nothing where there was
/// something, or something where there was nothing.
struct FailedValue {
  std::size_t one_case = 0;  ///< position in the column
  /// Value where failures count; none when the file says too little.
  std::optional<double> counts{};
  std::string reason{}, label{};  ///< such as "prediction_empty" and "2"

  bool operator==(const FailedValue&) const = default;
};

/// One metric over the cases of a table.
struct MetricColumn {
  std::string name;                           ///< our key where the metric is one of ours
  std::vector<std::optional<double>> values;  ///< one per case; never NaN
  std::vector<FailedValue> failed{};          ///< by case; values that are missing are there
  /// Part of the file's layout, although nobody asked for it; compared only when asked for by name.
  bool is_extra = false;
  std::shared_ptr<const metrics::OwnMetric> own{};  ///< its row, where the file declares it
};

/// The metric that a column holds: as its file declares it, or one of ours.
std::optional<metrics::ChosenMetric> metric_of(const MetricColumn& column);

struct ResultTable;

/// What the model's failures do to the mean of a column: values that it left undefined, and cases
/// for which it has no prediction.
struct ColumnFailures {
  std::size_t failures = 0;
  std::optional<double> mean_with{};  ///< none when some failure has no value to count
};
ColumnFailures failures_of(const ResultTable& table, const MetricColumn& column);

/// The values with every failure counted, as far as it can be.
std::vector<std::optional<double>> with_failures(const MetricColumn& column);

/// The columns of one label or region.
struct LabelTable {
  std::string key, name;
  std::vector<MetricColumn> columns;
  std::vector<MetricColumn> derived{};
  bool is_union = false;  ///< a region, made of labels
};

/// A case that the file lists without a value.
struct UnscoredCase {
  std::string id, reason;
  bool failed = false;     ///< by the model's fault: its prediction is missing or unreadable
  double diagonal_mm = 0;  ///< of the image; 0 when the file does not say
};

struct ResultTable {
  std::string model_name;
  std::string source;            ///< the file, as given
  std::vector<std::string> ids;  ///< empty when the file has none; cases then pair only by position
  std::vector<std::string> file_ids{};      ///< as the file spells them, where `ids` were changed
  std::size_t cases = 0;                    ///< how many values each column has
  std::vector<MetricColumn> averages;       ///< per case, the unweighted mean over `averaged`
  std::vector<metrics::Region> averaged{};  ///< labels or regions; empty when the file has none
  /// What the file's evidence gives beyond the metrics that were asked for, averaged as they are:
  /// for figures, and never compared.
  std::vector<MetricColumn> derived{};
  std::vector<LabelTable> labels;
  /// What else is known about each case, such as its site: column name and one text per case.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::vector<UnscoredCase> unscored;
  std::vector<std::string> warnings{};  ///< what the file says is odd about the cohort as a whole
  metrics::LengthUnit unit = metrics::LengthUnit::mm;  ///< of distances
};

/// A label by key or by name. Throws Error::usage naming the available labels.
const LabelTable& label_of(const ResultTable& table, std::string_view label);

/// The columns of such a label, or the case averages for "".
const std::vector<MetricColumn>& columns_of(const ResultTable& table, std::string_view label);

/// How many values of labels are left out of the averages of their cases, although there is one.
std::size_t left_out_of_averages(const ResultTable& table, std::string_view metric);

/// The column of that name, or null.
const MetricColumn* column_of(const std::vector<MetricColumn>& columns, std::string_view name);

// ---- Which cases several results files have in common, and which had to be left out.

struct MatchOptions {
  bool intersect = false;    ///< continue with the common cases when the files differ
  bool by_position = false;  ///< the n-th value of each file is the same case
};

/// A case that some model lacks.
struct LeftOut {
  std::string id, model, reason;
};

struct Matching {
  std::vector<std::string> ids;  ///< sorted; positions from 1 when by position
  std::vector<std::vector<std::size_t>>
      places;  ///< by model: the position of each case in its table
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;
};

/// Version 0.1 named the cases of a BIDS tree by their paths. Where another table names cases by
/// entities (`sub-01_ses-2`), such paths are turned into entities.
void use_entity_ids(std::span<ResultTable> tables);

/// Throws Error::input when the files have different cases (and none of the options allows it), no
/// case in common, or no ids.
Matching matched_cases(std::span<const ResultTable> tables, const MatchOptions& options);

// ---- The numbers of a comparison: chosen metrics, by model and matched case, and the groups of
// cases.

/// A metric of one label, under the name that the files use, whether assay knows it or not.
struct ComparedMetric {
  std::string name;
  metrics::Better better = metrics::Better::higher;
  std::string label{};  ///< key or name of a label or region; "": the case average
  metrics::LengthUnit unit = metrics::LengthUnit::mm;  ///< of distances
  std::shared_ptr<const metrics::OwnMetric> own{};     ///< its row, where the files declare it
};

/// The metric that is compared, where its row is known.
std::optional<metrics::ChosenMetric> metric_of(const ComparedMetric& metric);

/// For sentences and titles: "dice", or "dice of WT".
std::string words(const ComparedMetric& metric);

/// "mm", "px", or "" for a ratio and for metrics whose row is not known.
std::string_view unit_of(const ComparedMetric& metric);

/// Whether values are compared by their distance from zero, whatever their sign.
inline bool is_by_magnitude(const ComparedMetric& metric) {
  return metric.better == metrics::Better::zero;
}

/// The `standard` metrics and the users' own that every table was scored in, for each of the labels
/// ("": the case average); if there are none, all metrics that they have in common.
std::vector<std::string> default_metrics(std::span<const ResultTable> tables,
                                         std::span<const std::string> labels);

struct MetricChoice {
  std::vector<std::string> asked{};            ///< empty: `default_metrics`
  std::vector<std::string> labels{};           ///< empty: the case averages
  std::vector<std::string> lower_is_better{};  ///< for metrics that are not in our table

  bool has_several_labels() const { return labels.size() > 1; }
  /// The one label that a page shows; "": the case averages.
  std::string first_label() const { return labels.empty() ? "" : labels.front(); }
};

/// The most columns, metrics times labels, that are compared or reported at a time. Nobody reads
/// more, and each has its tests and intervals.
inline constexpr std::size_t most_compared = 5000;

/// Every metric with every label, by metric first. Throws Error::usage when a file lacks a metric
/// or label that was asked for, naming what it has.
std::vector<ComparedMetric> metrics_to_compare(std::span<const ResultTable> tables,
                                               const MetricChoice& choice,
                                               std::vector<std::string>& notes);

/// The group columns of any table, in order of first appearance.
std::vector<std::string> group_columns(std::span<const ResultTable> tables);

/// Whether a column has the name of a cross-validation's folds or restarts: it says which training
/// a case was tested with, and is neither a metric nor a subgroup of patients.
bool is_fold_column(std::string_view column);

/// Whether a column's name says whose case it is; such a column is neither a metric nor a subgroup.
bool is_subject_column(std::string_view column);

/// The value of a group column for each matched case, from the first table that states it. Throws
/// Error::usage when no table has the column, naming the available ones.
std::vector<std::string> group_values(std::span<const ResultTable> tables, const Matching& matching,
                                      std::string_view column);

// ---- The numbers of a comparison: by model and matched case, with the model's failures counted or
// left out, and only of cases in which every model has a value.

/// What happens to values that are undefined through the model's fault: each counts as its metric's
/// row declares, or the case is left out. Values that are undefined through nobody's fault are
/// always left out.
enum class UndefinedPolicy { worst, exclude };

std::span<const Named<UndefinedPolicy>> undefined_policies();

/// A row per model, a column per matched case.
using ValueTable = std::vector<std::vector<std::optional<double>>>;

struct ComparedValues {
  /// A case has no value here if any model lacks one, so that every mean, test and rank of a metric
  /// is over the same cases.
  ValueTable values{};
  std::vector<std::vector<bool>> failed{};  ///< by model and case, whether failures count or not
  std::vector<std::size_t> without{};       ///< by model: cases without a value that can be counted
  /// Failures for which the files give no value, by model, and what they count as: the worst value
  /// of any model.
  std::vector<std::size_t> guessed{};
  std::optional<double> guess{};
};

ComparedValues compared_values(std::span<const ResultTable> tables, const Matching& matching,
                               const ComparedMetric& metric, UndefinedPolicy policy);

/// The values of some of the cases.
ComparedValues part_of(const ComparedValues& whole, std::span<const std::size_t> cases);

/// The values with their signs changed where needed, so that higher is better.
ValueTable as_gain(ValueTable values, metrics::Better better);

/// The table with the cases that the model lost through its own fault, because its prediction is
/// missing or unreadable: there it failed in every metric.
ResultTable with_lost_cases(ResultTable table);

// ---- Whether the algorithms differ, and not only the models that they trained: one difference per
// fold of a cross-validation, and the corrected resampled t test over them.

/// The folds that the matched cases were tested in.
struct TrainingFolds {
  std::vector<std::size_t> of_case{};  ///< by matched case
  std::size_t count = 0;               ///< 0: not asked for
  double test_share = 0;               ///< test cases over training cases, mean over folds
};

/// The first column names the fold, others the repetition of the cross-validation that it belongs
/// to; a fold is trained on all other cases of its repetition. Throws Error when files disagree, a
/// case has no fold, or a repetition has fewer than two.
TrainingFolds training_folds(std::span<const ResultTable> tables, const Matching& matching,
                             std::span<const std::string> columns);

/// There is no verdict with fewer folds: with two, the spread comes from a single difference.
inline constexpr std::size_t least_folds = 3;

/// One algorithm against that of the baseline.
struct AlgorithmTest {
  std::size_t folds = 0;           ///< in which both have a value
  double test_share = 0;           ///< of `TrainingFolds`
  stats::TTest test{};             ///< corrected for overlapping training sets
  double level = 0.95;             ///< of the limits below, 1 - alpha
  stats::Interval difference{};    ///< of the means, model - baseline
  stats::Interval difference95{};  ///< the same at 95 %, whatever alpha is
  double corrected_p_value = 1;
  bool is_significant = false;  ///< after the correction; never with fewer than `least_folds`
};

/// Values by matched case. None when fewer than two folds have a value of both.
std::optional<AlgorithmTest> algorithm_test(const TrainingFolds& folds,
                                            std::span<const std::optional<double>> baseline,
                                            std::span<const std::optional<double>> model,
                                            double level = 0.95);

/// Corrects for the number of algorithms.
void correct_algorithms(std::span<AlgorithmTest* const> family, stats::Correction correction,
                        double alpha);

/// "different", "inconclusive" or "too_few_folds".
std::string_view verdict_name(const AlgorithmTest& found);

// ---- The order of the models in one metric by three rules, and how far to trust it.

/// Ranks are not resampled with fewer cases or clusters, or with fewer models. With six cases,
/// equal models seemed firmly ordered in one of seven cohorts, and two models already have their
/// test.
inline constexpr std::size_t least_resampled_blocks = 10, least_resampled_models = 3;

/// What resamples of the blocks say about one model's rank.
struct RankStability {
  double probability_best = 0;              ///< share of resamples in which it is first
  std::size_t rank_low = 0, rank_high = 0;  ///< places that hold the middle 95 % of resamples
  std::vector<double> places;               ///< P(place 1), P(place 2), ...
};

/// The place by tests of all pairs of models, as challengeR ranks (Wiesenfarth et al. 2021).
struct TestRank {
  std::size_t wins = 0;  ///< how many models it is significantly better than
  double rank = 0;       ///< by number of wins
};

/// In every rank 1 is the best, and equal models share the mean of their places.
struct ModelRank {
  double rank = 0;                           ///< of the mean over cases: aggregate, then rank
  double mean_rank = 0;                      ///< over blocks
  double rank_of_mean_rank = 0;              ///< rank, then aggregate
  std::optional<TestRank> by_tests{};        ///< none below `least_pairs` blocks
  std::optional<RankStability> stability{};  ///< none where `stability_gap` says why
};

/// Kendall's tau-b between the order of the means and the orders of the resamples; a resample in
/// which all models tie counts as 0.
struct OrderAgreement {
  double mean = 0, low = 0, high = 0;  ///< the limits hold the middle 95 % of resamples
};

struct Ranking {
  std::size_t n = 0;              ///< cases in which every model has a value; 0: no ranking
  std::size_t blocks = 0;         ///< what is independent: these cases, or their clusters
  bool has_clusters = false;      ///< whether the blocks are clusters, each the mean of its cases
  std::vector<ModelRank> models;  ///< in the order of the models
  std::optional<OrderAgreement> kendall_tau;  ///< where stability was assessed and the means differ
  std::optional<stats::FriedmanResult> friedman;  ///< for at least three models and six blocks
  std::optional<double> critical_difference;
};

struct RankingOptions {
  std::size_t replicates = 1000;
  std::uint32_t seed = 42;
  double alpha = 0.05;
  double tie_tolerance = 0;
  Executor executor{};
  std::span<const std::size_t> clusters{};  ///< of each case; empty: cases are independent
};

/// `scores` has a row per model and a column per case; higher is better.
Ranking ranking(std::span<const std::vector<double>> scores, const RankingOptions& options);

/// A sentence that says why the stability of ranks is not assessed; "" if it is.
std::string stability_gap(const Ranking& ranking);

/// "case" or "cluster", what the blocks are.
std::string_view block_word(const Ranking& ranking);

/// The same in a clause: "blocks are the 12 clusters, each the mean of its cases".
std::string block_note(const Ranking& ranking);

// ---- Several models on the same cases: each against the baseline, all ranked, and by subgroup.

struct CompareSettings {
  std::string baseline{};  ///< a model's name or file; "": the first of two
  MetricChoice choice{};
  UndefinedPolicy undefined = UndefinedPolicy::worst;
  double alpha = 0.05;
  stats::WilcoxonPolicy policy = stats::WilcoxonPolicy::exact;
  stats::Correction correction = stats::Correction::holm;
  std::optional<double> margin{};  ///< of equivalence, for every metric without one of its own
  std::vector<std::pair<std::string, double>> margins{};
  double tie_tolerance = 0;  ///< magnitudes closer than this are ties; below this they are zeros
  /// Corrects over one family of all models in all metrics by max-T, instead of one family per
  /// metric by `correction`.
  bool across_metrics = false;
  MatchOptions matching{};
  std::string cluster{};  ///< a group column; cases with the same value are not independent
  std::vector<std::string> folds{};  ///< group columns of folds: algorithms are compared, too
  std::optional<std::vector<std::string>> subgroups{};  ///< group columns; unset: all suitable ones
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
  std::size_t family = 1;  ///< how many models it was corrected for: those whose failures differ

  bool differs() const { return only_model + only_baseline != 0; }
};

/// One model against the baseline in one metric.
struct PairComparison {
  stats::ComparisonResult result;  ///< without pairs only the name is set
  std::size_t n = 0;               ///< pairs that were compared (clusters, if there are any)
  std::size_t undefined = 0;  ///< matched cases that are left out because some model has no value
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

// ---- A comparison in plain words.

/// What may be said about one model against the baseline, and no more: never "equivalent" because a
/// p-value is large.
std::string sentence(const MetricComparison& metric, const PairComparison& pair,
                     std::string_view baseline);

/// Whether the difference of the means has the opposite sign of a significant test. A few large
/// differences can dominate the means, but not the ranks.
bool means_point_elsewhere(const PairComparison& pair);

/// How often each failed, and the test of that; "" where they failed on the same cases.
std::string failure_sentence(const PairComparison& pair, std::string_view baseline,
                             std::size_t cases);

/// What may be said about the algorithms that trained the two models; "" where nothing was asked.
std::string algorithm_sentence(const MetricComparison& metric, const PairComparison& pair,
                               std::string_view baseline);

/// A number for people: three decimals, or two digits when it is smaller than that.
std::string plain_number(double value);

/// "p = 0.003" or "p < 0.001".
std::string plain_pvalue(double pvalue);

}  // namespace assay::compare
