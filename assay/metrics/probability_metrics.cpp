// SPDX-License-Identifier: Apache-2.0
/// Metrics that are functions of a map of probabilities.
#include <cmath>

#include "assay/cohort.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"
#include "assay/stats/moments.hpp"

namespace assay::metrics {
namespace {

Score auroc(const ProbabilityEvidence& e) {
  if (e.positives == 0) return Undefined::reference_empty;
  return ratio(e.pairs_won, real(e.positives) * real(e.negatives()));
}

Score average_precision(const ProbabilityEvidence& e) {
  if (e.positives == 0) return Undefined::reference_empty;
  return ratio(e.precision_sum, real(e.positives));
}

Score brier(const ProbabilityEvidence& e) {
  return ratio(e.squared_error, real(e.voxels));
}

Score ece(const ProbabilityEvidence& e) {
  double sum = 0;
  for (const CalibrationBin& bin : e.bins) sum += std::abs(bin.sum - real(bin.positives));
  return ratio(sum, real(e.voxels));
}

constexpr EmptyRule needs_reference = {.both = Undefined::reference_empty,
                                       .reference = Undefined::reference_empty};

constexpr Metric probability_table[] = {
    {.name = "auroc",
     .title = "Area under the ROC curve",
     .brief = "AUROC",
     .also = "ROC AUC, AUC-ROC",
     .group = "probability",
     .equation = "(pairs of a foreground and a background voxel in the right order + ties / 2) / "
                 "all pairs",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = needs_reference,
     .failure = 0.0,
     .note = "Exact, ties by midrank. Near 1 for any map of a small lesion: read it with "
             "average_precision.",
     .reference = "Hanley and McNeil 1982",
     .formula = auroc},
    {.name = "average_precision",
     .title = "Average precision",
     .also = "AP",
     .group = "probability",
     .equation = "sum over thresholds of (recall - recall at the next higher one) precision",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = needs_reference,
     .failure = 0.0,
     .note = "As scikit-learn defines it: every distinct value is a threshold, no interpolation.",
     .reference = "Zhu 2004; scikit-learn",
     .formula = average_precision},
    {.name = "brier",
     .title = "Brier score",
     .brief = "Brier",
     .group = "probability",
     .equation = "mean of (probability - truth)^2 over voxels",
     .unit = "",
     .better = Better::lower,
     .range = {0, 1},
     .empty = {},
     .failure = 1.0,
     .note = "For the foreground class only, over all voxels; most are background, so it is small.",
     .reference = "Brier 1950",
     .formula = brier},
    {.name = "ece",
     .title = "Expected calibration error",
     .brief = "ECE",
     .group = "probability",
     .equation =
         "sum over 15 bins of voxels in bin / voxels |mean probability - share of foreground|",
     .unit = "",
     .better = Better::lower,
     .range = {0, 1},
     .empty = {},
     .failure = 1.0,
     .note = "Uses the probability of foreground, not of the most likely class, in 15 bins of "
             "equal width, closed above.",
     .reference = "Guo et al. 2017; Naeini et al. 2015",
     .formula = ece},
};

}  // namespace

constinit const std::span<const Metric> probability_metrics = probability_table;

// Overlap at every threshold of a map of probabilities.

namespace {

using Field = std::optional<double> SweepMean::*;

/// The mean of one field over all cases that have a value.
std::optional<double> mean_of(const std::vector<SweepMean>& cases, Field field) {
  std::vector<double> values;
  for (const SweepMean& each : cases)
    if (each.*field) values.push_back(*(each.*field));
  return values.empty() ? std::nullopt : std::optional(stats::mean(values));
}

}  // namespace

SweepMean sweep_scores(const ProbabilityEvidence& evidence, std::size_t threshold) {
  const SweepCounts& found = evidence.sweep[threshold];
  const Evidence counts = {.counts = {.tp = found.tp,
                                      .fp = found.fp,
                                      .fn = evidence.positives - found.tp,
                                      .tn = evidence.negatives() - found.fp}};
  return {.threshold = sweep_thresholds[threshold],
          .dice = value(score(metric("dice"), counts)),
          .precision = value(score(metric("precision"), counts)),
          .recall = value(score(metric("recall"), counts))};
}

std::vector<SweepMean> sweep_means(const SegmentationResult& result, std::size_t region) {
  std::vector<SweepMean> out;
  for (std::size_t t = 0; t < sweep_thresholds.size(); ++t) {
    std::vector<SweepMean> cases;
    for (const CaseScores& scores : result.cases)
      if (scores.record.fate == Fate::scored && scores.labels[region].evidence.probability)
        cases.push_back(sweep_scores(*scores.labels[region].evidence.probability, t));
    if (cases.empty()) return {};
    out.push_back({.threshold = sweep_thresholds[t],
                   .dice = mean_of(cases, &SweepMean::dice),
                   .precision = mean_of(cases, &SweepMean::precision),
                   .recall = mean_of(cases, &SweepMean::recall)});
  }
  return out;
}

std::optional<SweepMean> best_threshold(std::span<const SweepMean> sweep) {
  std::optional<SweepMean> best;
  for (const SweepMean& each : sweep)
    if (each.dice && (!best || *each.dice > *best->dice)) best = each;
  return best;
}

}  // namespace assay::metrics
