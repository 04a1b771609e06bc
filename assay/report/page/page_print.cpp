// SPDX-License-Identifier: Apache-2.0
/// The cases for the printed page, because the interactive table exists only in the page's script.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_printed = 60, most_printed_columns = 6;

/// One column of the printed table: the values of a model in a metric.
struct PrintedColumn {
  std::string title;
  std::size_t model = 0;
  std::string metric{};
};

/// The first metric of every model, or all metrics of a single one.
std::vector<PrintedColumn> printed_columns(const Study& study) {
  std::vector<PrintedColumn> out;
  const std::vector<std::string> metrics = shown_metrics(study);
  if (metrics.empty()) return out;
  if (study.models.size() == 1)
    for (const std::string& metric : metrics)
      out.push_back({metric_title(metric, length_unit(study)), 0, metric});
  else
    for (std::size_t m = 0; m < study.models.size(); ++m)
      out.push_back({study.models[m].model_name, m, metrics.front()});
  out.resize(std::min(out.size(), most_printed_columns));
  return out;
}

std::string printed_value(const Study& study, const PrintedColumn& column, std::size_t place) {
  const compare::ResultTable& table = study.models[column.model];
  const auto value =
      value_in(study, column.model,
               compare::column_of(shown_columns(study, column.model), column.metric), place);
  if (value) return typeset(compare::plain_number(*value));
  const bool is_lost = std::ranges::find(table.unscored, study.ids[place],
                                         &compare::UnscoredCase::id) != table.unscored.end();
  return is_lost ? "not scored" : "–";
}

}  // namespace

std::string printed_cases(const Study& study) {
  const std::vector<PrintedColumn> columns = printed_columns(study);
  if (columns.empty()) return "";
  std::string head, rows;
  for (const PrintedColumn& column : columns)
    head += element("th", column.title, "scope=\"col\" class=\"number\"");
  for (std::size_t place = 0; place < std::min(study.ids.size(), most_printed); ++place) {
    rows += "<tr>" + element("th", study.ids[place], "scope=\"row\"");
    for (const PrintedColumn& column : columns)
      rows += fmt::format("<td class=\"number\">{}</td>", printed_value(study, column, place));
    rows += "</tr>\n";
  }
  const std::string what =
      study.models.size() == 1
          ? "Values by case"
          : metric_title(columns.front().metric, length_unit(study)) + " by case";
  const std::string more = study.ids.size() > most_printed
                               ? fmt::format(" The first {} of {}; the page on a screen has all.",
                                             most_printed, counted(study.ids.size(), "case"))
                               : "";
  return "<div class=\"printed\">" + element("p", what + "." + more, "class=\"soft\"") +
         "<table><thead><tr><th scope=\"col\">Case</th>" + head + "</tr></thead>\n<tbody>" + rows +
         "</tbody></table></div>\n";
}

}  // namespace assay::report
