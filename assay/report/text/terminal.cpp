// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_keys = 12;  // in a heading

std::string number(const std::optional<double>& x) {
  if (!x) return std::string(absent);
  if (std::isnan(*x)) return "nan";
  if (std::isinf(*x)) return *x > 0 ? "inf" : "-inf";
  return fmt::format("{:.{}f}", *x, std::abs(*x) >= 1000 ? 0 : 3);
}

std::string interval(const std::optional<double>& low, const std::optional<double>& high) {
  if (!low || !high) return std::string(absent);
  return number(low) + " – " + number(high);
}

/// What a table shows of one metric: the values, and why some are missing.
struct ShownScores {
  std::vector<metrics::Score> scores;
  std::string undefined;
};

std::string listed(const std::vector<std::pair<std::string, std::size_t>>& counts) {
  std::string out;
  for (const auto& [what, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  return out.empty() ? std::string(absent) : out;
}

void count_one(std::vector<std::pair<std::string, std::size_t>>& counts, const std::string& what) {
  const auto known = std::ranges::find(counts, what, [](const auto& each) { return each.first; });
  if (known == counts.end())
    counts.emplace_back(what, 1);
  else
    ++known->second;
}

std::string kind_of(const metrics::Region& region) {
  return region.is_union ? "region" : "label";
}

/// The averages of cases. If there are several labels, a reason also names its label.
ShownScores shown_averages(const metrics::SegmentationResult& result, std::size_t metric) {
  ShownScores out;
  std::vector<std::pair<std::string, std::size_t>> counts;
  const bool several = metrics::averaged_regions(result.regions).size() > 1;
  for (const metrics::CaseAverage& each : metrics::averages_of(result, metric)) {
    out.scores.push_back(each.score);
    const auto* why = std::get_if<metrics::Undefined>(&each.score);
    if (why == nullptr) continue;
    const metrics::Region* region = several && each.failed ? &result.regions[each.region] : nullptr;
    count_one(counts, region == nullptr
                          ? std::string(name(*why))
                          : fmt::format("{} of {} {}", name(*why), kind_of(*region), region->key));
  }
  out.undefined = printable(listed(counts));
  return out;
}

ShownScores shown_region(const metrics::SegmentationResult& result, std::size_t metric,
                         std::size_t region) {
  ShownScores out = {metrics::region_scores(result, metric, region), {}};
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const metrics::Score& score : out.scores)
    if (const auto* why = std::get_if<metrics::Undefined>(&score))
      count_one(counts, std::string(name(*why)));
  out.undefined = listed(counts);
  return out;
}

/// Stars are for significant differences; this sign is for a mean that reaches a threshold.
constexpr std::string_view reliable_sign = "†";

/// Whether the mean reaches what the source of the paper's metrics calls reliable.
bool is_reliable(const metrics::ScoreSettings& settings, const metrics::Metric& metric,
                 const metrics::Summary& s) {
  return settings.marks_reliable && metric.name == "dice" && s.mean &&
         *s.mean >= metrics::reliable_dice;
}

std::vector<std::string> summary_row(const metrics::ScoreSettings& settings,
                                     const metrics::ChosenMetric& chosen, const metrics::Summary& s,
                                     const std::string& undefined) {
  const metrics::Metric& metric = *chosen;
  std::string label = chosen.key;
  const std::string_view unit = metrics::unit_in(metric, settings.unit);
  if (!unit.empty() && !label.ends_with("_ml")) label += fmt::format(" ({})", unit);
  return {label,
          number(s.mean).append(is_reliable(settings, metric, s) ? reliable_sign : " "),
          number(s.std),
          number(s.median),
          interval(s.q25, s.q75),
          s.ci95 ? interval(s.ci95->first, s.ci95->second) : std::string(absent),
          std::to_string(s.n),
          undefined};
}

const std::vector<Column> summary_columns = {
    {"", Align::left}, {"mean "},   {"SD"}, {"median"},
    {"IQR"},           {"95 % CI"}, {"n"},  {"undefined", Align::left},
};

std::vector<std::string> row_of(const metrics::SegmentationResult& result, std::size_t metric,
                                const ShownScores& shown) {
  const metrics::ChosenMetric& chosen = result.settings.metrics[metric];
  return summary_row(result.settings, chosen,
                     metrics::summary(shown.scores, {chosen->range, result.settings.interval}),
                     shown.undefined);
}

template <class ScoresOf>
std::string table_of(const metrics::SegmentationResult& result, ScoresOf scores_of) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    rows.push_back(row_of(result, m, scores_of(m)));
  return text_table(summary_columns, rows);
}

/// The rule that lesion metrics depend on, printed with every one of them.
std::string lesion_rule_text(const metrics::LesionSettings& s) {
  return fmt::format(" · lesions: rule {}, {} neighbours{}", name(s.rule),
                     static_cast<int>(s.connectivity),
                     s.least_ml > 0 ? fmt::format(", at least {:g} mL", s.least_ml) : "");
}

/// A note if the size of a pixel is unknown.
std::string pixel_text(const metrics::ScoreSettings& settings) {
  std::string out = " · lengths are in pixels";
  for (const metrics::ChosenMetric& m : settings.metrics)
    if (m.key == "nsd") out += fmt::format(", nsd tolerance {:g} px", m.argument);
  return out;
}

/// What was resampled, and to what effect.
std::string resampling_text(const metrics::SegmentationResult& result) {
  const metrics::ScoreSettings& s = result.settings;
  std::size_t cases = 0;
  std::int64_t changed = 0;
  for (const metrics::CaseScores& each : result.cases)
    if (each.record.resampling) {
      ++cases;
      changed += each.record.resampling->changed;
    }
  const bool is_prediction = s.resampled == metrics::Resampled::prediction;
  return fmt::format(" · {} of {} resampled ({}), {} changed",
                     is_prediction ? "predictions" : "references", counted(cases, "case"),
                     name_in(metrics::interpolations(), s.interpolation),
                     counted(static_cast<std::size_t>(changed), "voxel"));
}

std::string headline(const metrics::SegmentationResult& result, const TerminalStyle& style) {
  const metrics::Ledger& l = result.ledger;
  std::string out = bold(result.settings.model_name, style.color) +
                    fmt::format(": {} of {} cases scored", l.scored, l.expected);
  if (l.failed != 0) out += fmt::format(" · {} failed", l.failed);
  if (l.missing_prediction != 0)
    out += fmt::format(" · {} without prediction", l.missing_prediction);
  if (l.missing_reference != 0) out += fmt::format(" · {} without reference", l.missing_reference);
  if (l.missing_structures != 0)
    out += fmt::format(" · {} without prediction", counted(l.missing_structures, "structure"));
  if (l.missing_reference_structures != 0)
    out += fmt::format(" · {} without reference",
                       counted(l.missing_reference_structures, "structure"));
  out += fmt::format(" · convention {}", result.settings.convention->name);
  if (const auto& source = result.settings.source)
    out += fmt::format(" · recipe {} · metrics on the {}", source->recipe,
                       source->space == "model" ? "model's grid" : "reference's own grid");
  if (result.settings.unit == metrics::LengthUnit::px) out += pixel_text(result.settings);
  if (result.settings.resampled != metrics::Resampled::nothing) out += resampling_text(result);
  if (metrics::needs_lesions(result.settings)) out += lesion_rule_text(result.settings.lesions);
  if (result.settings.interval == metrics::MeanInterval::bca)
    out += " · intervals by BCa bootstrap";
  if (result.settings.missing == metrics::Missing::worst) out += " · failures count as worst";
  return out + "\n";
}

std::string title_of(const metrics::Region& region) {
  return kind_of(region) + " " + region.key +
         (region.name == region.key ? "" : fmt::format(" ({})", region.name));
}

std::string label_tables(const metrics::SegmentationResult& result, const TerminalStyle& style) {
  if (result.regions.size() < 2) return "";
  std::string out;
  for (std::size_t r = 0; r < result.regions.size(); ++r)
    out += "\n" + bold(title_of(result.regions[r]), style.color) + "\n" +
           table_of(result, [&](std::size_t m) { return shown_region(result, m, r); });
  return out;
}

std::string failure_text(const metrics::Metric& metric) {
  if (metric.failure == metrics::infinity) return "the image's diagonal";
  if (metric.better == metrics::Better::zero)
    return fmt::format("{:g} (false alarms as {:g})", -*metric.failure, *metric.failure);
  return fmt::format("{:g}", *metric.failure);
}

/// "1 failed prediction, 2 false alarms".
std::string failure_words(const metrics::FailureCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count != 0) parts.push_back(counted(count, what));
  };
  add(counts.failed_predictions, "failed prediction");
  add(counts.missing_predictions, "missing prediction");
  add(counts.missing_structures, "missing structure");
  add(counts.empty_predictions, "empty prediction");
  add(counts.false_alarms, "false alarm");
  return joined(parts);
}

std::string failure_line(const metrics::ChosenMetric& metric,
                         const metrics::FailureEffect& effect) {
  if (effect.failures == 0 || !effect.mean_with) return "";
  return fmt::format("  {}: {} over {}, {} with {} counted as {}\n", metric.key,
                     number(effect.mean_without), counted(effect.n, "case"),
                     number(effect.mean_with), counted(effect.failures, "failure"),
                     failure_text(*metric));
}

/// The means with and without failures: a failure must not improve a mean by being left out.
std::string effect_of_failures(const metrics::SegmentationResult& result) {
  std::string out;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    out += failure_line(result.settings.metrics[m], metrics::failure_effect(result, m));
  if (out.empty()) return "";
  return fmt::format("\nmeans without and with the model's failures ({})\n{}",
                     failure_words(metrics::failure_counts(result)), out);
}

std::string undefined_text(const metrics::ReasonCounts& undefined) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const metrics::Undefined why : metrics::all_undefined)
    if (const auto count = undefined[static_cast<std::size_t>(why)]; count != 0)
      counts.emplace_back(name(why), count);
  return listed(counts);
}

/// Values of labels that are left out of the means of cases, because there was nothing to measure.
std::string left_out_of_cases(const metrics::SegmentationResult& result) {
  std::string out;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const std::string counts = undefined_text(left_out_of_averages(result, m));
    if (counts != absent)
      out +=
          fmt::format("{}{}: {}", out.empty() ? "" : "; ", result.settings.metrics[m].key, counts);
  }
  return out.empty() ? "" : "values of labels left out of the means of cases: " + out + "\n";
}

/// The best threshold of a map of probabilities.
std::string best_thresholds(const metrics::SegmentationResult& result) {
  std::string out;
  for (std::size_t r = 0; r < result.regions.size(); ++r)
    if (const auto best = metrics::best_threshold(metrics::sweep_means(result, r)))
      out += fmt::format("  {}: {:g}, mean Dice {}\n", printable(result.regions[r].key),
                         best->threshold, number(best->dice));
  return out.empty() ? "" : "\nbest threshold of the probabilities on these cases\n" + out;
}

/// The first metric that has a direction decides which cases are worst.
std::string worst_cases(const metrics::SegmentationResult& result, std::size_t count) {
  const auto& metrics = result.settings.metrics;
  const auto judged = std::ranges::find_if(metrics, [](const metrics::ChosenMetric& m) {
    return m->better == metrics::Better::higher || m->better == metrics::Better::lower;
  });
  if (judged == metrics.end() || result.ledger.scored < 2) return "";
  const auto m = static_cast<std::size_t>(judged - metrics.begin());
  const bool low_is_bad = judged->metric->better == metrics::Better::higher;

  struct Ranked {
    double gain;
    std::string id, shown;
  };
  std::vector<Ranked> ranked;
  for (const metrics::CaseScores& c : result.cases) {
    if (c.labels.empty() || c.record.fate != metrics::Fate::scored) continue;
    const metrics::CaseAverage average = metrics::average_of(c, result.regions, m);
    if (const auto x = metrics::value(average.score))
      ranked.push_back({low_is_bad ? *x : -*x, c.record.id, number(x)});
    else if (average.failed)
      ranked.push_back({-metrics::infinity, c.record.id,
                        std::string(name(std::get<metrics::Undefined>(average.score)))});
  }
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    return a.gain != b.gain ? a.gain < b.gain : a.id < b.id;
  });
  if (ranked.empty()) return "";
  ranked.resize(std::min(ranked.size(), count));
  std::string out = fmt::format("\nworst cases by {}\n", judged->key);
  for (const Ranked& each : ranked)
    out += fmt::format("  {}  {}\n", each.shown, printable(each.id));
  return out;
}

bool any_reliable(const metrics::SegmentationResult& result) {
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const auto reaches = [&](const std::vector<metrics::Score>& scores) {
      return is_reliable(result.settings, *result.settings.metrics[m], metrics::summary(scores));
    };
    if (reaches(metrics::case_averages(result, m))) return true;
    for (std::size_t r = 0; r < result.regions.size(); ++r)
      if (reaches(metrics::region_scores(result, m, r))) return true;
  }
  return false;
}

/// What the first table is the average of; "" where there is nothing to average.
std::string average_title(const metrics::SegmentationResult& result, const TerminalStyle& style) {
  if (result.regions.size() < 2) return "";
  return bold("mean over " + printable(metrics::averaged_words(result.regions, most_keys)),
              style.color) +
         "\n";
}

std::string saved_table(const metrics::ScoreSettings& settings,
                        const std::vector<results::SavedSummary>& metrics) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(metrics.size());
  for (const results::SavedSummary& saved : metrics)
    rows.push_back(summary_row(settings, *saved.metric, saved.summary,
                               undefined_text(saved.summary.undefined)));
  return text_table(summary_columns, rows);
}

}  // namespace

std::string summary_table(const metrics::SegmentationResult& result, const TerminalStyle& style) {
  return average_title(result, style) +
         table_of(result, [&](std::size_t m) { return shown_averages(result, m); }) +
         left_out_of_cases(result);
}

std::string terminal_report(const results::SegmentationFile& run,
                            const metrics::ScoreSettings& settings, const TerminalStyle& style) {
  metrics::SegmentationResult known = {
      .settings = settings, .regions = {}, .cases = {}, .ledger = *run.ledger};
  known.settings.metrics.clear();
  for (const results::SavedSummary& saved : run.metrics)
    known.settings.metrics.push_back(*saved.metric);
  for (const results::SavedLabel& label : run.labels) known.regions.push_back(label.region);
  std::string out = headline(known, style) + "\n" + average_title(known, style);
  out += saved_table(settings, run.metrics);
  if (run.labels.size() > 1)
    for (const results::SavedLabel& label : run.labels)
      out += "\n" + bold(title_of(label.region), style.color) + "\n" +
             saved_table(settings, label.metrics);
  std::string failures;
  for (const results::SavedSummary& saved : run.metrics)
    failures += failure_line(*saved.metric, saved.failures);
  return out + (failures.empty() ? "" : "\nmeans without and with the model's failures\n") +
         failures;
}

std::string terminal_report(const metrics::SegmentationResult& result, const TerminalStyle& style) {
  std::string out =
      headline(result, style) + "\n" + summary_table(result, style) + label_tables(result, style);
  if (any_reliable(result))
    out += fmt::format("{} mean Dice ≥ {}: reliable for stroke lesions (Liew et al. 2022)\n",
                       reliable_sign, metrics::reliable_dice);
  return out + best_thresholds(result) + effect_of_failures(result) +
         worst_cases(result, style.worst_cases);
}

}  // namespace assay::report
