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

template <class Value>
std::optional<Value> entry(const std::map<std::string, Value>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

Evidence evidence_of(const CaseRecord& record, const Region& region) {
  const auto found = record.counts.find(region.key);
  // A label that occurs in other cases only: all of this one's voxels are background.
  if (found == record.counts.end()) return {{.tn = record.voxels}, record.voxel_ml};
  return {found->second, record.voxel_ml, entry(record.boundary, region.key),
          entry(record.lesions, region.key), entry(record.probability, region.key)};
}

Undefined reason_of(Presence presence) {
  switch (presence) {
    case Presence::both_empty: return Undefined::both_empty;
    case Presence::prediction_empty: return Undefined::prediction_empty;
    case Presence::reference_empty:
    case Presence::ok: break;
  }
  return Undefined::reference_empty;
}

/// JSON has no infinity: outside of --compat spec it is undefined, for the reason it is infinite.
Score in_json(const Score& score, const ScoreSettings& settings, const Evidence& evidence) {
  const auto x = value(score);
  if (settings.compat_spec || !x || std::isfinite(*x)) return score;
  return reason_of(presence(evidence.counts));
}

/// What a failed prediction counts, where that is known.
Score worst_score(const Metric& metric, const CaseRecord& record) {
  if (!metric.worst) return Undefined::not_scored;
  if (std::isfinite(*metric.worst)) return *metric.worst;
  return record.diagonal_mm > 0 ? Score{record.diagonal_mm} : Undefined::not_scored;
}

/// A distance to an empty mask counts as the worst where failures do: a missed lesion must not
/// better the mean by leaving it.
bool is_endless(const Metric& metric, const Score& score, const Evidence& evidence) {
  const Presence found = presence(evidence.counts);
  return !value(score) && metric.worst == infinity &&
         (found == Presence::prediction_empty || found == Presence::reference_empty);
}

LabelScores label_scores(const ScoreSettings& settings, const CaseRecord& record,
                         const Region& region) {
  LabelScores out = {.evidence = evidence_of(record, region), .scores = {}};
  const Parameters parameters = {.beta = settings.beta,
                                 .dice_smooth = settings.convention->dice_smooth};
  for (const ChosenMetric& metric : settings.metrics) {
    Score found = in_json(score(metric, out.evidence, parameters, *settings.convention), settings,
                          out.evidence);
    if (settings.missing == Missing::worst && is_endless(*metric, found, out.evidence))
      found = worst_score(*metric, record);
    out.scores.push_back(found);
  }
  return out;
}

LabelScores worst_scores(const ScoreSettings& settings, const CaseRecord& record) {
  LabelScores out;
  for (const ChosenMetric& metric : settings.metrics)
    out.scores.push_back(worst_score(*metric, record));
  return out;
}

std::vector<LabelScores> scores_of(const ScoreSettings& settings,
                                   const std::vector<Region>& regions, const CaseRecord& record) {
  std::vector<LabelScores> out;
  const bool as_worst = settings.missing == Missing::worst && prediction_is_at_fault(record);
  for (const Region& region : regions) {
    if (record.fate == Fate::scored)
      out.push_back(label_scores(settings, record, region));
    else if (as_worst)
      out.push_back(worst_scores(settings, record));
  }
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

/// The settings without metrics that were asked for if present, and are not.
ScoreSettings present(ScoreSettings settings, const std::vector<CaseRecord>& records) {
  const bool has_any =
      std::ranges::any_of(records, [](const CaseRecord& r) { return !r.probability.empty(); });
  if (!has_any) std::erase_if(settings.metrics, [](const ChosenMetric& m) { return m.if_present; });
  return settings;
}

std::vector<double> defined(std::span<const Score> scores) {
  std::vector<double> values;
  for (const Score& s : scores)
    if (const auto x = value(s)) values.push_back(*x);
  return values;
}

Score average(const std::vector<LabelScores>& labels, std::size_t metric) {
  std::vector<Score> of_labels;
  of_labels.reserve(labels.size());
  for (const LabelScores& label : labels) of_labels.push_back(label.scores[metric]);
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

bool needs_boundary(const ScoreSettings& settings) {
  return std::ranges::any_of(settings.metrics,
                             [](const ChosenMetric& m) { return m->needs_boundary(); });
}

bool needs_lesions(const ScoreSettings& settings) {
  return std::ranges::any_of(settings.metrics,
                             [](const ChosenMetric& m) { return m->needs_lesions(); });
}

bool needs_probability(const ScoreSettings& settings) {
  return std::ranges::any_of(settings.metrics,
                             [](const ChosenMetric& m) { return m->needs_probability(); });
}

bool requires_probability(const ScoreSettings& settings) {
  return std::ranges::any_of(settings.metrics, [](const ChosenMetric& m) {
    return m->needs_probability() && !m.if_present;
  });
}

BoundaryRequest boundary_request(const ScoreSettings& settings) {
  BoundaryRequest out;
  for (const ChosenMetric& m : settings.metrics) {
    if (m->group != "boundary") continue;
    if (m->name == "hd95") out.percentiles.push_back(m.argument);
    if (m->name == "nsd") out.tolerances_mm.push_back(m.argument);
  }
  return out;
}

SegmentationResult scored(const ScoreSettings& settings, std::vector<CaseRecord> records) {
  std::ranges::sort(records, {}, &CaseRecord::id);
  SegmentationResult out = {.settings = present(settings, records),
                            .regions = regions_of(settings, records),
                            .cases = {},
                            .ledger = ledger_of(records)};
  for (CaseRecord& record : records) {
    std::vector<LabelScores> labels = scores_of(out.settings, out.regions, record);
    out.cases.push_back({std::move(record), std::move(labels)});
  }
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
    if (is_counted(scores)) out.push_back(average(scores.labels, metric));
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
  ScoreSettings settings = result.settings;
  settings.metrics = {result.settings.metrics[metric]};
  if (!settings.metrics.front()->worst) return std::nullopt;
  std::vector<double> means[2];
  for (const Missing policy : {Missing::exclude, Missing::worst}) {
    settings.missing = policy;
    for (const CaseScores& scores : result.cases) {
      const auto labels = scores_of(settings, result.regions, scores.record);
      if (labels.empty()) continue;
      if (const auto x = value(average(labels, 0)))
        means[policy == Missing::worst ? 1 : 0].push_back(*x);
    }
  }
  if (means[0].empty() || means[0] == means[1]) return std::nullopt;
  return BothMeans{mean(means[0]), mean(means[1])};
}

}  // namespace assay
