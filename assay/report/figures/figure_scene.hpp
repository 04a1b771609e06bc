// SPDX-License-Identifier: Apache-2.0
/// What all figures of a study have in common: its metrics, and the position of each case.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/marks.hpp"
#include "assay/report/study.hpp"

namespace assay::report {

/// The metrics that a report is about: those compared, or asked for by name, or scored.
std::vector<std::string> shown_metrics(const Study& study);

/// A metric's short name for people, with its label and unit: "HD95, WT (mm)".
std::string metric_title(const std::string& key, metrics::LengthUnit unit);
std::string metric_title(const Study& study, const std::string& key);
std::string metric_title(const compare::ComparedMetric& metric);

/// The same in a sentence, without unit: "HD95 of WT".
std::string metric_words(const std::string& key);

/// "↑" where higher is better, "↓" where lower is, "→ 0" where nearer to zero is; else "".
std::string_view direction_arrow(metrics::Better better);

struct FigureMetric {
  std::string name;    ///< the key, as in the files
  std::string title;   ///< for people
  std::string unit{};  ///< "" for a ratio
  std::string short_title;
  metrics::Better better = metrics::Better::higher;
  Extent possible{};
  std::optional<metrics::ChosenMetric> row{};  ///< none if the files do not say what it is
};

FigureMetric figure_metric(const std::string& name, metrics::Better better);
FigureMetric figure_metric(const Study& study, const std::string& name, metrics::Better better);
FigureMetric figure_metric(const compare::ComparedMetric& metric);

/// The title with its unit in brackets, to begin a caption: "Hausdorff distance (mm)".
std::string caption_title(const FigureMetric& metric);

/// The same within a sentence: "lesion-wise F1 score". Proper names, acronyms and the names that
/// users gave to their own metrics stay as they are.
std::string title_in_sentence(const FigureMetric& metric);

/// The title with its unit and the direction in which it improves.
std::string axis_title(const FigureMetric& metric);

struct FigureScene {
  const Study& study;
  std::vector<FigureMetric> metrics;             ///< the metrics that are drawn
  std::vector<std::string> names;                ///< of models
  std::vector<std::vector<std::size_t>> places;  ///< by model: of its cases in the study
  double width = page_width;                     ///< of each drawing
};

FigureScene figure_scene(const Study& study, double width = page_width);

/// The finite values of one column.
struct Sample {
  std::vector<double> values{};
  std::vector<std::size_t> places{};  ///< of their cases in the study
  bool named = true;                  ///< whether `places` mean anything
  std::size_t undefined = 0, infinite = 0;
};

/// `column` may be null; the sample is then empty.
Sample sample_of(const FigureScene& scene, std::size_t model, const compare::MetricColumn* column);

/// The columns that the study is about: those of the compared label, or the averages over labels.
const std::vector<compare::MetricColumn>& study_columns(const FigureScene& scene,
                                                        std::size_t model);

/// Volumes of the cases that the study is about, asked for or derived; null when there are none.
const compare::MetricColumn* volume_column(const FigureScene& scene, std::size_t model,
                                           std::string_view name);

/// One sample per model.
std::vector<Sample> samples_of(const FigureScene& scene, std::string_view metric);

MarkStyle mark_style(const Sample& sample, std::size_t model);

/// "n = 30 cases per model; 2 undefined values are left out."
std::string counts_sentence(std::span<const Sample> samples);

/// What a caption adds if the value of a case is a mean over its labels; "" otherwise.
std::string average_note(const FigureScene& scene);

/// "n = 80 values of 2 models", "n = 40 cases".
std::string values_words(std::size_t values, std::size_t models);

/// The author of the correction: "Holm".
std::string_view correction_words(stats::Correction correction);

/// "a, b and c".
std::string listed(std::span<const std::string> words);

/// Whether values of the comparison can be found in the study.
bool has_compared_values(const FigureScene& scene);

/// The position in the study of a matched case, in the order of the model's file.
std::size_t matched_place(const FigureScene& scene, std::size_t model, std::size_t matched);

}  // namespace assay::report
