// SPDX-License-Identifier: Apache-2.0
#include "assay/report/label_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_views = 12;
/// Models × cases × labels: tests and drawings of so many values take about a second.
constexpr std::size_t most_view_values = 60'000;

bool has_label(const compare::ResultTable& table, const std::string& key) {
  return std::ranges::find(table.labels, key, &compare::LabelTable::key) != table.labels.end();
}

/// The labels that every model has, if the study is about the averages over them.
std::vector<const compare::LabelTable*> labels_to_view(const Study& study) {
  std::vector<const compare::LabelTable*> out;
  if (study.models.empty()) return out;
  if (study.comparison && !study.comparison->settings.choice.labels.empty()) return out;
  for (const compare::LabelTable& label : study.models.front().labels)
    if (std::ranges::all_of(study.models, [&](const compare::ResultTable& table) {
          return has_label(table, label.key);
        }))
      out.push_back(&label);
  return out;
}

/// The table with the columns of one label; the other labels keep only their names.
compare::ResultTable table_of_label(const compare::ResultTable& whole, const std::string& key) {
  compare::ResultTable out = {.model_name = whole.model_name,
                              .source = whole.source,
                              .ids = whole.ids,
                              .file_ids = whole.file_ids,
                              .cases = whole.cases,
                              .averages = {},
                              .averaged = whole.averaged,
                              .labels = {},
                              .groups = whole.groups,
                              .unscored = whole.unscored,
                              .unit = whole.unit};
  for (const compare::LabelTable& label : whole.labels)
    out.labels.push_back(
        label.key == key
            ? label
            : compare::LabelTable{
                  .key = label.key, .name = label.name, .columns = {}, .is_union = label.is_union});
  return out;
}

Study study_of_label(const Study& whole, const std::string& key) {
  Study out = {
      .title = whole.title, .ids = whole.ids, .metrics = whole.metrics, .settings = whole.settings};
  for (const compare::ResultTable& table : whole.models)
    out.models.push_back(table_of_label(table, key));
  for (const auto& of_model : whole.curves) {
    auto& kept = out.curves.emplace_back();
    std::ranges::copy_if(of_model, std::back_inserter(kept),
                         [&](const results::LabelCurves& curves) { return curves.key == key; });
  }
  if (whole.comparison) {
    compare::CompareSettings settings = whole.comparison->settings;
    settings.choice.labels = {key};
    compare_models(out, settings);
  } else {
    for (compare::ResultTable& table : out.models) use_label(table, key);
  }
  return out;
}

}  // namespace

void use_label(compare::ResultTable& table, const std::string& label) {
  const compare::LabelTable& found = compare::label_of(table, label);
  table.averages = found.columns;
  table.averaged = {{found.key, found.name, {}, found.is_union}};
  table.derived = found.derived;
}

LabelViews label_views(const Study& study, const Executor& executor) {
  std::vector<const compare::LabelTable*> labels = labels_to_view(study);
  LabelViews out;
  if (labels.size() < 2) return out;
  const std::size_t each = std::max<std::size_t>(study.models.size() * study.ids.size(), 1);
  const std::size_t room = std::min({labels.size(), most_views, most_view_values / each});
  if (room < labels.size())
    out.notes.push_back(fmt::format(
        "{} can be chosen on this page, to make it in reasonable time; assay report … --label {} "
        "shows another",
        room == 0 ? "no label" : fmt::format("{} of {} labels", room, labels.size()),
        labels[room]->key));
  labels.resize(room);
  std::vector<std::optional<StudyView>> made(labels.size());
  run_tasks(executor, labels.size(), [&](std::size_t i) {
    const compare::LabelTable& label = *labels[i];
    try {
      Study of_label = study_of_label(study, label.key);
      std::vector<Figure> figures = study_figures(of_label);
      made[i] = {label.key, label.name.empty() ? label.key : label.name, std::move(of_label),
                 std::move(figures)};
    } catch (const Error&) {
      made[i] = std::nullopt;  // the models have no metric of this label in common
    }
  });
  for (std::optional<StudyView>& view : made)
    if (view) out.views.push_back(std::move(*view));
  return out;
}

}  // namespace assay::report
