// SPDX-License-Identifier: Apache-2.0
/// The first lines of the page: the result in a sentence, and the failures that count in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

/// How a sentence expresses each chip: for one model, for several, and the words before the
/// baseline. The first part of the sentence names the baseline. Later parts do so only if the
/// phrase would be incomplete without it (`always_towards`).
struct ResultPhrase {
  std::string_view chip, one, several, towards;
  bool always_towards = false;
};
constexpr ResultPhrase phrases[] = {
    {"better", "is better", "are better", " than "},
    {"equivalent", "is equivalent", "are equivalent", " to "},
    {"non-inferior", "is non-inferior", "are non-inferior", " to "},
    {"different", "differs", "differ", " from "},
    {"worse", "is worse", "are worse", " than "},
    {"inconclusive", "cannot be told apart", "cannot be told apart", " from ", true},
    {"too few pairs", "has too few cases to be compared", "have too few cases to be compared",
     " with "},
    {"not compared", "has no case in common", "have no case in common", " with ", true},
};

constexpr std::size_t most_named_models = 4;  // in a sentence; more models are only counted

/// What the metrics of the table say about one model against the baseline.
struct ModelFinding {
  std::string name;
  std::string_view word;                       ///< the verdict in the metric of the sentence
  std::vector<std::string> better{}, worse{};  ///< other metrics that disagree with the word
  std::size_t agreeing = 0;                    ///< number of metrics, if several and all agree

  bool disagrees() const { return !better.empty() || !worse.empty(); }
  bool disagrees_like(const ModelFinding& other) const {
    return better == other.better && worse == other.worse;
  }
};
using Findings = std::vector<ModelFinding>;

Findings findings_in(const compare::Comparison& comparison,
                     const compare::MetricComparison& metric) {
  Findings out;
  for (std::size_t p = 0; p < metric.pairs.size(); ++p) {
    ModelFinding& found = out.emplace_back(
        ModelFinding{metric.pairs[p].result.model_name, chip_of(metric, metric.pairs[p]).word});
    const std::size_t all = comparison.metrics.size();
    found.agreeing = all > 1 ? all : 0;
    for (const compare::MetricComparison& other : comparison.metrics) {
      const std::string_view word = chip_of(other, other.pairs[p]).word;
      if (word == found.word) continue;
      found.agreeing = 0;
      if (found.word == "different") continue;  // neither better nor worse: nothing can contradict
      if (word == "better") found.better.push_back(report::metric_words(other.metric.name));
      if (word == "worse") found.worse.push_back(report::metric_words(other.metric.name));
    }
  }
  return out;
}

std::string bold(std::string_view text) {
  return "<b>" + html_escaped(text) + "</b>";
}

/// "a, b and c", or how many if there are many.
std::string models_html(const Findings& findings) {
  if (findings.size() > most_named_models) return bold(counted(findings.size(), "model"));
  std::vector<std::string> out;
  out.reserve(findings.size());
  for (const ModelFinding& found : findings) out.push_back(bold(found.name));
  return listed(out);
}

/// "Dice of whole tumour", "Dice (mean of core and oedema)".
std::string judged_by(const Study& study, const std::string& metric) {
  const LabelWords label = label_words(study);
  std::string words = report::metric_words(metric);
  if (label.text.empty()) return words;
  return label.is_mean ? words + " (" + label.text + ")" : words + " of " + label.text;
}

/// The models of one verdict, separated if other metrics disagree in different ways. They stay
/// together if there are many models.
std::vector<Findings> parts_of(const Findings& all, std::string_view word) {
  std::vector<Findings> out;
  for (const ModelFinding& found : all) {
    if (found.word != word) continue;
    const auto like = std::ranges::find_if(out, [&](const Findings& part) {
      return all.size() > most_named_models || part.front().disagrees_like(found);
    });
    if (like == out.end())
      out.push_back({found});
    else
      like->push_back(found);
  }
  return out;
}

/// "its lesion F1 and HD95 are worse", or how many metrics are.
std::string metrics_clause(const std::vector<std::string>& metrics, std::string_view word,
                           bool one_model) {
  constexpr std::size_t most_metrics = 3;
  if (metrics.size() > most_metrics)
    return fmt::format("{} {} on {}", one_model ? "it is" : "they are", word,
                       counted(metrics.size(), "other metric"));
  return fmt::format("{} {} {} {}", one_model ? "its" : "their", html_escaped(listed(metrics)),
                     metrics.size() == 1 ? "is" : "are", word);
}

/// ", but its lesion F1 is worse", if other metrics of the table disagree; "" if none does.
std::string disagreement(const Findings& part) {
  const auto disagreeing = std::ranges::count_if(part, &ModelFinding::disagrees);
  if (disagreeing == 0) return "";
  const bool has_better =
      std::ranges::any_of(part, [](const ModelFinding& one) { return !one.better.empty(); });
  const bool has_worse =
      std::ranges::any_of(part, [](const ModelFinding& one) { return !one.worse.empty(); });
  const ModelFinding& first = part.front();
  if (std::ranges::all_of(part, [&](const auto& one) { return one.disagrees_like(first); })) {
    std::vector<std::string> clauses;
    if (has_worse) clauses.push_back(metrics_clause(first.worse, "worse", part.size() == 1));
    if (has_better) clauses.push_back(metrics_clause(first.better, "better", part.size() == 1));
    return ", but " + joined(clauses, " and ");
  }
  return fmt::format(
      ", but {} of them {} {} on another metric",
      static_cast<std::size_t>(disagreeing) == part.size() ? "all" : std::to_string(disagreeing),
      disagreeing == 1 ? "is" : "are",
      has_better && has_worse ? "better or worse"
      : has_better            ? "better"
                              : "worse");
}

/// " on all 4 metrics", for models about which all metrics say the same.
std::string agreement(const Findings& part) {
  const std::size_t metrics = part.front().agreeing;
  const bool is_decided = part.front().word == "better" || part.front().word == "worse";
  if (!is_decided || std::ranges::any_of(part, [](const auto& one) { return one.agreeing == 0; }))
    return "";
  return metrics == 2 ? " on both metrics" : fmt::format(" on all {} metrics", metrics);
}

/// "a is better than base, but its NSD is worse; b is worse on all 4 metrics". That metrics agree
/// is said only if they disagree for another model.
std::string verdicts_html(const Findings& findings, std::string_view baseline) {
  const bool some_disagree = std::ranges::any_of(findings, &ModelFinding::disagrees);
  std::vector<std::string> parts;
  for (const ResultPhrase& phrase : phrases)
    for (const Findings& part : parts_of(findings, phrase.chip)) {
      const bool names_baseline = parts.empty() || phrase.always_towards;
      parts.push_back(models_html(part) + " " +
                      std::string(part.size() == 1 ? phrase.one : phrase.several) +
                      (names_baseline ? std::string(phrase.towards) + bold(baseline) : "") +
                      (some_disagree ? agreement(part) : "") + disagreement(part));
    }
  return joined(parts, "; ");
}

std::string compared_sentence(const Study& study, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *study.comparison;
  return fmt::format(
      "Judged by {} on {}, {}.", html_escaped(judged_by(study, metric.metric.name)),
      counted(comparison.matching.ids.size(), "case"),
      verdicts_html(findings_in(comparison, metric), comparison.models[comparison.baseline].name));
}

std::string single_sentence(const Study& study, const std::string& metric) {
  const compare::ResultTable& table = study.models.front();
  const std::size_t listed_cases = table.cases + table.unscored.size();
  const metrics::Summary s = metric.empty() ? metrics::Summary{} : mean_of(study, 0, metric);
  if (!s.mean)
    return fmt::format("{} was measured on {}.", bold(table.model_name),
                       counted(listed_cases, "case"));
  const std::string interval = s.ci95 ? fmt::format(" (95 % confidence interval {} to {})",
                                                    compare::plain_number(s.ci95->first),
                                                    compare::plain_number(s.ci95->second))
                                      : "";
  const std::string what = judged_by(study, metric);
  const std::string cases = s.n == listed_cases
                                ? counted(s.n, "case")
                                : fmt::format("{} of {}", s.n, counted(listed_cases, "case"));
  const std::string start =
      what == report::metric_words(metric) && what.find(" of ") == std::string::npos
          ? fmt::format("{} has a mean {} of", bold(table.model_name), html_escaped(what))
          : fmt::format("Judged by {}, {} has a mean of", html_escaped(what),
                        bold(table.model_name));
  const auto known = metric_in(study, metric);
  const std::string unit = known && !(*known)->unit.empty()
                               ? "\u00A0" + std::string(unit_in(**known, length_unit(study)))
                               : "";
  return fmt::format("{} {}{}{} on {}.", start, bold(typeset(compare::plain_number(*s.mean))), unit,
                     typeset(interval), cases);
}

// Failures that count as the worst value: which models have them, and whether they decide.

/// What a failure counts as in a metric: "the worst score (Dice 0)".
std::string counted_as(const compare::MetricComparison& metric) {
  const auto row = compare::metric_of(metric.metric);
  if (metric.values.guess || !row || !(*row)->failure) return "the worst score of any model";
  const double worst = *(*row)->failure;
  if (std::isinf(worst)) return "the worst score (the diagonal of the image)";
  return fmt::format("the worst score ({} {}{:g})", report::metric_words(metric.metric.name),
                     metric.metric.better == metrics::Better::zero ? "±" : "", worst);
}

/// Cases in which a failure of any model counts.
std::size_t cases_with_failures(const compare::ComparedValues& values) {
  std::size_t out = 0;
  const std::size_t all = values.values.empty() ? 0 : values.values.front().size();
  for (std::size_t i = 0; i < all; ++i) {
    bool counts = false;
    for (std::size_t m = 0; m < values.values.size(); ++m)
      counts = counts || (values.failed[m][i] && values.values[m][i]);
    out += counts ? 1 : 0;
  }
  return out;
}

/// "good failed on 2 of 24 cases and over on 1".
std::string who_failed(const compare::Comparison& comparison,
                       const compare::MetricComparison& metric) {
  std::vector<std::string> parts;
  std::size_t fewest = 0, most = 0;
  const std::string of = " of " + counted(comparison.matching.ids.size(), "case");
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    const std::size_t count = counted_failures(metric, m).count;
    if (count == 0) continue;
    parts.push_back(fmt::format("{}{} on {}{}", bold(comparison.models[m].name),
                                parts.empty() ? " failed" : "", count, parts.empty() ? of : ""));
    fewest = parts.size() == 1 ? count : std::min(fewest, count);
    most = std::max(most, count);
  }
  if (parts.size() <= most_named_models) return listed(parts);
  return fmt::format("{} failed, {} on {}{}", bold(counted(parts.size(), "model")),
                     fewest == most ? "each" : "the worst", most, of);
}

/// Which verdicts change when the cases with failures are left out, or that none does. "" if there
/// is no comparison without them.
std::string without_failures(const Study& study, const compare::MetricComparison& counted_ones) {
  if (!study.without_failures) return "";
  const compare::Comparison& without = *study.without_failures;
  const auto same = std::ranges::find_if(without.metrics, [&](const auto& metric) {
    return metric.metric.name == counted_ones.metric.name;
  });
  if (same == without.metrics.end()) return "";
  Findings changed;
  for (std::size_t p = 0; p < same->pairs.size(); ++p) {
    const std::string_view word = chip_of(*same, same->pairs[p]).word;
    if (word != chip_of(counted_ones, counted_ones.pairs[p]).word)
      changed.push_back({same->pairs[p].result.model_name, word});
  }
  const std::size_t cases = cases_with_failures(counted_ones.values);
  const std::string these = cases == 1 ? "this case" : fmt::format("these {} cases", cases);
  if (changed.empty())
    return fmt::format(" {} the same without {}.",
                       same->pairs.size() == 1 ? "The verdict is" : "The verdicts are", these);
  return fmt::format(" Without {}, {}.", these,
                     verdicts_html(changed, without.models[without.baseline].name));
}

/// For one model, or several that are not compared: says that their means leave failures out.
std::string left_out_failures(const Study& study, const std::string& metric) {
  std::vector<std::string> parts;
  compare::ColumnFailures last;
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const auto* column = compare::column_of(shown_columns(study, m), metric);
    if (column == nullptr) continue;
    const compare::ColumnFailures found = compare::failures_of(study.models[m], *column);
    if (found.failures == 0) continue;
    last = found;
    parts.push_back(fmt::format("{} of {}", found.failures, bold(study.models[m].model_name)));
  }
  if (parts.empty()) return "";
  if (study.models.size() > 1)
    return parts.size() > most_named_models
               ? fmt::format("Means leave out the failures of {}.", counted(parts.size(), "model"))
               : "Means leave out failures: " + listed(parts) + ".";
  return fmt::format("The mean leaves out {}.{}", bold(counted(last.failures, "failure")),
                     last.mean_with
                         ? fmt::format(" With {} counted as the worst value, it is {}.",
                                       last.failures == 1 ? "it" : "them",
                                       bold(typeset(compare::plain_number(*last.mean_with))))
                         : "");
}

/// Which failures count in the sentence about a metric, as what, and whether they decide; "" if
/// nothing failed.
std::string failures_sentence(const Study& study, const std::string& metric) {
  if (!study.comparison) return left_out_failures(study, metric);
  for (const compare::MetricComparison& compared : study.comparison->metrics) {
    if (compared.metric.name != metric || cases_with_failures(compared.values) == 0) continue;
    return fmt::format("{}; each failure counts as {}.{}", who_failed(*study.comparison, compared),
                       html_escaped(counted_as(compared)), without_failures(study, compared));
  }
  return "";
}

std::string questions_sentence(const QaStudyPart& part) {
  const std::vector<qa::ItemResult>& items = part.result.results;
  return fmt::format("{} answered {} of {} correctly (benchmark {}).", bold(part.result.model_name),
                     std::ranges::count_if(items, &qa::ItemResult::correct),
                     counted(items.size(), "question"), html_escaped(part.result.benchmark_name));
}

/// What else is on the page, in a line.
std::string further_parts(const Study& study) {
  std::vector<std::string> parts;
  if (!study.parity.empty()) parts.push_back(counted(study.parity.size(), "check") + " of parity");
  if (!study.folds.empty()) parts.push_back(counted(study.folds.size(), "cross-validation"));
  return parts.empty() ? "" : element("p", "Also on this page: " + listed(parts) + ".");
}

}  // namespace

std::string models_sentence(const Study& study, const std::string& metric) {
  if (study.comparison && !study.comparison->metrics.empty()) {
    for (const compare::MetricComparison& compared : study.comparison->metrics)
      if (compared.metric.name == metric) return compared_sentence(study, compared);
    return "";
  }
  if (study.models.size() == 1) return single_sentence(study, metric);
  return fmt::format("{} were measured on {}. They are not compared.",
                     counted(study.models.size(), "model"), counted(study.ids.size(), "case"));
}

CountedFailures counted_failures(const compare::MetricComparison& metric, std::size_t model) {
  CountedFailures out;
  if (model >= metric.values.values.size()) return out;
  double sum = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < metric.values.values[model].size(); ++i) {
    const std::optional<double>& value = metric.values.values[model][i];
    if (!value) continue;
    if (metric.values.failed[model][i]) {
      ++out.count;
    } else {
      sum += *value;
      ++others;
    }
  }
  if (others != 0) out.mean_without = sum / static_cast<double>(others);
  return out;
}

VerdictChip chip_of(const compare::MetricComparison& metric, const compare::PairComparison& pair) {
  constexpr std::array<VerdictChip, 5> by_verdict = {{{"different", "different"},
                                                      {"equivalent", "equivalent"},
                                                      {"non-inferior", "equivalent"},
                                                      {"inconclusive", "undecided"},
                                                      {"too few pairs", "undecided"}}};
  constexpr std::array<VerdictChip, 4> by_standing = {{{"different", "different"},
                                                       {"better", "better"},
                                                       {"worse", "worse"},
                                                       {"different", "different"}}};
  if (pair.n == 0) return {"not compared", "undecided"};
  if (pair.result.verdict != stats::Verdict::different)
    return by_verdict[static_cast<std::size_t>(pair.result.verdict)];
  return by_standing[static_cast<std::size_t>(compare::standing_of(metric, pair))];
}

std::string chip_html(const VerdictChip& chip) {
  return fmt::format("<b class=\"chip {}\">{}</b>", chip.css, chip.word);
}

std::string lead_html(const Study& study) {
  if (study.models.empty()) return "";
  const std::vector<std::string> metrics = shown_metrics(study);
  if (metrics.empty()) return "<p class=\"lead\">" + models_sentence(study, "") + "</p>\n";
  std::string out;
  for (const std::string& metric : metrics) {
    const std::string choice =
        fmt::format("data-metric=\"{}\"{}", html_escaped(metric), out.empty() ? "" : " hidden");
    out += fmt::format("<p class=\"lead\" {}>{}</p>\n", choice, models_sentence(study, metric));
    if (const std::string failed = failures_sentence(study, metric); !failed.empty())
      out += fmt::format("<p class=\"failures\" {}>{}</p>\n", choice, failed);
  }
  return out;
}

std::string answers_sentences(const Study& study) {
  constexpr std::size_t most_benchmarks = 2;
  std::string out;
  const std::string_view css = study.models.empty() ? " class=\"lead\"" : "";
  for (std::size_t i = 0; i < std::min(study.qa.size(), most_benchmarks); ++i)
    out += fmt::format("<p{}>{}</p>\n", css, questions_sentence(study.qa[i]));
  if (study.qa.size() > most_benchmarks)
    out += element("p", fmt::format("Answers to {} more are below.",
                                    counted(study.qa.size() - most_benchmarks, "benchmark")));
  return out + further_parts(study);
}

}  // namespace assay::report
