// SPDX-License-Identifier: Apache-2.0
/// The first screen of the page: what was measured, on how many cases, and what came out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/text/comparison_report.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_reasons = 50;  // lines of the ledger; the table of cases has all

bool is_finite(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

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

/// One model in one metric: how it did, and whether it differs from the baseline.
struct SummaryCell {
  metrics::Summary summary{};
  compare::Standing standing = compare::Standing::undecided;  ///< of the baseline
  compare::ColumnFailures failures{};
};

SummaryCell cell_of(const Study& study, std::size_t model, const std::string& metric) {
  if (!study.comparison) {
    SummaryCell cell = {summary(scores_of(study, model, metric), metrics::summary_rules(metric))};
    if (const compare::MetricColumn* column =
            compare::column_of(shown_columns(study, model), metric))
      cell.failures = compare::failures_of(study.models[model], *column);
    return cell;
  }
  for (const compare::MetricComparison& compared : study.comparison->metrics) {
    if (compared.metric.name != metric) continue;
    SummaryCell cell = {compared.models[model]};
    for (const compare::PairComparison& pair : compared.pairs)
      if (pair.result.model_name == study.models[model].model_name)
        cell.standing = compare::standing_of(compared, pair);
    return cell;
  }
  return {};
}

std::string cell_html(const SummaryCell& cell, bool is_best) {
  const metrics::Summary& s = cell.summary;
  if (!s.mean) return "<td class=\"number soft\">–</td>";
  std::string out = fmt::format("<td class=\"number\"><span class=\"value{}\">{}</span>",
                                is_best ? " best" : "", compare::plain_number(*s.mean));
  if (cell.standing != compare::Standing::undecided)
    out += fmt::format(
        "<sup class=\"star {0}\" title=\"{0} than the baseline, after correction\">{1}</sup>",
        name(cell.standing), compare::sign(cell.standing));
  if (s.ci95)
    out += fmt::format(" <span class=\"interval\">{} to {}</span>",
                       compare::plain_number(s.ci95->first), compare::plain_number(s.ci95->second));
  out += fmt::format(" <span class=\"n\">n {}</span>", s.n);
  if (cell.failures.failures != 0 && cell.failures.mean_with)
    out += fmt::format("<br><span class=\"n\">{} with {} counted</span>",
                       compare::plain_number(*cell.failures.mean_with),
                       counted(cell.failures.failures, "failure"));
  return out + "</td>";
}

/// Which of several means is best; nothing where the metric has no direction.
std::optional<std::size_t> best_of(const std::vector<SummaryCell>& cells,
                                   const std::string& metric) {
  const auto known = metrics::metric_of_key(metric);
  const metrics::Better better = known ? (*known)->better : metrics::Better::higher;
  if (better == metrics::Better::neither || cells.size() < 2) return std::nullopt;
  std::optional<std::size_t> best;
  const auto gain = [&](std::size_t i) {
    const double mean = *cells[i].summary.mean;
    return better == metrics::Better::higher  ? mean
           : better == metrics::Better::lower ? -mean
                                              : -std::abs(mean);
  };
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].summary.mean && (!best || gain(i) > gain(*best))) best = i;
  return best;
}

std::string headline_table(const Study& study) {
  const std::vector<std::string> metrics = shown_metrics(study);
  std::string head, body;
  std::vector<std::vector<SummaryCell>> cells(metrics.size());
  std::vector<std::optional<std::size_t>> best;
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    head += element("th", metric_title(metrics[k], length_unit(study)),
                    "scope=\"col\" class=\"number\"");
    for (std::size_t m = 0; m < study.models.size(); ++m)
      cells[k].push_back(cell_of(study, m, metrics[k]));
    // Means over different cases do not say which model is better.
    best.push_back(study.comparison ? best_of(cells[k], metrics[k]) : std::nullopt);
  }
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const bool is_baseline = study.comparison && study.comparison->baseline == m;
    body += fmt::format("<tr><th scope=\"row\"><i class=\"key k{}\"></i>{}{}</th>", m % 7,
                        html_escaped(study.models[m].model_name),
                        is_baseline ? " <span class=\"tag\">baseline</span>" : "");
    for (std::size_t k = 0; k < metrics.size(); ++k) body += cell_html(cells[k][m], best[k] == m);
    body += "</tr>\n";
  }
  return "<div class=\"wide\"><table class=\"headline\"><caption class=\"unseen\">Means with 95 % "
         "intervals</caption>\n<thead><tr><th scope=\"col\">Model</th>" +
         head + "</tr></thead>\n<tbody>" + body + "</tbody></table></div>\n";
}

/// What the signs were corrected for; "" where one model was tested in one metric.
std::string family_phrase(const compare::Comparison& comparison) {
  std::string out;
  if (comparison.models.size() > 2) out += "corrected for the number of models, ";
  if (comparison.metrics.size() > 1) out += "each metric by itself, ";
  return out;
}

std::string table_note(const Study& study) {
  std::string text =
      "Mean over cases with a value, its 95 % interval (Student's t, cut to the "
      "range of the metric) and their number.";
  if (const std::string over = averaged_note(study); !over.empty()) text += " " + over;
  if (study.comparison) {
    text += fmt::format(
        " All models on the same {} cases, {}. {} than the baseline {} (Wilcoxon signed-rank "
        "test, {}level {:g}).",
        study.comparison->matching.ids.size(),
        study.comparison->settings.undefined == compare::UndefinedPolicy::worst
            ? "failures of a model counted"
            : "without those in which a model failed",
        compare::sign_words, study.models[study.comparison->baseline].model_name,
        family_phrase(*study.comparison), study.comparison->settings.alpha);
    if (const std::string note = opposite_signs_note(*study.comparison); !note.empty())
      text += " " + note + ".";
    text += " Bold: the best mean.";
  }
  return element("p", text, "class=\"soft\"");
}

std::string conclusion(const compare::MetricComparison& metric, const compare::PairComparison& pair,
                       std::string_view baseline) {
  const std::string_view verdict =
      pair.n == 0 ? "not compared" : compare::plain_words(pair.result.verdict);
  const bool differs = pair.n != 0 && pair.result.verdict == stats::Verdict::different;
  return fmt::format("<li class=\"verdict-{}\"><b>{}</b> {}</li>\n",
                     pair.n == 0 ? "none"
                     : differs   ? name(compare::standing_of(metric, pair))
                                 : name(pair.result.verdict),
                     verdict, html_escaped(compare::sentence(metric, pair, baseline)));
}

/// "lesion" for one model that is equivalent in all metrics is no news: sentences, by verdict.
std::string conclusion_list(const Study& study) {
  if (!study.comparison) return "";
  const std::string& baseline = study.comparison->models[study.comparison->baseline].name;
  std::string out;
  for (const compare::MetricComparison& metric : study.comparison->metrics) {
    std::string list;
    for (const compare::PairComparison& pair : metric.pairs)
      list += conclusion(metric, pair, baseline);
    out += element("h3", metric_title(metric.metric.name, metric.metric.unit)) +
           "<ul class=\"conclusions\">\n" + list + "</ul>\n";
  }
  return "<h2>Conclusions</h2>\n" +
         element("p",
                 "Differences are Hodges–Lehmann estimates over paired cases, so they need not "
                 "equal the difference of the means.",
                 "class=\"soft\"") +
         "<div class=\"columns\">" + out + "</div>\n";
}

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
      out.push_back(fmt::format("{} of {}{}", lost, metric_title(metric, length_unit(study)),
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

std::string nothing_failed(const Study& study) {
  for (std::size_t m = 0; m < study.models.size(); ++m)
    if (!left_out_of(study, m).empty())
      return "Every case was scored; values that are undefined or infinite are left out of means.";
  return "Nothing failed and nothing was missing.";
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
  if (all == 0) return element("p", nothing_failed(study), "class=\"soft\"");
  if (all > most_reasons)
    list += fmt::format("<li>and {} more: see the table of cases</li>\n", all - most_reasons);
  return fmt::format("<details{}><summary>{} not scored, and why</summary><ul>{}</ul></details>\n",
                     all <= 6 ? " open" : "", counted(all, "case"), list);
}

std::string ledger(const Study& study) {
  const std::size_t shared = study.comparison ? study.comparison->matching.ids.size() : 0;
  std::string rows;
  for (std::size_t m = 0; m < study.models.size(); ++m) rows += ledger_row(study, m, shared);
  return "<h2>Ledger</h2>\n<div class=\"wide\"><table class=\"ledger\"><caption "
         "class=\"unseen\">What became of every case</caption><thead><tr><th "
         "scope=\"col\">Model</th><th scope=\"col\" class=\"number\">listed</th><th scope=\"col\" "
         "class=\"number\">scored</th><th scope=\"col\" class=\"number\">failed or missing</th><th "
         "scope=\"col\" class=\"number\">undefined or infinite</th><th scope=\"col\" "
         "class=\"number\">compared</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n" + reasons(study);
}

std::string lead(const Study& study) {
  std::vector<std::string> parts;
  if (!study.models.empty())
    parts.push_back(fmt::format("{} measured on {}", counted(study.models.size(), "model"),
                                counted(study.ids.size(), "case")));
  std::size_t questions = 0;
  for (const QaStudyPart& part : study.qa) questions += part.result.results.size();
  if (questions != 0)
    parts.push_back(fmt::format("{} of {} answered by {}", counted(questions, "question"),
                                study.qa.size() == 1 ? "a benchmark" : "several benchmarks",
                                study.qa.front().result.model_name));
  if (!study.parity.empty()) parts.push_back(counted(study.parity.size(), "check") + " of parity");
  if (!study.folds.empty()) parts.push_back(counted(study.folds.size(), "cross-validation"));
  return element("p", joined(parts, " · "), "class=\"lead\"");
}

/// What the files say is odd about their cohorts. Models that say the same share a line.
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
  for (const std::string& note : notes) list += element("li", note);
  return list.empty() ? "" : "<ul class=\"notes\" aria-label=\"Notes\">" + list + "</ul>\n";
}

}  // namespace

std::string metric_title(const std::string& key, metrics::LengthUnit unit) {
  const auto known = metrics::metric_of_key(key);
  if (!known) return key;
  // Tables have narrow columns, and captions say the titles.
  const std::size_t of_label = std::min(key.find(" of "), key.size());
  const std::string own = key.substr(0, of_label), label = key.substr(of_label);
  const metrics::Metric& row = **known;
  std::string text = own == row.name && !row.brief.empty() ? std::string(row.brief) : own;
  std::ranges::replace(text, '_', ' ');
  return row.unit.empty() || text.ends_with(" ml")
             ? text + label
             : fmt::format("{}{} ({})", text, label, metrics::unit_in(row, unit));
}

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

std::string first_screen(const PageContent& content) {
  const Study& study = content.study;
  std::string out = "<section id=\"summary\">\n" + lead(study) + warnings_list(study);
  if (!study.models.empty()) out += headline_table(study) + table_note(study);
  out += notes_list(content.notes);
  if (!study.models.empty()) out += conclusion_list(study) + ledger(study);
  return out + "</section>\n";
}

}  // namespace assay::report
