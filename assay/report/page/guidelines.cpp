// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/guidelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "assay/base/text.hpp"
#include "assay/metrics.hpp"

namespace assay::report {
namespace {

struct Answer {
  GuidelineAnswer answer = GuidelineAnswer::not_in_these_files;
  std::string because;
};

struct GuidelineRow {
  std::string_view guideline, item;
  Answer (*answer)(const Study&);
};

constexpr auto yes = GuidelineAnswer::yes, partly = GuidelineAnswer::partly,
               not_there = GuidelineAnswer::not_in_these_files;

/// The groups of our metrics that any model has: overlap, boundary, lesion ...
std::set<std::string_view> groups_of(const Study& study) {
  std::set<std::string_view> groups;
  for (const compare::ResultTable& table : study.models)
    for (const compare::MetricColumn& column : table.averages)
      if (const auto metric = metrics::metric_of_key(column.name))
        groups.insert(metric->metric->group);
  return groups;
}

bool has_results(const Study& study) {
  return !study.models.empty() || !study.qa.empty() || !study.folds.empty();
}

Answer metrics_named(const Study& study) {
  if (!has_results(study)) return {not_there, "no results were given"};
  return {yes, "the methods paragraph gives each metric with its formula"};
}

Answer uncertainty(const Study& study) {
  if (!has_results(study)) return {not_there, "no results were given"};
  return {yes, "95 % intervals are in the tables and figures"};
}

Answer significance(const Study& study) {
  if (!study.comparison) return {not_there, "a single model has nothing to be tested against"};
  return {yes, "paired tests with correction, effect sizes and intervals against " +
                   study.comparison->models[study.comparison->baseline].name};
}

Answer flow_of_cases(const Study& study) {
  std::size_t unscored = 0;
  for (const compare::ResultTable& table : study.models) unscored += table.unscored.size();
  if (!has_results(study)) return {not_there, "no results were given"};
  return {partly, fmt::format("the ledger counts what was scored and what was not ({}); the "
                              "authors must say how cases were chosen",
                              counted(unscored, "unscored case"))};
}

Answer failures(const Study& study) {
  if (study.models.empty() && study.qa.empty())
    return {not_there, "these files have no single cases"};
  return {
      partly,
      "the case table and the viewer show the worst cases; the authors must say why they failed"};
}

Answer subgroups(const Study& study) {
  if (study.comparison && !study.comparison->subgroups.empty())
    return {yes, "figures and tables by subgroup"};
  return {not_there,
          "no column of the files gives subgroups; give a manifest with site, scanner or age"};
}

Answer robustness(const Study& study) {
  const bool ranked =
      study.comparison &&
      std::ranges::any_of(study.comparison->metrics, [](const compare::MetricComparison& metric) {
        return metric.ranking.n != 0 && stability_gap(metric.ranking).empty();
      });
  if (ranked || !study.folds.empty())
    return {partly, ranked ? "rank stability under resampling" : "spread over folds and restarts"};
  return {not_there, "needs several models, or several trainings"};
}

Answer partitions(const Study& study) {
  if (!study.folds.empty()) return {partly, "outer folds and their subjects are known"};
  return {not_there, "the authors must say how training and test cases were kept apart"};
}

Answer told_by_authors(const Study&) {
  return {not_there, "the authors must report this"};
}

Answer complementary(const Study& study) {
  const auto groups = groups_of(study);
  if (study.models.empty()) return {not_there, "no segmentations were scored"};
  if (groups.contains("overlap") && groups.contains("boundary"))
    return {yes, "overlap and boundary metrics are included"};
  return {not_there, "add a boundary metric: assay score --metrics standard"};
}

Answer per_object(const Study& study) {
  if (study.models.empty()) return {not_there, "no segmentations were scored"};
  if (groups_of(study).contains("lesion")) return {yes, "lesion-wise metrics are included"};
  return {not_there,
          "add lesion metrics where cases have several lesions: --metrics standard,lesion"};
}

Answer per_class(const Study& study) {
  const bool several = std::ranges::any_of(
      study.models, [](const compare::ResultTable& table) { return table.labels.size() > 1; });
  if (several) return {yes, "figures by label"};
  const bool classes = std::ranges::any_of(
      study.qa, [](const QaStudyPart& part) { return !part.scores.classes.empty(); });
  if (classes) return {yes, "confusion matrices"};
  return study.models.empty() ? Answer{not_there, "no classes were scored"}
                              : Answer{yes, "there is one class"};
}

Answer undefined_values(const Study& study) {
  if (study.models.empty()) return {not_there, "no segmentations were scored"};
  const bool named = std::ranges::any_of(
      study.settings, [](const ResultSettings& each) { return !each.convention.empty(); });
  if (!named)
    return {partly, "undefined values are counted; the files name no rule for empty masks"};
  return {yes, "the convention for empty masks is named, undefined values are counted"};
}

Answer distribution(const Study& study) {
  if (study.models.empty()) return {not_there, "no segmentations were scored"};
  return {yes, "every value is drawn, with median and quartiles"};
}

Answer nesting(const Study& study) {
  if (study.comparison && !study.comparison->settings.cluster.empty())
    return {yes, "cases were averaged within " + study.comparison->settings.cluster};
  if (!study.qa.empty()) return {partly, "intervals by slide where slides have several questions"};
  return {not_there, "say whether cases share patients or sites; assay compare --cluster COLUMN"};
}

constexpr std::string_view claim = "CLAIM", reloaded = "Metrics Reloaded";

constexpr std::array guideline_rows = {
    GuidelineRow{claim, "Source of the data, eligibility, dates and places", told_by_authors},
    GuidelineRow{claim, "Reference standard: definition, annotators, their variability",
                 told_by_authors},
    GuidelineRow{claim, "How cases were assigned to partitions, and at which level", partitions},
    GuidelineRow{claim, "Intended sample size, and how it was determined", told_by_authors},
    GuidelineRow{claim, "Metrics of model performance", metrics_named},
    GuidelineRow{claim, "Measures of significance and uncertainty", significance},
    GuidelineRow{claim, "Robustness or sensitivity analysis", robustness},
    GuidelineRow{claim, "Test on external data", told_by_authors},
    GuidelineRow{claim, "Flow of cases, with those excluded", flow_of_cases},
    GuidelineRow{claim, "Performance with its precision, such as 95 % intervals", uncertainty},
    GuidelineRow{claim, "Performance in clinically relevant subgroups", subgroups},
    GuidelineRow{claim, "Failure analysis of wrong cases", failures},
    GuidelineRow{reloaded, "Complementary metrics: overlap and boundary", complementary},
    GuidelineRow{reloaded, "Metrics per object where single objects matter", per_object},
    GuidelineRow{reloaded, "Values per class, not only over classes", per_class},
    GuidelineRow{reloaded, "Rule for empty masks and undefined values", undefined_values},
    GuidelineRow{reloaded, "Distribution of values, not only means", distribution},
    GuidelineRow{reloaded, "Nested data (patients, sites) respected in aggregation", nesting},
};

}  // namespace

std::string_view name(GuidelineAnswer answer) {
  constexpr std::array<std::string_view, 3> names = {"yes", "partly", "not in these files"};
  return names[static_cast<std::size_t>(answer)];
}

std::vector<GuidelineItem> guideline_checklist(const Study& study) {
  std::vector<GuidelineItem> items;
  for (const GuidelineRow& row : guideline_rows) {
    Answer answer = row.answer(study);
    items.push_back({row.guideline, row.item, answer.answer, std::move(answer.because)});
  }
  return items;
}

}  // namespace assay::report
