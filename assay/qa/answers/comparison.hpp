// SPDX-License-Identifier: Apache-2.0
/// Two runs over the same questions: which is better, and on which items they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/executor.hpp"
#include "assay/qa/values/result.hpp"
#include "assay/stats/bootstrap.hpp"
#include "assay/stats/mcnemar.hpp"
#include "assay/stats/score_intervals.hpp"

namespace assay::qa {

struct QaComparisonSettings {
  bool intersect = false;  ///< compare the common items where the runs have different ones
  std::size_t replicates = 1000;
  std::uint64_t seed = 42;
  double alpha = 0.05;  ///< of the test; intervals have the level 1 - alpha
  Executor executor = {};
  /// The names of the runs if neither models nor run ids distinguish them: their files.
  std::string first_name{}, second_name{};
};

/// How often each was right, and what that is worth. Differences are second - first.
struct PairedScore {
  std::size_t n = 0;
  std::size_t both_right = 0, only_first = 0, only_second = 0, both_wrong = 0;
  double first = 0, second = 0;  ///< the benchmark's metric
  /// The test of that metric and its interval: flips questions, or slides where these are shared.
  stats::ScoreDifference tested{};
  std::size_t clusters = 0;     ///< slides that were flipped; 0: questions were
  bool one_slide = false;       ///< all questions are on one slide: nothing is known of others
  double corrected_p = 1;       ///< by Holm, over benchmarks
  bool is_significant = false;  ///< after correction
  stats::McNemarResult exact{}, mid_p{};           ///< of plain accuracy, whatever the metric
  stats::BootstrapResult difference{};             ///< on the same resamples of items
  std::optional<stats::BootstrapResult> slides{};  ///< of slides; absent when each has one question
};

/// What tells the runs apart: "McNemar's exact test", "clustered McNemar test" ...
std::string_view test_name(stats::ClassificationMetric metric, const PairedScore& score);

/// An item that only one of the runs got right.
struct Flip {
  std::string item_id;
  std::int64_t truth_label = 0;
  std::optional<std::int64_t> first_label{}, second_label{};
  std::string first_prediction{}, second_prediction{};
};

struct QaComparison {
  std::string benchmark_name;
  std::string first_run{}, second_run{};  ///< names of models, of runs, or of their files
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  PairedScore all{};                            ///< items without a label are wrong
  std::optional<PairedScore> scored_by_both{};  ///< absent when no item is
  std::vector<Flip> lost{}, won{};              ///< right only in the first, only in the second
  std::vector<std::string> only_first{}, only_second{};  ///< ids that the other run has not
  std::size_t benchmarks = 1;                            ///< that p-values are corrected over
  double alpha = 0.05;                                   ///< of the tests
};

/// Pairs items by id. Throws Error::input when the benchmarks or the truths differ, when an id
/// repeats, when items are different and `intersect` is not set, or when none is common.
QaComparison qa_compare(const QaResult& first, const QaResult& second,
                        const QaComparisonSettings& settings = {});

/// Corrects the p-values of several benchmarks by Holm's procedure, those of all items and those of
/// items that both have scored each as a family of its own.
void correct_over_benchmarks(std::span<QaComparison> comparisons, double alpha);

}  // namespace assay::qa
