// SPDX-License-Identifier: Apache-2.0
/// What other commands found, on the page: parity with a paper, cross-validations, comparisons.
#include <fmt/format.h>

#include "assay/compare.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

std::string plain_or_absent(const std::optional<double>& value) {
  return value ? compare::plain_number(*value) : "–";
}

std::string yes_no_cell(const std::optional<bool>& value) {
  return !value ? "–" : *value ? "yes" : "no";
}

std::vector<std::string> detail_row(std::string title, const parity::MetricDetail& d) {
  return {std::move(title),        plain_or_absent(d.achieved),     plain_or_absent(d.paper),
          plain_or_absent(d.diff), yes_no_cell(d.within_tolerance), yes_no_cell(d.acceptable)};
}

std::string parity_html(const parity::ParityReport& report) {
  const parity::ParityDetails& d = report.result.details;
  const PaperTable table = {
      .header = {"Metric", "Achieved", "Published", "Difference", "Within tolerance", "Acceptable"},
      .rows = {detail_row("Dice", d.dice),
               {"SD of Dice", plain_or_absent(d.dice_std.achieved),
                plain_or_absent(d.dice_std.paper), "–", "–", yes_no_cell(d.dice_std.acceptable)},
               detail_row("AVD", d.avd),
               detail_row("MCC", d.mcc)}};
  std::string out =
      fmt::format("<article><h3>Parity with {}: {}</h3>\n",
                  html_escaped(report.paper.name.empty() ? report.result.model : report.paper.name),
                  html_escaped(name(report.result.parity_level)));
  out += html_table(table, "Achieved and published values");
  for (const std::string& sentence : report.explanation) out += element("p", sentence);
  for (const std::string& warning : report.warnings) out += element("p", warning, "class=\"soft\"");
  return out + "</article>\n";
}

std::string spread_text(const compare::Spread& s) {
  return s.mean ? fmt::format("{} ({})", compare::plain_number(*s.mean), plain_or_absent(s.std))
                : "–";
}

std::string folds_html(const FoldsStudyPart& part) {
  PaperTable table = {
      .header = {"Metric", "Subjects", "Runs", "Outer folds", "SD of restarts"},
      .rows = {},
      .footnotes = {"Mean (SD, ddof 1) over subjects of all outer folds, over runs, "
                    "and over the means of outer folds: three spreads that must not be confused."}};
  for (const compare::NamedSpreads& s : part.result.spreads)
    table.rows.push_back({metric_title(s.metric), spread_text(s.subjects), spread_text(s.runs),
                          spread_text(s.outer_folds), plain_or_absent(s.restarts.std)});
  std::string out = "<article>" + element("h3", "Cross-validation: " + part.name) +
                    html_table(table, "Spreads by name");
  for (const std::string& warning : part.result.warnings)
    out += element("p", warning, "class=\"soft\"");
  return out + "</article>\n";
}

std::string finding_html(const Finding& finding) {
  std::string out = "<article>" + element("h3", finding.title) +
                    element("p", finding.source, "class=\"soft\"") +
                    html_table(finding.table, finding.title);
  std::string list;
  for (const std::string& sentence : finding.sentences) list += element("li", sentence);
  return out + (list.empty() ? "" : "<ul>" + list + "</ul>\n") + "</article>\n";
}

}  // namespace

std::string findings_section(const PageContent& content) {
  const Study& study = content.study;
  std::string out;
  for (const parity::ParityReport& report : study.parity) out += parity_html(report);
  for (const FoldsStudyPart& part : study.folds) out += folds_html(part);
  for (const Finding& finding : content.findings) out += finding_html(finding);
  return out.empty() ? "" : "<section id=\"findings\">\n<h2>Findings</h2>\n" + out + "</section>\n";
}

}  // namespace assay::report
