// SPDX-License-Identifier: Apache-2.0
/// The first screen of the page: what was measured, on how many cases, and what came out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"
#include "assay/report/figures/distribution.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/text/comparison_report.hpp"

namespace assay::report {
namespace {

/// As in comparisons: infinite values are left out of means, and counted.
std::vector<metrics::Score> scores_of(const Study& study, std::size_t model,
                                      const std::string& metric) {
  std::vector<metrics::Score> out;
  if (const compare::MetricColumn* column = compare::column_of(shown_columns(study, model), metric))
    for (const auto& value : column->values)
      out.push_back(is_finite(value) ? metrics::Score(*value)
                                     : metrics::Score(metrics::Undefined::not_scored));
  return out;
}

/// One model in one metric: how it did, and what the comparison with the baseline says.
struct SummaryCell {
  metrics::Summary summary{};
  std::optional<VerdictChip> chip{};  ///< none for the baseline
  std::string failures{};             ///< the mean with or without failures; "" if there are none
  std::vector<double> values{};       ///< the finite values that are summarised
};

void add_values(SummaryCell& cell, const std::vector<std::optional<double>>& values) {
  for (const auto& value : values)
    if (is_finite(value)) cell.values.push_back(*value);
}

/// "0.841 without 2 failures", in which a line may break, but not between number and noun.
std::string failures_html(std::string_view with, double mean, std::size_t failures) {
  return fmt::format(" <span class=\"failed\">{} {} {}\u00A0{}</span>",
                     typeset(compare::plain_number(mean)), with, failures,
                     failures == 1 ? "failure" : "failures");
}

/// The mean with failures, since the mean of a single model leaves them out.
std::string mean_with_failures(const compare::ResultTable& table,
                               const compare::MetricColumn& column) {
  const compare::ColumnFailures found = compare::failures_of(table, column);
  if (found.failures == 0 || !found.mean_with) return "";
  return failures_html("with", *found.mean_with, found.failures);
}

/// The mean without failures, since the means of a comparison count them.
std::string mean_without_failures(const compare::MetricComparison& metric, std::size_t model) {
  const CountedFailures found = counted_failures(metric, model);
  if (found.count == 0 || !found.mean_without) return "";
  return failures_html("without", *found.mean_without, found.count);
}

SummaryCell cell_of(const Study& study, std::size_t model, const std::string& metric) {
  SummaryCell cell;
  if (!study.comparison) {
    cell.summary = mean_of(study, model, metric);
    if (const compare::MetricColumn* column =
            compare::column_of(shown_columns(study, model), metric)) {
      cell.failures = mean_with_failures(study.models[model], *column);
      add_values(cell, column->values);
    }
    return cell;
  }
  for (const compare::MetricComparison& compared : study.comparison->metrics) {
    if (compared.metric.name != metric) continue;
    cell.summary = compared.models[model];
    cell.failures = mean_without_failures(compared, model);
    if (model < compared.values.values.size()) add_values(cell, compared.values.values[model]);
    for (const compare::PairComparison& pair : compared.pairs)
      if (pair.result.model_name == study.models[model].model_name)
        cell.chip = chip_of(compared, pair);
  }
  return cell;
}

/// All cells of one metric.
struct SummaryColumn {
  std::string metric;
  metrics::Better better = metrics::Better::higher;
  std::vector<SummaryCell> cells{};
  Extent extent{};  ///< of all values, for the drawings
};

/// Whether a table of that many models is set more tightly, with drawings beside the intervals.
bool is_long(std::size_t models) {
  constexpr std::size_t most_at_ease = 6;
  return models > most_at_ease;
}

std::string cell_html(const SummaryColumn& column, std::size_t model, std::size_t usual_n) {
  const SummaryCell& cell = column.cells[model];
  const metrics::Summary& s = cell.summary;
  if (!s.mean) return "<td class=\"number soft\">–</td>";
  std::string out = fmt::format("<td class=\"number\">{}<span class=\"value\">{}</span>",
                                cell.chip ? chip_html(*cell.chip) + " " : "",
                                typeset(compare::plain_number(*s.mean)));
  if (s.n != usual_n) out += fmt::format(" <span class=\"n\">n {}</span>", s.n);
  if (s.ci95)
    out += fmt::format(" <span class=\"interval\">{} to {}</span>",
                       typeset(compare::plain_number(s.ci95->first)),
                       typeset(compare::plain_number(s.ci95->second)));
  const std::string drawing = cell_drawing(cell.values, {column.extent, model_tone(model)});
  return out + (is_long(column.cells.size()) ? drawing + cell.failures : cell.failures + drawing) +
         "</td>";
}

SummaryColumn column_of(const Study& study, const std::string& metric) {
  SummaryColumn out = {.metric = metric, .better = direction_of(study, metric)};
  std::optional<Extent> extent;
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    out.cells.push_back(cell_of(study, m, metric));
    extent = hull(extent, extent_of(out.cells.back().values));
  }
  out.extent = extent.value_or(Extent{});
  return out;
}

std::string column_head(const Study& study, const SummaryColumn& column) {
  const FigureMetric metric = figure_metric(study, column.metric, column.better);
  return fmt::format(
      "<th scope=\"col\" class=\"number\" data-metric=\"{}\" title=\"{}\">{}{}</th>\n",
      html_escaped(column.metric), html_escaped(axis_title(metric)),
      html_escaped(metric.short_title),
      column.better == metrics::Better::neither
          ? ""
          : fmt::format(" <span class=\"arrow\">{}</span>", direction_arrow(column.better)));
}

/// Explains the numbers of the table.
std::string table_caption(const Study& study) {
  const LabelWords label = label_words(study);
  std::string out = "Mean over cases and its 95 % confidence interval";
  if (!label.text.empty())
    out += label.is_mean ? ". Each case contributes its " + label.text : " for " + label.text;
  if (study.comparison) out += ". Badges compare each model with the baseline, case by case";
  return html_escaped(typeset(out + "."));
}

/// The name with possible line breaks after underscores, for narrow columns.
std::string breakable(const std::string& name) {
  std::string out;
  for (const char c : name) {
    out += c;
    if (c == '_') out += "<wbr>";
  }
  return out;
}

std::string headline_table(const Study& study) {
  std::vector<SummaryColumn> columns;
  std::string head, body;
  for (const std::string& metric : shown_metrics(study)) {
    columns.push_back(column_of(study, metric));
    head += column_head(study, columns.back());
  }
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const bool is_baseline = study.comparison && study.comparison->baseline == m;
    const std::size_t usual_n = study.comparison
                                    ? study.comparison->matching.ids.size()
                                    : study.models[m].cases + study.models[m].unscored.size();
    body += fmt::format("<tr><th scope=\"row\"><i class=\"key k{}\"></i>{}{}</th>", m % 7,
                        breakable(html_escaped(study.models[m].model_name)),
                        is_baseline ? " <span class=\"tag\">baseline</span>" : "");
    for (const SummaryColumn& column : columns) body += cell_html(column, m, usual_n);
    body += "</tr>\n";
  }
  return fmt::format(
             "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Means\"><table "
             "class=\"headline{}\">",
             is_long(study.models.size()) ? " many" : "") +
         "<caption><span>" + table_caption(study) +
         "</span></caption>\n<thead><tr><th scope=\"col\">Model</th>" + head +
         "</tr></thead>\n<tbody>" + body + "</tbody></table></div>\n";
}

/// What the signs were corrected for; "" if one model was tested in one metric.
std::string family_phrase(const compare::Comparison& comparison) {
  std::string out;
  if (comparison.models.size() > 2) out += "corrected for the number of models, ";
  if (comparison.metrics.size() > 1) out += "each metric by itself, ";
  return out;
}

std::string test_note(const Study& study) {
  const compare::Comparison& comparison = *study.comparison;
  std::string text = fmt::format(
      " All models on the same {}, {}. Better and worse than the baseline {} by the Wilcoxon "
      "signed-rank test, {}level {:g}; equivalent within a margin that was given; else "
      "inconclusive.",
      counted(comparison.matching.ids.size(), "case"),
      comparison.settings.undefined == compare::UndefinedPolicy::worst
          ? "failures of a model counted"
          : "without those in which a model failed",
      study.models[comparison.baseline].model_name, family_phrase(comparison),
      comparison.settings.alpha);
  if (const std::string note = opposite_signs_note(comparison); !note.empty())
    text += " " + note + ".";
  return text;
}

std::string table_note(const Study& study) {
  std::string text =
      "Mean over cases with a value, and its 95 % confidence interval (Student's t, cut to the "
      "range "
      "of the metric). The number of cases is given where it differs from those expected. ";
  text += study.comparison
              ? "Failures of a model count in its mean; the mean without them is given "
                "where there are any. "
              : "Failures of a model do not count in its mean; the mean with them is "
                "given where there are any. ";
  text +=
      "The small drawing shows how the values are distributed, on one axis per column, with the "
      "median as a line. ↑ higher is better, ↓ lower is better.";
  if (const std::string over = averaged_note(study); !over.empty()) text += " " + over;
  if (study.comparison) text += test_note(study);
  return "<details class=\"reading\"><summary>How to read this table</summary>" +
         element("p", typeset(text)) + "</details>\n";
}

/// The warnings of the files about their cohorts. Models with the same warning share a line.
std::string warnings_list(const Study& study) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const compare::ResultTable& table : study.models)
    for (const std::string& warning : table.warnings) {
      const auto same = std::ranges::find(found, warning, &decltype(found)::value_type::first);
      if (same == found.end())
        found.push_back({warning, {table.model_name}});
      else
        same->second.push_back(table.model_name);
    }
  std::string list;
  for (const auto& [warning, models] : found)
    list += fmt::format("<li><b>{}</b>: {}</li>\n", html_escaped(joined(models, ", ")),
                        html_escaped(warning));
  if (list.empty()) return "";
  return fmt::format(
      "<div class=\"warnings\" role=\"note\" aria-label=\"Warnings\"><p><b>{}</b> about the "
      "images that were scored</p><ul>\n{}</ul></div>\n",
      counted(found.size(), "warning"), list);
}

std::string notes_list(const std::vector<std::string>& notes) {
  std::string list;
  for (const std::string& note : notes) list += element("li", typeset(note));
  return list.empty() ? "" : "<ul class=\"notes\" aria-label=\"Notes\">" + list + "</ul>\n";
}

}  // namespace

const std::vector<compare::MetricColumn>& shown_columns(const Study& study, std::size_t model) {
  return compare::columns_of(
      study.models[model], study.comparison ? study.comparison->settings.choice.first_label() : "");
}

std::vector<std::size_t> places_in_study(const Study& study, std::size_t model) {
  std::vector<std::size_t> out;
  for (const std::string& id : study.models[model].ids)
    out.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(study.ids, id) - study.ids.begin()));
  return out;
}

metrics::Summary mean_of(const Study& study, std::size_t model, const std::string& metric) {
  return summary(scores_of(study, model, metric), metrics::summary_rules(metric_in(study, metric)));
}

metrics::Better direction_of(const Study& study, const std::string& metric) {
  if (study.comparison)
    for (const compare::MetricComparison& compared : study.comparison->metrics)
      if (compared.metric.name == metric) return compared.metric.better;
  const auto known = metric_in(study, metric);
  return known ? (*known)->better : metrics::Better::higher;
}

double gain_of(double value, metrics::Better better) {
  if (better == metrics::Better::lower) return -value;
  return better == metrics::Better::zero ? -std::abs(value) : value;
}

LabelWords label_words(const Study& study) {
  const compare::ResultTable& first = study.models.front();
  const auto shown_name = [](const auto& label) {
    return label.name.empty() ? label.key : label.name;
  };
  if (study.comparison && study.comparison->settings.choice.has_several_labels()) return {};
  if (study.comparison && !study.comparison->settings.choice.first_label().empty())
    return {shown_name(compare::label_of(first, study.comparison->settings.choice.first_label()))};
  if (first.labels.size() == 1) {
    const bool is_foreground = first.labels[0].key == metrics::foreground_region().key;
    return {is_foreground ? "" : shown_name(first.labels[0])};
  }
  std::vector<std::string> names;
  for (const metrics::Region& region : first.averaged) names.push_back(shown_name(region));
  if (names.size() < 2) return {names.empty() ? "" : names.front()};
  constexpr std::size_t few_names = 3, few_signs = 32;
  const std::string all = listed(names);
  const std::string kind = first.averaged.front().is_union ? "regions" : "labels";
  if (names.size() > few_names || character_count(all) > few_signs)
    return {fmt::format("mean over {} {}", names.size(), kind), true};
  const bool has_numbers = std::ranges::any_of(names, [](const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos;
  });
  return {"mean of " + (has_numbers ? kind + " " : "") + all, true};
}

std::string means_html(const Study& study) {
  return headline_table(study) + table_note(study);
}

std::string first_screen(const Study& study, const std::string& picture,
                         const std::vector<std::string>& notes) {
  std::string out =
      "<section id=\"summary\">\n<div class=\"hero\"><div>\n" + page_part("lead", lead_html(study));
  if (!study.models.empty()) out += page_part("ledger", ledger(study));
  out += answers_sentences(study) + warnings_list(study) + "</div>\n" + picture + "</div>\n";
  if (!study.models.empty()) out += page_part("means", means_html(study));
  return out + notes_list(notes) + "</section>\n";
}

}  // namespace assay::report
