// SPDX-License-Identifier: Apache-2.0
/// The first lines of the page: the result in a sentence, and what became of every case.
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

/// How the sentence says each chip: of one model, of several, and towards the baseline, which only
/// the first part of the sentence names.
struct ResultPhrase {
  std::string_view chip, one, several, first, later{};
};
constexpr ResultPhrase phrases[] = {
    {"better", "is better", "are better", " than "},
    {"equivalent", "is equivalent", "are equivalent", " to "},
    {"not inferior", "is not inferior", "are not inferior", " to "},
    {"different", "differs", "differ", " from "},
    {"worse", "is worse", "are worse", " than "},
    {"undecided", "cannot be told apart", "cannot be told apart", " from ", " from it"},
    {"too few pairs", "has too few cases to be compared", "have too few cases to be compared",
     " with "},
    {"not compared", "has no case in common", "have no case in common", " with ", " with it"},
};

std::string bold(std::string_view text) {
  return "<b>" + html_escaped(text) + "</b>";
}

/// "a, b and c", or how many where they are many.
std::string models_html(const std::vector<std::string>& names) {
  constexpr std::size_t most_names = 4;
  if (names.size() > most_names) return bold(counted(names.size(), "model"));
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(bold(name));
  return listed(out);
}

/// "Dice of whole tumour", "Dice (mean over 3 labels)".
std::string judged_by(const Study& study, const std::string& metric) {
  const std::string label = label_words(study);
  std::string words = report::metric_words(metric);
  if (label.empty()) return words;
  return label.starts_with("mean over ") ? words + " (" + label + ")" : words + " of " + label;
}

std::string compared_sentence(const Study& study, const compare::MetricComparison& metric) {
  const compare::Comparison& comparison = *study.comparison;
  const std::string baseline = bold(comparison.models[comparison.baseline].name);
  std::vector<std::string> parts;
  for (const ResultPhrase& phrase : phrases) {
    std::vector<std::string> names;
    for (const compare::PairComparison& pair : metric.pairs)
      if (chip_of(metric, pair).word == phrase.chip) names.push_back(pair.result.model_name);
    if (names.empty()) continue;
    const bool is_first = parts.empty();
    parts.push_back(models_html(names) + " " +
                    std::string(names.size() == 1 ? phrase.one : phrase.several) +
                    (is_first ? std::string(phrase.first) + baseline : std::string(phrase.later)));
  }
  return fmt::format("Judged by {} on {}, {}.", html_escaped(judged_by(study, metric.metric.name)),
                     counted(comparison.matching.ids.size(), "case"), joined(parts, "; "));
}

std::string single_sentence(const Study& study, const std::string& metric) {
  const compare::ResultTable& table = study.models.front();
  const std::size_t listed_cases = table.cases + table.unscored.size();
  const metrics::Summary s = metric.empty() ? metrics::Summary{} : mean_of(study, 0, metric);
  if (!s.mean)
    return fmt::format("{} was measured on {}.", bold(table.model_name),
                       counted(listed_cases, "case"));
  const std::string interval =
      s.ci95 ? fmt::format(" (95 % interval {} to {})", compare::plain_number(s.ci95->first),
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

std::string questions_sentence(const QaStudyPart& part) {
  const std::vector<qa::ItemResult>& items = part.result.results;
  return fmt::format("{} answered {} of {} of {} correctly.", bold(part.result.model_name),
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

VerdictChip chip_of(const compare::MetricComparison& metric, const compare::PairComparison& pair) {
  constexpr std::array<VerdictChip, 5> by_verdict = {{{"different", "different"},
                                                      {"equivalent", "equivalent"},
                                                      {"not inferior", "equivalent"},
                                                      {"undecided", "undecided"},
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
  for (const std::string& metric : metrics)
    out += fmt::format("<p class=\"lead\" data-metric=\"{}\"{}>{}</p>\n", html_escaped(metric),
                       out.empty() ? "" : " hidden", models_sentence(study, metric));
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

// What became of every case: a line, and the whole account for those who open it.

namespace {

constexpr std::size_t most_reasons = 50;  // lines of the ledger; the table of cases has all

/// Values that means leave out, by metric of the first screen: "9 of Dice".
std::vector<std::string> left_out_of(const Study& study, std::size_t model) {
  std::vector<std::string> out;
  for (const std::string& metric : shown_metrics(study)) {
    const compare::MetricColumn* column = compare::column_of(shown_columns(study, model), metric);
    if (column == nullptr) continue;
    const auto finite = std::ranges::count_if(column->values, is_finite);
    const auto lost = column->values.size() - static_cast<std::size_t>(finite);
    const std::size_t failed = column->failed.size();
    if (lost != 0)
      out.push_back(fmt::format("{} of {}{}", lost, metric_title(study, metric),
                                failed == 0 ? "" : fmt::format(" ({} by the model)", failed)));
  }
  return out;
}

std::string ledger_row(const Study& study, std::size_t model, std::size_t shared) {
  const compare::ResultTable& table = study.models[model];
  const std::vector<std::string> left_out = left_out_of(study, model);
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td "
      "class=\"number\">{}</td><td class=\"number{}\">{}</td><td class=\"number{}\">{}</td><td "
      "class=\"number\">{}</td></tr>\n",
      html_escaped(table.model_name), table.cases + table.unscored.size(), table.cases,
      table.unscored.empty() ? "" : " bad", table.unscored.size(), left_out.empty() ? "" : " bad",
      left_out.empty() ? "0" : html_escaped(joined(left_out, ", ")),
      shared == 0 ? "–" : std::to_string(shared));
}

std::size_t unscored_count(const Study& study) {
  std::size_t all = 0;
  for (const compare::ResultTable& table : study.models) all += table.unscored.size();
  return all;
}

/// "sub-009 of good (there is no prediction …)" of few cases, "good 12, over 3" of many.
std::string lost_words(const Study& study) {
  constexpr std::size_t most_named = 3;
  const bool named = unscored_count(study) <= most_named;
  std::vector<std::string> out;
  for (const compare::ResultTable& table : study.models) {
    if (!named && !table.unscored.empty())
      out.push_back(fmt::format("{} of {}", table.unscored.size(), table.model_name));
    for (const compare::UnscoredCase& one : table.unscored)
      if (named) out.push_back(fmt::format("{} of {} ({})", one.id, table.model_name, one.reason));
  }
  return joined(out, ", ");
}

/// Whether the tests and means take a lost case as a failure of its model.
bool counts_as_failure(const Study& study, const compare::UnscoredCase& one) {
  return study.comparison &&
         study.comparison->settings.undefined == compare::UndefinedPolicy::worst && one.failed &&
         std::ranges::binary_search(study.comparison->matching.ids, one.id);
}

std::string lost_sentence(const Study& study) {
  const std::size_t lost = unscored_count(study);
  if (lost == 0) {
    for (std::size_t m = 0; m < study.models.size(); ++m)
      if (!left_out_of(study, m).empty())
        return "Every case was scored; values that are undefined or infinite are left out of "
               "means.";
    return "Nothing failed and nothing was missing.";
  }
  std::size_t counted_ones = 0;
  for (const compare::ResultTable& table : study.models)
    counted_ones += static_cast<std::size_t>(std::ranges::count_if(
        table.unscored,
        [&](const compare::UnscoredCase& one) { return counts_as_failure(study, one); }));
  const std::string as = counted_ones == 0 ? ""
                         : lost == 1       ? " and counted as a failure"
                         : counted_ones == lost
                             ? " and counted as failures"
                             : fmt::format(" ({} of them counted as failures)", counted_ones);
  return fmt::format("{} not scored{}: {}.", lost, as, lost_words(study));
}

/// "24 cases expected, 24 compared. 2 not scored and counted as failures: …"
std::string ledger_line(const Study& study) {
  const std::size_t expected = study.ids.size();
  std::string out = counted(expected, "case") + " expected";
  if (study.comparison) {
    const std::size_t compared = study.comparison->matching.ids.size();
    out += fmt::format(", {} compared", compared);
    if (compared < expected) out += fmt::format(", {} left out", expected - compared);
  } else if (study.models.size() == 1) {
    out += fmt::format(", {} scored", study.models.front().cases);
  }
  return out + ". " + lost_sentence(study);
}

std::string reasons(const Study& study) {
  std::string list;
  std::size_t all = 0;
  for (const compare::ResultTable& table : study.models)
    for (const compare::UnscoredCase& one : table.unscored) {
      if (++all > most_reasons) continue;
      list += fmt::format("<li><b>{}</b> of {}: {}</li>\n", html_escaped(one.id),
                          html_escaped(table.model_name), html_escaped(one.reason));
    }
  if (all > most_reasons)
    list += fmt::format("<li>and {} more: see the table of cases</li>\n", all - most_reasons);
  return list.empty() ? "" : "<ul>" + list + "</ul>\n";
}

}  // namespace

std::string ledger(const Study& study) {
  const std::size_t shared = study.comparison ? study.comparison->matching.ids.size() : 0;
  std::string rows;
  for (std::size_t m = 0; m < study.models.size(); ++m) rows += ledger_row(study, m, shared);
  return "<details class=\"account\"><summary>" + html_escaped(typeset(ledger_line(study))) +
         "</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Ledger\">"
         "<table class=\"ledger\"><caption class=\"unseen\">What became of every case</caption>"
         "<thead><tr><th scope=\"col\">Model</th><th scope=\"col\" class=\"number\">listed</th><th "
         "scope=\"col\" class=\"number\">scored</th><th scope=\"col\" class=\"number\">failed or "
         "missing</th><th scope=\"col\" class=\"number\">undefined or infinite</th><th "
         "scope=\"col\" class=\"number\">compared</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n" + reasons(study) + "</details>\n";
}

}  // namespace assay::report
