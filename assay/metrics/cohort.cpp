// SPDX-License-Identifier: Apache-2.0
#include "assay/cohort.hpp"

#include <algorithm>

#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/metrics/label_checks.hpp"
#include "assay/metrics/mean_interval.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/moments.hpp"

namespace assay::metrics {
namespace {

/// With "all labels" a cohort's labels are known only when every case has been seen.
std::vector<Region> regions_of(const ScoreSettings& settings, const CaseRecords& records) {
  if (!settings.all_labels) return settings.regions;
  std::vector<Label> labels;
  for (const CaseRecord& record : records)
    for (const auto& [key, counts] : record.counts) labels.push_back(std::stoll(key));
  std::vector<Region> regions;
  for (const Label label : distinct(std::move(labels))) {
    const std::string key = std::to_string(label);
    const auto named = std::ranges::find(settings.regions, key, &Region::key);
    Region& region = regions.emplace_back(Region{key, key, {label}});
    if (named == settings.regions.end()) continue;
    region.name = named->name;
    region.color = named->color;
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
  return {.counts = found->second,
          .voxel_ml = record.voxel_ml,
          .boundary = entry(record.boundary, region.key),
          .lesions = entry(record.lesions, region.key),
          .probability = entry(record.probability, region.key),
          .own = entry(record.own, region.key),
          .is_uncut_map = record.is_uncut_map};
}

/// A value that the model left undefined counts where failures count: leaving out a missed lesion
/// must not improve the mean.
Score counted_failure(const Metric& metric, Presence presence, const CaseRecord& record,
                      Undefined otherwise) {
  const auto counts = failure_value(metric, presence, record.diagonal_mm);
  return counts ? Score{*counts} : Score{otherwise};
}

void add_score(LabelScores& to, const Score& score, bool failed) {
  to.scores.push_back(score);
  to.failed.push_back(failed);
}

LabelScores label_scores(const ScoreSettings& settings, const CaseRecord& record,
                         const Region& region) {
  LabelScores out = {.evidence = evidence_of(record, region), .scores = {}};
  out.scores.reserve(settings.metrics.size());
  const Parameters parameters = {.beta = settings.beta,
                                 .dice_smooth = settings.convention->dice_smooth};
  const Presence found = presence(out.evidence.counts);
  for (const ChosenMetric& metric : settings.metrics) {
    Score of_metric = score(metric, out.evidence, parameters, *settings.convention);
    if (!settings.compat_spec) of_metric = finite_score(of_metric, found);
    const auto* why = std::get_if<Undefined>(&of_metric);
    const bool failed = why != nullptr && culprit(*metric, *why, found) == Culprit::model;
    if (failed && settings.missing == Missing::worst)
      of_metric = counted_failure(*metric, found, record, *why);
    add_score(out, of_metric, failed);
  }
  return out;
}

/// Scores of a case without a readable prediction.
LabelScores scores_without_prediction(const ScoreSettings& settings, const CaseRecord& record) {
  LabelScores out;
  for (const ChosenMetric& metric : settings.metrics)
    add_score(out,
              counted_failure(*metric, Presence::prediction_empty, record, Undefined::not_scored),
              /*failed=*/true);
  return out;
}

/// Scores of a structure whose file is missing. A missing prediction counts as it does for a whole
/// case; a missing reference is nobody's fault.
LabelScores missing_scores(const ScoreSettings& settings, const CaseRecord& record, Undefined why) {
  LabelScores out = {.evidence = {}, .missing = why, .scores = {}};
  const bool failed = why == Undefined::missing_prediction;
  for (const ChosenMetric& metric : settings.metrics)
    add_score(out,
              failed && settings.missing == Missing::worst
                  ? counted_failure(*metric, Presence::prediction_empty, record, why)
                  : Score{why},
              failed);
  return out;
}

/// Which of the two files of a structure is missing, if one is.
std::optional<Undefined> missing_file(const CaseRecord& record, const Region& region) {
  const auto among = [&](const std::vector<std::string>& keys) {
    return std::ranges::find(keys, region.key) != keys.end();
  };
  if (among(record.without_reference)) return Undefined::missing_reference;
  if (among(record.without_prediction)) return Undefined::missing_prediction;
  return std::nullopt;
}

std::vector<LabelScores> scores_of(const ScoreSettings& settings,
                                   const std::vector<Region>& regions, const CaseRecord& record) {
  std::vector<LabelScores> out;
  if (record.fate == Fate::scored) out.reserve(regions.size());
  const bool as_worst = settings.missing == Missing::worst && is_models_failure(record);
  for (const Region& region : regions) {
    const auto missing = missing_file(record, region);
    if (record.fate == Fate::scored)
      out.push_back(missing ? missing_scores(settings, record, *missing)
                            : label_scores(settings, record, region));
    else if (as_worst)
      out.push_back(scores_without_prediction(settings, record));
  }
  return out;
}

Ledger ledger_of(const CaseRecords& records) {
  const auto with = [&](Fate fate) {
    return static_cast<std::size_t>(std::ranges::count(records, fate, &CaseRecord::fate));
  };
  std::size_t predictions = 0, references = 0;  // structures that lack them
  std::size_t own = 0;
  for (const CaseRecord& record : records) {
    if (record.fate != Fate::scored) continue;
    predictions += record.without_prediction.size();
    references += record.without_reference.size();
    own += failed_own_values(record);
  }
  return {.expected = records.size(),
          .scored = with(Fate::scored),
          .failed = with(Fate::failed),
          .missing_prediction = with(Fate::missing_prediction),
          .missing_reference = with(Fate::missing_reference),
          .missing_structures = predictions,
          .missing_reference_structures = references,
          .own_metric_failures = own};
}

/// All distances of a cohort have one unit: if any are needed, cases in pixels fail where others
/// are in mm.
LengthUnit settle_unit(const ScoreSettings& settings, CaseRecords& records) {
  const auto is_scored_in = [](bool in_pixels) {
    return [=](const CaseRecord& r) { return r.fate == Fate::scored && r.in_pixels == in_pixels; };
  };
  if (std::ranges::none_of(records, is_scored_in(true))) return LengthUnit::mm;
  if (std::ranges::none_of(records, is_scored_in(false))) return LengthUnit::px;
  if (!needs_boundary(settings) && !needs_lesions(settings)) return LengthUnit::mm;
  for (CaseRecord& record : records) {
    if (!is_scored_in(true)(record)) continue;
    record.fate = Fate::failed;
    record.reference_at_fault = true;
    record.error =
        "the reference does not say how large a pixel is, and other cases do, so distances have no "
        "common unit; give the size with --spacing, such as --spacing 0.5,0.5";
  }
  return LengthUnit::mm;
}

/// The same metrics with the unit in their keys: nsd@2mm, nsd@2px.
void name_unit(std::vector<ChosenMetric>& metrics, LengthUnit unit) {
  constexpr std::string_view mm = "mm";
  for (ChosenMetric& m : metrics)
    if (m.key.starts_with("nsd@") && m.key.ends_with(mm) && unit == LengthUnit::px)
      m.key.replace(m.key.size() - mm.size(), mm.size(), name(unit));
}

/// The settings without optional metrics that are absent.
ScoreSettings present(ScoreSettings settings, const CaseRecords& records) {
  const bool has_any =
      std::ranges::any_of(records, [](const CaseRecord& r) { return !r.probability.empty(); });
  if (!has_any) std::erase_if(settings.metrics, [](const ChosenMetric& m) { return m.if_present; });
  return settings;
}

/// The value exists but is unknown, so everything that depends on it is unknown, too.
bool is_unknown(const Score& score) {
  const auto* why = std::get_if<Undefined>(&score);
  return why != nullptr && *why == Undefined::own_metric_failed;
}

/// The average over the regions that take part in it.
CaseAverage average(const std::vector<LabelScores>& labels, std::span<const std::size_t> averaged,
                    std::size_t metric) {
  if (labels.empty()) return {.score = Undefined::both_empty};  // no label occurs anywhere
  std::vector<double> values;
  for (const std::size_t r : averaged) {
    const Score& score = labels[r].scores[metric];
    const auto x = value(score);
    if (x) values.push_back(*x);
    if (!x && labels[r].failed[metric]) return {.score = score, .region = r, .failed = true};
    if (is_unknown(score)) return {.score = score, .region = r};
  }
  if (!values.empty()) return {.score = stats::mean(values)};
  return {.score = labels[averaged.front()].scores[metric], .region = averaged.front()};
}

/// What one case adds to a mean without the model's failures, and to one that counts them.
struct BothValues {
  bool failed = false;
  std::optional<double> without{}, with{};
};

BothValues both_values(const CaseScores& scores, const ChosenMetric& metric, std::size_t position,
                       const std::vector<std::size_t>& regions) {
  const CaseRecord& record = scores.record;
  if (is_models_failure(record))
    return {.failed = true,
            .with = failure_value(*metric, Presence::prediction_empty, record.diagonal_mm)};
  BothValues out;
  std::vector<double> without, with;
  bool all_count = true;
  for (const std::size_t r : scores.labels.empty() ? std::vector<std::size_t>{} : regions) {
    const LabelScores& label = scores.labels[r];
    const bool failed = label.failed[position];
    if (is_unknown(label.scores[position])) return {};
    const auto plain = failed ? std::nullopt : value(label.scores[position]);
    const auto counted =
        failed ? failure_value(*metric, presence(label.evidence.counts), record.diagonal_mm)
               : plain;
    if (plain) without.push_back(*plain);
    if (counted) with.push_back(*counted);
    out.failed = out.failed || failed;
    all_count = all_count && (counted || !failed);
  }
  if (!out.failed && !without.empty()) out.without = stats::mean(without);
  if (all_count && !with.empty()) out.with = stats::mean(with);
  return out;
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

std::string_view name(LengthUnit unit) {
  return unit == LengthUnit::px ? "px" : "mm";
}

std::string_view name(MeanInterval interval) {
  return interval == MeanInterval::cluster_t ? "cluster-t" : name_in(mean_intervals(), interval);
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

bool needs_only_probability(const ScoreSettings& settings) {
  return std::ranges::all_of(settings.metrics,
                             [](const ChosenMetric& m) { return m->needs_probability(); });
}

bool has_own_metrics(const ScoreSettings& settings) {
  return std::ranges::any_of(settings.metrics, [](const ChosenMetric& m) { return m->is_own(); });
}

std::size_t failed_own_values(const CaseRecord& record) {
  std::size_t failed = 0;
  for (const auto& [region, values] : record.own)
    for (const auto& [metric, value] : values) failed += value.failed ? 1 : 0;
  return failed;
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

SegmentationResult scored(const ScoreSettings& settings, CaseRecords records,
                          const Executor& executor) {
  if (!std::ranges::is_sorted(records, {}, &CaseRecord::id))
    std::ranges::sort(records, {}, &CaseRecord::id);
  const LengthUnit unit = settle_unit(settings, records);
  SegmentationResult out = {.settings = present(settings, records),
                            .regions = regions_of(settings, records),
                            .cases = {},
                            .ledger = ledger_of(records)};
  out.settings.unit = unit;
  name_unit(out.settings.metrics, unit);
  constexpr std::size_t most_together = 4096;
  out.cases.reserve(records.size());
  while (!records.empty()) {
    const std::size_t first = out.cases.size(), together = std::min(records.size(), most_together);
    out.cases.resize(first + together);
    run_short_tasks(executor, together, [&](std::size_t i) {
      out.cases[first + i].labels = scores_of(out.settings, out.regions, records[i]);
      out.cases[first + i].record = std::move(records[i]);
    });
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(together));
  }
  out.warnings = label_warnings(out);
  return out;
}

SummaryRules summary_rules(const std::optional<ChosenMetric>& metric, MeanInterval interval) {
  SummaryRules rules = {.interval = interval};
  if (metric) rules.range = (*metric)->range;
  return rules;
}

Summary summary(std::span<const Score> scores, const SummaryRules& rules) {
  Summary out;
  out.ci_method = rules.clusters.empty() ? rules.interval : MeanInterval::cluster_t;
  for (const Score& s : scores)
    if (const auto* why = std::get_if<Undefined>(&s))
      ++out.undefined[static_cast<std::size_t>(*why)];
  std::vector<double> values = defined(scores);
  out.n = values.size();
  if (values.empty()) return out;

  out.mean = stats::mean(values);
  if (values.size() > 1) {
    out.std = stats::standard_deviation(values, 1);
    if (const auto interval = mean_interval(scores, rules, out)) {
      out.ci95 = interval->ends;
      out.ci_clipped = interval->clipped;
    }
  }
  std::ranges::sort(values);
  out.median = stats::percentile_of_sorted(values, 50);
  out.q25 = stats::percentile_of_sorted(values, 25);
  out.q75 = stats::percentile_of_sorted(values, 75);
  out.min = values.front();
  out.max = values.back();
  return out;
}

bool is_models_failure(const CaseRecord& record) {
  return (record.fate == Fate::failed && !record.reference_at_fault) ||
         record.fate == Fate::missing_prediction;
}

bool is_counted(const CaseScores& scores) {
  return scores.record.fate == Fate::scored || !scores.labels.empty();
}

std::vector<std::size_t> averaged_regions(std::span<const Region> regions) {
  const bool has_labels = std::ranges::any_of(regions, [](const Region& r) { return !r.is_union; });
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < regions.size(); ++r)
    if (!has_labels || !regions[r].is_union) out.push_back(r);
  return out;
}

std::string averaged_words(std::span<const Region> regions, std::size_t most) {
  const std::vector<std::size_t> averaged = averaged_regions(regions);
  if (averaged.empty()) return "labels";
  std::string keys;
  constexpr std::size_t first = 3;
  for (std::size_t i = 0; i < averaged.size(); ++i) {
    const bool shown = averaged.size() <= most || i < first || i + 1 == averaged.size();
    if (shown) keys.append(keys.empty() ? "" : ", ").append(regions[averaged[i]].key);
    if (!shown && i == first) keys += ", …";
  }
  const std::string kind = regions[averaged.front()].is_union ? "region" : "label";
  return kind + (averaged.size() == 1 ? " " : "s ") + keys;
}

CaseAverage average_of(const CaseScores& scores, std::span<const Region> regions,
                       std::size_t metric) {
  constexpr std::size_t only[] = {0};  // the usual case, which avoids a list for every case
  if (regions.size() == 1) return average(scores.labels, only, metric);
  return average(scores.labels, averaged_regions(regions), metric);
}

std::vector<CaseAverage> averages_of(const SegmentationResult& result, std::size_t metric) {
  const std::vector<std::size_t> averaged = averaged_regions(result.regions);
  std::vector<CaseAverage> out;
  for (const CaseScores& scores : result.cases)
    if (is_counted(scores)) out.push_back(average(scores.labels, averaged, metric));
  return out;
}

std::vector<Score> case_averages(const SegmentationResult& result, std::size_t metric) {
  std::vector<Score> out;
  for (const CaseAverage& each : averages_of(result, metric)) out.push_back(each.score);
  return out;
}

std::vector<std::vector<Score>> averages_under(const SegmentationResult& result,
                                               std::span<const ChosenMetric> metrics,
                                               const Executor& executor) {
  ScoreSettings settings = result.settings;
  settings.metrics.assign(metrics.begin(), metrics.end());
  settings.missing = Missing::exclude;
  const std::vector<std::size_t> averaged = averaged_regions(result.regions);
  std::vector<const CaseRecord*> records;
  for (const CaseScores& each : result.cases)
    if (each.record.fate == Fate::scored) records.push_back(&each.record);
  std::vector<std::vector<Score>> out(metrics.size(), std::vector<Score>(records.size()));
  run_short_tasks(executor, records.size(), [&](std::size_t i) {
    const std::vector<LabelScores> labels = scores_of(settings, result.regions, *records[i]);
    for (std::size_t m = 0; m < metrics.size(); ++m) out[m][i] = average(labels, averaged, m).score;
  });
  return out;
}

ReasonCounts left_out_of_averages(const SegmentationResult& result, std::size_t metric) {
  ReasonCounts out{};
  const std::vector<std::size_t> averaged = averaged_regions(result.regions);
  for (const CaseScores& scores : result.cases) {
    if (scores.labels.empty() || !value(average(scores.labels, averaged, metric).score)) continue;
    for (const std::size_t r : averaged)
      if (const auto* why = std::get_if<Undefined>(&scores.labels[r].scores[metric]))
        ++out[static_cast<std::size_t>(*why)];
  }
  return out;
}

std::vector<Score> region_scores(const SegmentationResult& result, std::size_t metric,
                                 std::size_t region) {
  std::vector<Score> out;
  for (const CaseScores& scores : result.cases)
    if (!scores.labels.empty()) out.push_back(scores.labels[region].scores[metric]);
  return out;
}

FailureEffect failure_effect(const SegmentationResult& result, std::size_t metric,
                             std::optional<std::size_t> region) {
  const auto regions = region ? std::vector{*region} : averaged_regions(result.regions);
  FailureEffect out;
  std::vector<double> without, with;
  bool all_count = true;
  for (const CaseScores& scores : result.cases) {
    const BothValues both = both_values(scores, result.settings.metrics[metric], metric, regions);
    if (both.failed) ++out.failures;
    if (both.without) without.push_back(*both.without);
    if (both.with) with.push_back(*both.with);
    all_count = all_count && (both.with || !both.failed);
  }
  out.n = without.size();
  if (!without.empty()) out.mean_without = stats::mean(without);
  if (!with.empty() && all_count) out.mean_with = stats::mean(with);
  return out;
}

FailureCounts failure_counts(const SegmentationResult& result) {
  FailureCounts out;
  const std::vector<std::size_t> averaged = averaged_regions(result.regions);
  for (const CaseScores& scores : result.cases) {
    const CaseRecord& record = scores.record;
    if (record.fate == Fate::missing_prediction) ++out.missing_predictions;
    if (record.fate == Fate::failed && !record.reference_at_fault) ++out.failed_predictions;
    if (record.fate != Fate::scored || scores.labels.empty()) continue;
    for (const std::size_t r : averaged) {
      const LabelScores& label = scores.labels[r];
      if (label.missing == Undefined::missing_prediction)
        ++out.missing_structures;
      else if (std::ranges::find(label.failed, true) != label.failed.end())
        ++(presence(label.evidence.counts) == Presence::reference_empty ? out.false_alarms
                                                                        : out.empty_predictions);
    }
  }
  return out;
}

std::vector<std::string> own_failure_sentences(const ScoreSettings& settings,
                                               std::span<const CaseRecord* const> records) {
  std::vector<std::string> out;
  for (const ChosenMetric& metric : settings.metrics) {
    if (!metric->is_own()) continue;
    std::size_t failed = 0;
    std::string first;
    for (const CaseRecord* record : records)
      for (const auto& [region, values] : record->own) {
        const auto found = values.find(metric.key);
        if (found == values.end() || !found->second.failed) continue;
        if (++failed == 1)
          first = "case " + record->id + ", " + region + ": " + found->second.message;
      }
    if (failed != 0)
      out.push_back("the metric " + metric.key + " failed " + counted(failed, "time") +
                    "; the first: " + first);
  }
  return out;
}

std::vector<std::string> own_failure_sentences(const SegmentationResult& result) {
  std::vector<const CaseRecord*> records;
  for (const CaseScores& scores : result.cases) records.push_back(&scores.record);
  return own_failure_sentences(result.settings, records);
}

}  // namespace assay::metrics
