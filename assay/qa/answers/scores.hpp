// SPDX-License-Identifier: Apache-2.0
/// Scores of a question-answering run: pure functions of its results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/base/executor.hpp"
#include "assay/base/named.hpp"
#include "assay/qa/answers/majority.hpp"
#include "assay/qa/values/published_giant.hpp"
#include "assay/qa/values/result.hpp"
#include "assay/stats/bootstrap.hpp"
#include "assay/stats/effects.hpp"
#include "assay/stats/score_intervals.hpp"

namespace assay::qa {

/// What items without a label count as.
///   wrong    every expected item counts, and one without a label is wrong
///   scored   only items with a label count
enum class FailurePolicy { wrong, scored };

std::span<const Named<FailurePolicy>> failure_policies();

struct QaScoreSettings {
  std::size_t replicates = 1000;
  std::uint64_t seed = 42;
  FailurePolicy policy = FailurePolicy::wrong;  ///< which one is the headline
  Executor executor = {};
};

/// How many items of each outcome there are; their sum is `expected`.
struct QaLedger {
  std::array<std::size_t, 7> counts{};

  std::size_t count(Outcome outcome) const { return counts[static_cast<std::size_t>(outcome)]; }
  std::size_t expected() const;
  /// Whatever the answer is worth: without those that failed, were not asked or have no slide.
  std::size_t answered() const;
};

QaLedger ledger_of(std::span<const ItemResult> results);

/// The score under one policy.
struct PolicyScore {
  std::size_t n = 0, correct = 0;
  stats::ScoreInterval interval{};  ///< the headline's, by slide where slides are shared
  stats::BootstrapResult items{};   ///< as specified: items are resampled in table order
  std::optional<stats::BootstrapResult>
      slides{};                             ///< slides are; absent without several of several
  std::optional<stats::Interval> wilson{};  ///< of accuracy, of independent items
};

struct ClassScore {
  std::int64_t label = 0;
  std::string name{};  ///< the option, where all questions have the same ones
  std::size_t n = 0, predicted = 0, correct = 0;

  std::optional<double> recall() const;
  std::optional<double> precision() const;
};

/// How often a truth (row) was answered with a label (column) or with none.
struct ConfusionTable {
  std::vector<std::int64_t> labels{};              ///< ascending; of truths and predictions
  std::vector<std::vector<std::size_t>> counts{};  ///< by truth, then prediction
  std::vector<std::size_t> none{};                 ///< by truth
};

struct QaScores {
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  QaScoreSettings settings{};
  QaLedger ledger{};
  std::optional<PolicyScore> wrong{}, scored{};  ///< absent without any item to score
  double best = 0, worst = 0;                    ///< if all items without label were right, wrong
  std::vector<ClassScore> classes{};
  ConfusionTable confusion{};
  MajorityScores majority{};
  std::optional<double> vote_agreement{};  ///< share of votes for the winner, over items
  std::size_t slides = 0;
  bool one_slide = false;  ///< that all of several items are on: nothing is known of others
  std::optional<double> total_cost_usd{};  ///< nothing when a part is unknown
  std::optional<std::int64_t> total_tokens{};
  const PublishedBenchmark* published = nullptr;

  const std::optional<PolicyScore>& headline() const {
    return settings.policy == FailurePolicy::wrong ? wrong : scored;
  }
};

QaScores qa_scores(const QaResult& result, const QaScoreSettings& settings = {});

/// Each slide as a number; items without one are on slides of their own. Empty when no slide has
/// two items, or one slide has all: then there is nothing to resample by slide.
std::vector<std::size_t> slide_clusters(std::span<const ItemResult* const> items);

/// Whether several items are all on one slide.
bool on_one_slide(std::span<const ItemResult* const> items);

/// Predicted labels with -1 for none, as the specification scores them.
inline constexpr std::int64_t no_label = -1;

}  // namespace assay::qa
