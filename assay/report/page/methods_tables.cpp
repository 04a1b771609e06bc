// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/named.hpp"
#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/report/page/methods.hpp"
#include "assay/report/text/comparison_report.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string figure_or_absent(const std::optional<double>& value) {
  return value ? figure_number(*value) : std::string(absent);
}

metrics::Summary summary_of(const Sample& sample, const FigureMetric& metric) {
  const std::vector<metrics::Score> scores(sample.values.begin(), sample.values.end());
  return metrics::summary(scores, metrics::summary_rules(metric.row));
}

NamedTable summary_table(const FigureScene& scene) {
  PaperTable table = {
      .header = {"model", "metric", "n", "mean (SD)", "95 % CI", "median [IQR]", "left out",
                 "failures", "mean with failures"},
      .rows = {},
      .footnotes = {"SD over cases (ddof 1); interval of the mean by Student's t, cut to the "
                    "metric's range; left out: values "
                    "that are undefined or infinite; failures: cases without a prediction, or "
                    "undefined by the model's fault, and the mean when they count"}};
  for (const FigureMetric& metric : scene.metrics) {
    const std::vector<Sample> samples = samples_of(scene, metric.name);
    for (std::size_t m = 0; m < samples.size(); ++m) {
      const metrics::Summary s = summary_of(samples[m], metric);
      table.rows.push_back(
          {scene.names[m], metric.name, std::to_string(s.n),
           fmt::format("{} ({})", figure_or_absent(s.mean), figure_or_absent(s.std)),
           s.ci95 ? fmt::format("{} to {}", figure_number(s.ci95->first),
                                figure_number(s.ci95->second))
                  : std::string(absent),
           fmt::format("{} [{}, {}]", figure_or_absent(s.median), figure_or_absent(s.q25),
                       figure_or_absent(s.q75)),
           std::to_string(samples[m].undefined + samples[m].infinite)});
      const compare::MetricColumn* column =
          compare::column_of(study_columns(scene, m), metric.name);
      const compare::ColumnFailures failures =
          column == nullptr ? compare::ColumnFailures()
                            : compare::failures_of(scene.study.models[m], *column);
      table.rows.back().push_back(std::to_string(failures.failures));
      table.rows.back().push_back(figure_or_absent(failures.mean_with));
    }
  }
  return {"summary", "Summary by model and metric", std::move(table)};
}

/// Every metric of every label, as in papers: a row per model and label.
NamedTable label_table(const FigureScene& scene) {
  PaperTable table = {.header = {"model", "label"},
                      .rows = {},
                      .footnotes = {"mean (SD over cases, ddof 1) of the cases with a value"}};
  for (const FigureMetric& metric : scene.metrics) table.header.push_back(metric.short_title);
  for (std::size_t m = 0; m < scene.names.size(); ++m)
    for (const compare::LabelTable& label : scene.study.models[m].labels) {
      std::vector<std::string> row = {scene.names[m], label.name.empty() ? label.key : label.name};
      for (const FigureMetric& metric : scene.metrics) {
        const compare::MetricColumn* column = compare::column_of(label.columns, metric.name);
        const metrics::Summary s = summary_of(sample_of(scene, m, column), metric);
        row.push_back(s.mean
                          ? fmt::format("{} ({})", figure_number(*s.mean), figure_or_absent(s.std))
                          : std::string(absent));
      }
      table.rows.push_back(std::move(row));
    }
  return {"labels", "Means by label", std::move(table)};
}

bool has_labels_to_list(const Study& study) {
  const bool is_chosen = study.comparison && !study.comparison->settings.choice.labels.empty();
  return !is_chosen && std::ranges::any_of(study.models, [](const compare::ResultTable& table) {
    return table.labels.size() > 1 && !table.averaged.empty();
  });
}

std::vector<std::string> qa_row(const QaStudyPart& part) {
  const auto& score = part.scores.headline();
  std::vector<std::string> row = {
      part.result.benchmark_name, part.result.model_name,
      std::string(name_in(stats::classification_metrics(), part.scores.metric)),
      std::to_string(part.scores.ledger.expected())};
  const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
  row.push_back(score ? percent(score->items.point) : std::string(absent));
  row.push_back(score ? percent(score->interval.interval.lower) + " to " +
                            percent(score->interval.interval.upper)
                      : std::string(absent));
  row.push_back(std::to_string(part.scores.ledger.expected() -
                               part.scores.ledger.count(qa::Outcome::scored)));
  return row;
}

NamedTable qa_table(const std::vector<QaStudyPart>& parts) {
  PaperTable table = {
      .header = {"benchmark", "model", "metric", "items", "score, %", "95 % CI", "without label"},
      .rows = {},
      .footnotes = {
          "Wilson's intervals, with the effective number of items where classes or slides "
          "are shared"}};
  for (const QaStudyPart& part : parts) table.rows.push_back(qa_row(part));
  return {"qa", "Question answering", std::move(table)};
}

NamedTable fold_table(const FoldsStudyPart& part) {
  PaperTable table = {
      .header = {"metric", "subjects", "mean", "SD over subjects", "SD over runs", "SD over folds"},
      .rows = {},
      .footnotes = {"each SD with ddof 1"}};
  for (const compare::NamedSpreads& s : part.result.spreads)
    table.rows.push_back({s.metric, std::to_string(s.subjects.n), figure_or_absent(s.subjects.mean),
                          figure_or_absent(s.subjects.std), figure_or_absent(s.runs.std),
                          figure_or_absent(s.outer_folds.std)});
  return {"folds-" + key_part(part.name), part.name + ": cross-validation", std::move(table)};
}

}  // namespace

std::vector<NamedTable> tables_to_paste(const Study& study) {
  std::vector<NamedTable> tables;
  if (study.comparison)
    tables.push_back({"comparison", "Models compared", comparison_table(*study.comparison, false)});
  if (!study.models.empty()) tables.push_back(summary_table(figure_scene(study)));
  if (has_labels_to_list(study)) tables.push_back(label_table(figure_scene(study)));
  if (!study.qa.empty()) tables.push_back(qa_table(study.qa));
  for (const FoldsStudyPart& part : study.folds) tables.push_back(fold_table(part));
  return tables;
}

}  // namespace assay::report
