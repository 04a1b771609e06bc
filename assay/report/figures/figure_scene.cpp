// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/figure_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/named.hpp"
#include "assay/base/text.hpp"

namespace assay::report {
namespace {

/// Drawn in addition to the metrics that the report is about.
constexpr std::array<std::string_view, 3> further_metrics = {"hd95", "nsd", "lesion_f1"};

std::string compared_label(const Study& study) {
  return study.comparison ? study.comparison->settings.choice.first_label() : "";
}

/// The label of a model that is compared; null: the averages are.
const compare::LabelTable* compared_table(const FigureScene& scene, std::size_t model) {
  const std::string label = compared_label(scene.study);
  if (label.empty()) return nullptr;
  for (const compare::LabelTable& each : scene.study.models[model].labels)
    if (each.key == label || each.name == label) return &each;
  return nullptr;
}

metrics::Better drawn_direction(const Study& study, const std::string& name) {
  const auto metric = metric_in(study, name);
  return metric ? metric->metric->better : metrics::Better::neither;
}

bool any_has(const FigureScene& scene, std::string_view name) {
  for (std::size_t m = 0; m < scene.study.models.size(); ++m)
    if (compare::column_of(study_columns(scene, m), name) != nullptr) return true;
  return false;
}

void add_metric(FigureScene& scene, const std::string& name) {
  const bool known =
      std::ranges::find(scene.metrics, name, &FigureMetric::name) != scene.metrics.end();
  if (!known && any_has(scene, name))
    scene.metrics.push_back(figure_metric(scene.study, name, drawn_direction(scene.study, name)));
}

void add_metrics(FigureScene& scene) {
  if (scene.study.comparison)
    for (const compare::MetricComparison& metric : scene.study.comparison->metrics)
      scene.metrics.push_back(figure_metric(metric.metric));
  else
    for (const std::string& name : shown_metrics(scene.study)) add_metric(scene, name);
  for (const std::string_view name : further_metrics) add_metric(scene, std::string(name));
}

std::vector<std::size_t> places_of(const compare::ResultTable& table,
                                   const std::vector<std::string>& ids) {
  std::vector<std::size_t> places(table.ids.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i < ids.size() && ids[i] == table.ids[i]) {  // fast path: most files have all cases, sorted
      places[i] = i;
      continue;
    }
    const auto found = std::ranges::lower_bound(ids, table.ids[i]);
    if (found == ids.end() || *found != table.ids[i]) return {};
    places[i] = static_cast<std::size_t>(found - ids.begin());
  }
  return places;
}

/// A key such as "dice of WT" in its two parts.
struct MetricKey {
  std::string metric, label{};
};

MetricKey parts_of_key(const std::string& key) {
  constexpr std::string_view of = " of ";
  const std::size_t at = key.find(of);
  return at == std::string::npos ? MetricKey{key}
                                 : MetricKey{key.substr(0, at), key.substr(at + of.size())};
}

/// A short name for the narrow columns of tables; captions give the full titles.
std::string brief_name(const std::string& metric) {
  const auto known = metrics::metric_of_key(metric);
  if (known && metric == (*known)->name && !(*known)->brief.empty())
    return std::string((*known)->brief);
  std::string text = metric;
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// The metric of a key, if it is known, and the unit of lengths.
struct KnownMetric {
  std::optional<metrics::ChosenMetric> row;
  metrics::LengthUnit unit;
};

std::string title_by_row(const std::string& key, const KnownMetric& known) {
  if (!known.row) return key;
  const auto [own, label] = parts_of_key(key);
  const metrics::Metric& row = **known.row;
  const std::string text = brief_name(own), comma = label.empty() ? "" : ", " + label;
  return row.unit.empty()
             ? text + comma
             : fmt::format("{}{} ({})", text, comma, metrics::unit_in(row, known.unit));
}

FigureMetric drawn_metric(const std::string& name, metrics::Better better,
                          const KnownMetric& known) {
  if (!known.row)
    return {.name = name,
            .title = name,
            .short_title = name,
            .better = better,
            .possible = {-metrics::infinity, metrics::infinity}};
  const metrics::Metric& row = **known.row;
  const MetricKey key = parts_of_key(name);
  const std::string title = std::string(row.title) +
                            (key.metric == row.name ? "" : " (" + key.metric + ")") +
                            (key.label.empty() ? "" : ", " + key.label);
  return {.name = name,
          .title = title,
          .unit = std::string(metrics::unit_in(row, known.unit)),
          .short_title = title_by_row(name, known),
          .better = better,
          .possible = {row.range.low, row.range.high},
          .row = known.row};
}

}  // namespace

std::vector<std::string> shown_metrics(const Study& study) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  if (study.comparison)
    for (const compare::MetricComparison& metric : study.comparison->metrics)
      add(metric.metric.name);
  if (study.comparison || !study.metrics.empty()) return study.comparison ? out : study.metrics;
  const std::vector<std::string> whole = {""};
  for (const compare::ResultTable& table : study.models)
    for (const std::string& name : compare::default_metrics({&table, 1}, whole)) add(name);
  return out;
}

std::string metric_title(const std::string& key, metrics::LengthUnit unit) {
  return title_by_row(key, {metrics::metric_of_key(key), unit});
}

std::string metric_title(const Study& study, const std::string& key) {
  return title_by_row(key, {metric_in(study, key), length_unit(study)});
}

std::string metric_title(const compare::ComparedMetric& metric) {
  return title_by_row(metric.name, {compare::metric_of(metric), metric.unit});
}

std::string metric_words(const std::string& key) {
  if (!metrics::metric_of_key(key)) return key;
  const auto [own, label] = parts_of_key(key);
  return brief_name(own) + (label.empty() ? "" : " of " + label);
}

std::string_view direction_arrow(metrics::Better better) {
  constexpr std::array<std::string_view, 4> arrows = {"↑", "↓", "→ 0", ""};
  return arrows[static_cast<std::size_t>(better)];
}

FigureMetric figure_metric(const std::string& name, metrics::Better better) {
  return drawn_metric(name, better, {metrics::metric_of_key(name), metrics::LengthUnit::mm});
}

FigureMetric figure_metric(const Study& study, const std::string& name, metrics::Better better) {
  return drawn_metric(name, better, {metric_in(study, name), length_unit(study)});
}

FigureMetric figure_metric(const compare::ComparedMetric& metric) {
  return drawn_metric(metric.name, metric.better, {compare::metric_of(metric), metric.unit});
}

std::string caption_title(const FigureMetric& metric) {
  return metric.unit.empty() ? metric.title : fmt::format("{} ({})", metric.title, metric.unit);
}

std::string title_in_sentence(const FigureMetric& metric) {
  constexpr std::array<std::string_view, 5> proper = {"Brier", "Cohen", "Dice", "Hausdorff",
                                                      "Matthews"};
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string out = caption_title(metric);
  const bool is_own = !metric.row || (*metric.row)->is_own();
  if (is_own || out.size() < 2 || !is_upper(out[0]) || !is_lower(out[1])) return out;
  if (std::ranges::any_of(proper, [&](std::string_view name) { return out.starts_with(name); }))
    return out;
  out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

std::string axis_title(const FigureMetric& metric) {
  constexpr std::array<std::string_view, 4> words = {" (higher is better)", " (lower is better)",
                                                     " (nearer to 0 is better)", ""};
  return metric.title + (metric.unit.empty() ? "" : ", " + metric.unit) +
         std::string(words[static_cast<std::size_t>(metric.better)]);
}

FigureScene figure_scene(const Study& study, double width) {
  FigureScene scene = {.study = study, .metrics = {}, .names = {}, .places = {}, .width = width};
  for (const compare::ResultTable& model : study.models) {
    scene.names.push_back(model.model_name);
    scene.places.push_back(places_of(model, study.ids));
  }
  add_metrics(scene);
  return scene;
}

const std::vector<compare::MetricColumn>& study_columns(const FigureScene& scene,
                                                        std::size_t model) {
  const compare::LabelTable* label = compared_table(scene, model);
  return label == nullptr ? scene.study.models[model].averages : label->columns;
}

const compare::MetricColumn* volume_column(const FigureScene& scene, std::size_t model,
                                           std::string_view name) {
  if (const compare::MetricColumn* asked = compare::column_of(study_columns(scene, model), name))
    return asked;
  const compare::LabelTable* label = compared_table(scene, model);
  return compare::column_of(label == nullptr ? scene.study.models[model].derived : label->derived,
                            name);
}

Sample sample_of(const FigureScene& scene, std::size_t model, const compare::MetricColumn* column) {
  Sample sample;
  const std::vector<std::size_t>& places = scene.places[model];
  const std::size_t cases = scene.study.models[model].cases;
  if (column == nullptr) return {.undefined = cases};
  sample.named = places.size() == column->values.size();
  for (std::size_t i = 0; i < column->values.size(); ++i) {
    const std::optional<double>& value = column->values[i];
    if (!value) {
      ++sample.undefined;
    } else if (!std::isfinite(*value)) {
      ++sample.infinite;
    } else {
      sample.values.push_back(*value);
      sample.places.push_back(sample.named ? places[i] : i);
    }
  }
  return sample;
}

std::vector<Sample> samples_of(const FigureScene& scene, std::string_view metric) {
  std::vector<Sample> samples;
  samples.reserve(scene.study.models.size());
  for (std::size_t m = 0; m < scene.study.models.size(); ++m)
    samples.push_back(sample_of(scene, m, compare::column_of(study_columns(scene, m), metric)));
  return samples;
}

MarkStyle mark_style(const Sample& sample, std::size_t model) {
  return {.owner = model, .named = sample.named, .tone = model_tone(model)};
}

std::string counts_sentence(std::span<const Sample> samples) {
  std::size_t least = static_cast<std::size_t>(-1), most = 0, undefined = 0, infinite = 0;
  for (const Sample& sample : samples) {
    least = std::min(least, sample.values.size());
    most = std::max(most, sample.values.size());
    undefined += sample.undefined;
    infinite += sample.infinite;
  }
  const std::string each = samples.size() > 1 ? " per model" : "";
  std::string out = least >= most
                        ? fmt::format("n = {}{}", counted(most, "case"), each)
                        : fmt::format("n = {} to {}{}", least, counted(most, "case"), each);
  if (undefined != 0)
    out += fmt::format("; {} {} undefined and left out", counted(undefined, "value"),
                       undefined == 1 ? "is" : "are");
  if (infinite != 0)
    out += fmt::format("; {} {} infinite and left out", counted(infinite, "value"),
                       infinite == 1 ? "is" : "are");
  return out + ".";
}

std::string average_note(const FigureScene& scene) {
  const std::string note = averaged_note(scene.study);
  return note.empty() ? "" : " " + note;
}

std::string values_words(std::size_t values, std::size_t models) {
  return models == 1 ? fmt::format("n = {}", counted(values, "case"))
                     : fmt::format("n = {} of {} models", counted(values, "value"), models);
}

std::string_view correction_words(stats::Correction correction) {
  constexpr std::array<Named<stats::Correction>, 7> names = {
      {{"Holm", stats::Correction::holm},
       {"Bonferroni", stats::Correction::bonferroni},
       {"Hochberg", stats::Correction::hochberg},
       {"Hommel", stats::Correction::hommel},
       {"Holm–Šidák", stats::Correction::holm_sidak},
       {"Benjamini–Hochberg", stats::Correction::bh},
       {"Benjamini–Yekutieli", stats::Correction::by}}};
  return name_in(std::span<const Named<stats::Correction>>(names), correction);
}

std::string listed(std::span<const std::string> words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return joined(words.first(words.size() - 1)) + " and " + words.back();
}

bool has_compared_values(const FigureScene& scene) {
  const auto& comparison = scene.study.comparison;
  if (!comparison || comparison->models.size() != scene.study.models.size()) return false;
  return comparison->matching.places.size() == scene.study.models.size();
}

std::size_t matched_place(const FigureScene& scene, std::size_t model, std::size_t matched) {
  const compare::Matching& matching = scene.study.comparison->matching;
  const std::size_t place = matching.places[model][matched];
  if (place < scene.places[model].size()) return scene.places[model][place];
  const auto& ids = scene.study.ids;  // a case that the model lost, or files without ids
  const auto found = std::ranges::lower_bound(ids, matching.ids[matched]);
  return found != ids.end() && *found == matching.ids[matched]
             ? static_cast<std::size_t>(found - ids.begin())
             : place;
}

}  // namespace assay::report
