// SPDX-License-Identifier: Apache-2.0
#include "assay/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/report/text_table.hpp"

namespace assay {
namespace {

constexpr std::string_view absent = "–";

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

std::string undefined_text(const Summary& s) {
  std::string out;
  for (const Undefined why : all_undefined)
    if (const auto count = s.undefined[static_cast<std::size_t>(why)]; count != 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name(why));
  return out.empty() ? std::string(absent) : out;
}

/// Stars are for significant differences; this sign is for a mean that reaches a threshold.
constexpr std::string_view reliable_sign = "†";

/// Whether the mean reaches what the source of the paper's metrics calls reliable.
bool is_reliable(const ScoreSettings& settings, const Metric& metric, const Summary& s) {
  return settings.marks_reliable && metric.name == "dice" && s.mean && *s.mean >= reliable_dice;
}

std::vector<std::string> summary_row(const ScoreSettings& settings, const ChosenMetric& chosen,
                                     const Summary& s) {
  const Metric& metric = *chosen;
  std::string label = chosen.key;
  if (!metric.unit.empty() && !label.ends_with("_ml")) label += fmt::format(" ({})", metric.unit);
  return {label,
          number(s.mean).append(is_reliable(settings, metric, s) ? reliable_sign : " "),
          number(s.std),
          number(s.median),
          interval(s.q25, s.q75),
          s.ci95 ? interval(s.ci95->first, s.ci95->second) : std::string(absent),
          std::to_string(s.n),
          undefined_text(s)};
}

const std::vector<Column> summary_columns = {
    {"", Align::left}, {"mean "},   {"SD"}, {"median"},
    {"IQR"},           {"95 % CI"}, {"n"},  {"undefined", Align::left},
};

template <class ScoresOf>
std::string table_of(const SegmentationResult& result, ScoresOf scores_of) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    rows.push_back(summary_row(result.settings, result.settings.metrics[m], summary(scores_of(m))));
  return text_table(summary_columns, rows);
}

std::string bold(std::string_view text, const TerminalStyle& style) {
  return style.color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

/// No lesion metric without the rule that it depends on.
std::string lesion_rule_text(const LesionSettings& s) {
  return fmt::format(" · lesions: rule {}, {} neighbours{}", name(s.rule),
                     static_cast<int>(s.connectivity),
                     s.least_ml > 0 ? fmt::format(", at least {:g} mL", s.least_ml) : "");
}

std::string headline(const SegmentationResult& result, const TerminalStyle& style) {
  const Ledger& l = result.ledger;
  std::string out = bold(result.settings.model_name, style) +
                    fmt::format(": {} of {} cases scored", l.scored, l.expected);
  if (l.failed != 0) out += fmt::format(" · {} failed", l.failed);
  if (l.missing_prediction != 0)
    out += fmt::format(" · {} without prediction", l.missing_prediction);
  if (l.missing_reference != 0) out += fmt::format(" · {} without reference", l.missing_reference);
  out += fmt::format(" · convention {}", result.settings.convention->name);
  if (const auto& source = result.settings.source)
    out += fmt::format(" · recipe {} · metrics on the {}", source->recipe,
                       source->space == "model" ? "model's grid" : "reference's own grid");
  if (needs_lesions(result.settings)) out += lesion_rule_text(result.settings.lesions);
  if (result.settings.missing == Missing::worst) out += " · failures count as worst";
  return out + "\n";
}

std::string title_of(const Region& region) {
  return region.name == region.key ? "label " + region.key
                                   : fmt::format("label {} ({})", region.key, region.name);
}

std::string label_tables(const SegmentationResult& result, const TerminalStyle& style) {
  if (result.regions.size() < 2) return "";
  std::string out;
  for (std::size_t r = 0; r < result.regions.size(); ++r)
    out += "\n" + bold(title_of(result.regions[r]), style) + "\n" +
           table_of(result, [&](std::size_t m) { return region_scores(result, m, r); });
  return out;
}

std::string worst_text(const Metric& metric) {
  return metric.worst == infinity ? "the image's diagonal" : number(metric.worst);
}

std::string effect_of_failures(const SegmentationResult& result) {
  std::string out;
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m)
    if (const auto means = both_means(result, m))
      out += fmt::format("  {}: {} over scored cases, {} if failures count as worst ({})\n",
                         result.settings.metrics[m].key, number(means->scored_only),
                         number(means->with_worst), worst_text(*result.settings.metrics[m]));
  return out.empty() ? "" : "\nmean under both policies for failed or missing predictions\n" + out;
}

/// Where a map of probabilities would best be cut.
std::string best_thresholds(const SegmentationResult& result) {
  std::string out;
  for (std::size_t r = 0; r < result.regions.size(); ++r)
    if (const auto best = best_threshold(sweep_means(result, r)))
      out += fmt::format("  {}: {:g}, mean Dice {}\n", printable(result.regions[r].key),
                         best->threshold, number(best->dice));
  return out.empty() ? "" : "\nbest threshold of the probabilities on these cases\n" + out;
}

/// The first metric that has a direction decides which cases are worst.
std::string worst_cases(const SegmentationResult& result, std::size_t count) {
  const auto& metrics = result.settings.metrics;
  const auto judged = std::ranges::find_if(metrics, [](const ChosenMetric& m) {
    return m->better == Better::higher || m->better == Better::lower;
  });
  if (judged == metrics.end() || result.ledger.scored < 2) return "";
  const auto m = static_cast<std::size_t>(judged - metrics.begin());
  const bool low_is_bad = judged->metric->better == Better::higher;

  std::vector<std::pair<double, std::string>> ranked;
  const auto averages = case_averages(result, m);
  std::size_t at = 0;
  for (const CaseScores& c : result.cases) {
    if (c.labels.empty()) continue;
    if (const auto x = value(averages[at++]); x && c.record.fate == Fate::scored)
      ranked.emplace_back(low_is_bad ? *x : -*x, c.record.id);
  }
  std::ranges::sort(ranked);
  ranked.resize(std::min(ranked.size(), count));
  std::string out = fmt::format("\nworst cases by {}\n", judged->key);
  for (const auto& [x, id] : ranked)
    out += fmt::format("  {}  {}\n", number(low_is_bad ? x : -x), printable(id));
  return out;
}

bool any_reliable(const SegmentationResult& result) {
  for (std::size_t m = 0; m < result.settings.metrics.size(); ++m) {
    const auto reaches = [&](const std::vector<Score>& scores) {
      return is_reliable(result.settings, *result.settings.metrics[m], summary(scores));
    };
    if (reaches(case_averages(result, m))) return true;
    for (std::size_t r = 0; r < result.regions.size(); ++r)
      if (reaches(region_scores(result, m, r))) return true;
  }
  return false;
}

}  // namespace

std::string summary_table(const SegmentationResult& result, const TerminalStyle& style) {
  std::string out;
  if (result.regions.size() > 1)
    out += bold(fmt::format("mean over {} labels", result.regions.size()), style) + "\n";
  return out + table_of(result, [&](std::size_t m) { return case_averages(result, m); });
}

std::string terminal_report(const SegmentationResult& result, const TerminalStyle& style) {
  std::string out =
      headline(result, style) + "\n" + summary_table(result, style) + label_tables(result, style);
  if (any_reliable(result))
    out += fmt::format("{} mean Dice ≥ {}: reliable for stroke lesions (Liew et al. 2022)\n",
                       reliable_sign, reliable_dice);
  return out + best_thresholds(result) + effect_of_failures(result) +
         worst_cases(result, style.worst_cases);
}

}  // namespace assay
