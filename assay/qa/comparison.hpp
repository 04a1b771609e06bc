// SPDX-License-Identifier: Apache-2.0
/// Two runs over the same questions: which is better, and on which items they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/executor.hpp"
#include "assay/qa/result.hpp"
#include "assay/stats/bootstrap.hpp"
#include "assay/stats/mcnemar.hpp"

namespace assay {

struct QaComparisonSettings {
  bool intersect = false;  ///< compare the common items where the runs have different ones
  std::size_t replicates = 1000;
  std::uint64_t seed = 42;
  Executor executor = {};
  /// What the runs are called where neither models nor run ids tell them apart: by their files.
  std::string first_name{}, second_name{};
};

/// Who was right how often, and what to hold of it. Differences are second - first.
struct PairedScore {
  std::size_t n = 0;
  std::size_t both_right = 0, only_first = 0, only_second = 0, both_wrong = 0;
  double first = 0, second = 0;  ///< the benchmark's metric
  McNemarResult exact{}, mid_p{};
  BootstrapResult difference{};             ///< on the same resamples of items
  std::optional<BootstrapResult> slides{};  ///< of slides; absent when each has one question
};

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
  ClassificationMetric metric = ClassificationMetric::accuracy;
  PairedScore all{};                            ///< items without a label are wrong
  std::optional<PairedScore> scored_by_both{};  ///< absent when no item is
  std::vector<Flip> lost{}, won{};              ///< right only in the first, only in the second
  std::vector<std::string> only_first{}, only_second{};  ///< ids that the other run has not
};

/// Pairs items by id. Throws Error::input when the benchmarks or the truths differ, when an id
/// repeats, when items are different and `intersect` is not set, or when none is common.
QaComparison qa_compare(const QaResult& first, const QaResult& second,
                        const QaComparisonSettings& settings = {});

}  // namespace assay
