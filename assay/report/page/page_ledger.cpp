// SPDX-License-Identifier: Apache-2.0
/// What became of every case: one line, which opens to the full account.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
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

/// "good has no score for 2 cases, over for 1"; if there are many models, only how many.
std::string lost_words(const Study& study) {
  constexpr std::size_t most_named_losses = 3;
  std::vector<std::string> parts;
  std::size_t lost = 0;
  for (const compare::ResultTable& table : study.models) {
    const std::size_t here = table.unscored.size();
    if (here == 0) continue;
    lost += here;
    parts.push_back(fmt::format("{}{} for {}", table.model_name,
                                parts.empty() ? " has no score" : "",
                                parts.empty() ? counted(here, "case") : std::to_string(here)));
  }
  if (parts.empty()) return "";
  if (study.models.size() == 1) return fmt::format("{} {} not", lost, lost == 1 ? "was" : "were");
  if (parts.size() <= most_named_losses) return joined(parts, ", ");
  return fmt::format("{} of {} are missing", counted(lost, "score"),
                     counted(parts.size(), "model"));
}

/// Whether the mean of a metric leaves out a case that its model was scored on.
bool leaves_out_values(const Study& study) {
  if (!study.comparison) {
    for (std::size_t m = 0; m < study.models.size(); ++m)
      if (!left_out_of(study, m).empty()) return true;
    return false;
  }
  const std::size_t compared = study.comparison->matching.ids.size();
  return std::ranges::any_of(study.comparison->metrics, [&](const auto& metric) {
    return std::ranges::any_of(metric.models, [&](const auto& s) { return s.n < compared; });
  });
}

/// "All 24 cases were compared", "22 of 24 cases were scored".
std::string done_words(const Study& study) {
  const std::size_t expected = study.ids.size();
  if (!study.comparison && study.models.size() > 1) return counted(expected, "case") + " expected";
  const std::size_t done =
      study.comparison ? study.comparison->matching.ids.size() : study.models.front().cases;
  const std::string_view verb = study.comparison ? "compared" : "scored";
  if (done < expected)
    return fmt::format("{} of {} {} {}", done, counted(expected, "case"),
                       done == 1 ? "was" : "were", verb);
  return expected == 1 ? fmt::format("The only case was {}", verb)
                       : fmt::format("All {} cases were {}", expected, verb);
}

/// "All 24 cases were compared; good has no score for 2 cases."
std::string ledger_line(const Study& study) {
  const std::string lost = lost_words(study);
  return done_words(study) + (lost.empty() ? "" : "; " + lost) +
         (leaves_out_values(study) ? "; means leave out values that are undefined or infinite"
                                   : "") +
         ".";
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
  const std::string reasons_list = reasons(study);
  return "<details class=\"account\"><summary>" + html_escaped(typeset(ledger_line(study))) +
         (reasons_list.empty() ? "" : " <span class=\"why\">Why?</span>") +
         "</summary>\n<div class=\"wide\" tabindex=\"0\" "
         "role=\"region\" aria-label=\"Ledger\">"
         "<table class=\"ledger\"><caption class=\"unseen\">What became of every case</caption>"
         "<thead><tr><th scope=\"col\">Model</th><th scope=\"col\" class=\"number\">listed</th><th "
         "scope=\"col\" class=\"number\">scored</th><th scope=\"col\" class=\"number\">failed or "
         "missing</th><th scope=\"col\" class=\"number\">undefined or infinite</th><th "
         "scope=\"col\" class=\"number\">compared</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n" + reasons_list + "</details>\n";
}

}  // namespace assay::report
