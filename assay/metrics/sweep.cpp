// SPDX-License-Identifier: Apache-2.0
/// Overlap at every threshold of a map of probabilities.
#include "assay/cohort.hpp"
#include "assay/stats/moments.hpp"

namespace assay::metrics {
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
