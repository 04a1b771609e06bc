// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/results.hpp"

#include <algorithm>
#include <cmath>

#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"

namespace assay {
namespace {

bool prediction_is_at_fault(const CaseRecord& record) {
  return (record.fate == Fate::failed && !record.reference_at_fault) ||
         record.fate == Fate::missing_prediction;
}

/// With "all labels" a cohort's labels are known only when every case has been seen.
std::vector<Region> regions_of(const ScoreSettings& settings,
                               const std::vector<CaseRecord>& records) {
  if (!settings.all_labels) return settings.regions;
  std::vector<Label> labels;
  for (const CaseRecord& record : records)
    for (const auto& [key, counts] : record.counts) labels.push_back(std::stoll(key));
  std::vector<Region> regions;
  for (const Label label : distinct(std::move(labels))) {
    const std::string key = std::to_string(label);
    const auto named = std::ranges::find(settings.regions, key, &Region::key);
    regions.push_back({key, named == settings.regions.end() ? key : named->name, {label}});
  }
  return regions;
}

Evidence evidence_of(const CaseRecord& record, const Region& region) {
  const auto found = record.counts.find(region.key);
  // A label that occurs in other cases only: all of this one's voxels are background.
  if (found == record.counts.end()) return {{.tn = record.voxels}, record.voxel_ml};
  return {found->second, record.voxel_ml};
}

/// JSON has no infinity: outside of --compat spec it is undefined, for the reason it is infinite.
Score in_json(const Score& score, const ScoreSettings& settings) {
  const auto x = value(score);
  if (settings.compat_spec || !x || std::isfinite(*x)) return score;
  return Undefined::reference_empty;
}

LabelScores label_scores(const ScoreSettings& settings, const Evidence& evidence) {
  LabelScores out = {.evidence = evidence, .scores = {}};
  const Parameters parameters = {.beta = settings.beta,
                                 .dice_smooth = settings.convention->dice_smooth};
  for (const Metric* metric : settings.metrics)
    out.scores.push_back(
        in_json(score(*metric, evidence, parameters, *settings.convention), settings));
  return out;
}

LabelScores worst_scores(const ScoreSettings& settings) {
  LabelScores out;
  for (const Metric* metric : settings.metrics)
    out.scores.push_back(metric->worst ? Score{*metric->worst} : Score{Undefined::not_scored});
  return out;
}

CaseScores case_scores(const ScoreSettings& settings, const std::vector<Region>& regions,
                       CaseRecord record) {
  CaseScores out;
  const bool as_worst = settings.missing == Missing::worst && prediction_is_at_fault(record);
  for (const Region& region : regions) {
    if (record.fate == Fate::scored)
      out.labels.push_back(label_scores(settings, evidence_of(record, region)));
    else if (as_worst)
      out.labels.push_back(worst_scores(settings));
  }
  out.record = std::move(record);
  return out;
}

Ledger ledger_of(const std::vector<CaseRecord>& records) {
  const auto with = [&](Fate fate) {
    return static_cast<std::size_t>(std::ranges::count(records, fate, &CaseRecord::fate));
  };
  return {.expected = records.size(),
          .scored = with(Fate::scored),
          .failed = with(Fate::failed),
          .missing_prediction = with(Fate::missing_prediction),
          .missing_reference = with(Fate::missing_reference)};
}

std::vector<double> defined(std::span<const Score> scores) {
  std::vector<double> values;
  for (const Score& s : scores)
    if (const auto x = value(s)) values.push_back(*x);
  return values;
}

Score average(const CaseScores& scores, std::size_t metric) {
  std::vector<Score> of_labels;
  for (const LabelScores& label : scores.labels) of_labels.push_back(label.scores[metric]);
  if (of_labels.empty()) return Undefined::both_empty;  // all labels were asked for: there is none
  const std::vector<double> values = defined(of_labels);
  return values.empty() ? of_labels.front() : Score{mean(values)};
}

}  // namespace

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::scored: return "scored";
    case Fate::failed: return "failed";
    case Fate::missing_prediction: return "missing_prediction";
    case Fate::missing_reference: return "missing_reference";
  }
  return "";
}

SegmentationResult scored(const ScoreSettings& settings, std::vector<CaseRecord> records) {
  std::ranges::sort(records, {}, &CaseRecord::id);
  SegmentationResult out = {.settings = settings,
                            .regions = regions_of(settings, records),
                            .cases = {},
                            .ledger = ledger_of(records)};
  for (CaseRecord& record : records)
    out.cases.push_back(case_scores(settings, out.regions, std::move(record)));
  return out;
}

Summary summary(std::span<const Score> scores) {
  Summary out;
  for (const Score& s : scores)
    if (const auto* why = std::get_if<Undefined>(&s))
      ++out.undefined[static_cast<std::size_t>(*why)];
  std::vector<double> values = defined(scores);
  out.n = values.size();
  if (values.empty()) return out;

  out.mean = mean(values);
  if (values.size() > 1) {
    const auto n = static_cast<double>(values.size());
    out.std = standard_deviation(values, 1);
    const double margin = student_t_quantile(0.975, n - 1) * *out.std / std::sqrt(n);
    out.ci95 = {*out.mean - margin, *out.mean + margin};
  }
  std::ranges::sort(values);
  out.median = percentile_of_sorted(values, 50);
  out.q25 = percentile_of_sorted(values, 25);
  out.q75 = percentile_of_sorted(values, 75);
  out.min = values.front();
  out.max = values.back();
  return out;
}

bool is_counted(const CaseScores& scores) {
  return scores.record.fate == Fate::scored || !scores.labels.empty();
}

std::vector<Score> case_averages(const SegmentationResult& result, std::size_t metric) {
  std::vector<Score> out;
  for (const CaseScores& scores : result.cases)
    if (is_counted(scores)) out.push_back(average(scores, metric));
  return out;
}

std::vector<Score> region_scores(const SegmentationResult& result, std::size_t metric,
                                 std::size_t region) {
  std::vector<Score> out;
  for (const CaseScores& scores : result.cases)
    if (!scores.labels.empty()) out.push_back(scores.labels[region].scores[metric]);
  return out;
}

std::optional<BothMeans> both_means(const SegmentationResult& result, std::size_t metric) {
  const auto worst = result.settings.metrics[metric]->worst;
  if (!worst) return std::nullopt;
  std::vector<double> only_scored, with_worst;
  for (const CaseScores& scores : result.cases) {
    if (scores.record.fate == Fate::scored && !scores.labels.empty()) {
      if (const auto x = value(average(scores, metric))) {
        only_scored.push_back(*x);
        with_worst.push_back(*x);
      }
    } else if (prediction_is_at_fault(scores.record)) {
      with_worst.push_back(*worst);
    }
  }
  if (only_scored.empty() || only_scored.size() == with_worst.size()) return std::nullopt;
  return BothMeans{mean(only_scored), mean(with_worst)};
}

}  // namespace assay
