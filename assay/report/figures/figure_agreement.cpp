// SPDX-License-Identifier: Apache-2.0
/// Bland and Altman (1986): predicted against reference volumes, a panel per model, with the
/// intervals of the limits and the intraclass correlation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assay/base/bids.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/agreement.hpp"

namespace assay::report {
namespace {

/// Case by case: both volumes, their mean, and prediction - reference.
struct Agreement {
  std::size_t model = 0;
  std::vector<double> predictions{}, references{}, means{}, differences{};
  std::vector<std::size_t> places{};
  std::size_t left_out = 0;
  bool named = true;
  stats::BlandAltman limits{};  ///< one case alone has a bias only
  stats::Interval icc{};        ///< agreement of single measurements, from two cases on

  bool has_limits() const { return means.size() > 1; }
};

/// The interval, or none if there are too few pairs.
stats::Interval shown(stats::Interval interval, std::size_t pairs) {
  if (pairs < stats::least_pairs) interval.lower = interval.upper = std::nan("");
  return interval;
}

void add_statistics(Agreement& data) {
  const std::size_t n = data.means.size();
  if (n == 0) return;
  stats::BlandAltman& limits = data.limits = stats::bland_altman(data.predictions, data.references);
  for (stats::Interval* each : {&limits.bias, &limits.lower, &limits.upper})
    *each = shown(*each, n);
  if (n < 2) return;
  const std::array ratings = {data.predictions, data.references};
  data.icc = shown(stats::intraclass_correlation(ratings).agreement, n);
}

Agreement agreement_of(const FigureScene& scene, std::size_t model) {
  const compare::MetricColumn* prediction = volume_column(scene, model, "volume_prediction_ml");
  const compare::MetricColumn* reference = volume_column(scene, model, "volume_reference_ml");
  Agreement out = {.model = model};
  if (prediction == nullptr || reference == nullptr) return out;
  out.named = scene.places[model].size() == prediction->values.size();
  for (std::size_t i = 0; i < prediction->values.size(); ++i) {
    const double ours = prediction->values[i].value_or(metrics::infinity);
    const double theirs = reference->values[i].value_or(metrics::infinity);
    if (!std::isfinite(ours) || !std::isfinite(theirs)) {
      ++out.left_out;
      continue;
    }
    out.predictions.push_back(ours);
    out.references.push_back(theirs);
    out.means.push_back((ours + theirs) / 2);
    out.differences.push_back(ours - theirs);
    out.places.push_back(out.named ? scene.places[model][i] : i);
  }
  add_statistics(out);
  return out;
}

/// How far a limit reaches: its interval if it has one, itself otherwise.
Extent reach_of(const stats::Interval& limit) {
  if (!limit.has_limits()) return {limit.estimate, limit.estimate};
  return {limit.lower, limit.upper};
}

struct Axes {
  Extent x{0, 1}, y{-1, 1};
  ScaleKind kind = ScaleKind::linear;
};

/// Volumes over more than one decade can be told apart only on a logarithmic axis.
Axes axes_of(std::span<const Agreement> all) {
  std::optional<Extent> positive, x, y;
  for (const Agreement& each : all) {
    x = hull(x, extent_of(each.means));
    y = hull(y, extent_of(each.differences));
    for (const double value : each.means)
      if (value > 0) positive = hull(positive, Extent{value, value});
    if (each.has_limits())
      y = hull(hull(y, reach_of(each.limits.lower)), reach_of(each.limits.upper));
  }
  Axes axes;
  if (y) axes.y = padded(*hull(y, Extent{0, 0}));
  if (x) axes.x = padded(*x, {0, metrics::infinity});
  if (positive && positive->high / positive->low > 20) {
    axes.kind = ScaleKind::logarithmic;
    axes.x = {positive->low * 0.8, positive->high * 1.25};
  }
  return axes;
}

void draw_limits(Drawing& drawing, const Frame& plot, const Scale& y, const Agreement& data) {
  const double bias = data.limits.bias.estimate;
  drawing.line({plot.x, y(bias)}, {plot.right(), y(bias)},
               {.stroke = model_tone(data.model), .stroke_width = 1.8});
  if (!data.has_limits()) return;
  for (const stats::Interval& limit : {data.limits.lower, data.limits.upper}) {
    const Extent reach = reach_of(limit);
    drawing.box({plot.x, y(reach.high), plot.width, y(reach.low) - y(reach.high)},
                {.fill = model_tone(data.model), .fill_opacity = 0.12});
    drawing.line({plot.x, y(limit.estimate)}, {plot.right(), y(limit.estimate)},
                 {.stroke = model_tone(data.model), .dashes = "4 3"});
  }
}

/// "+2.1 [−18, 22]"; one case alone has no limits.
std::string limits_of(const Agreement& data) {
  const stats::BlandAltman& found = data.limits;
  if (!data.has_limits()) return signed_number(found.bias.estimate);
  return fmt::format("{} [{}, {}]", signed_number(found.bias.estimate),
                     figure_number(found.lower.estimate), figure_number(found.upper.estimate));
}

/// "−18 [−22, −15]"; without limits only the number.
std::string with_interval(const std::string& number, const stats::Interval& interval) {
  if (!interval.has_limits()) return number;
  return fmt::format("{} [{}, {}]", number, figure_number(interval.lower),
                     figure_number(interval.upper));
}

std::string with_interval(const stats::Interval& interval) {
  return with_interval(figure_number(interval.estimate), interval);
}

/// "ours: bias +2.1 mL [1.0, 3.2], limits −18 [−22, −15] and 22 [19, 26], ICC(2,1) 0.97 [0.9, 1]"
std::string statistics_of(const Agreement& data, const std::string& name) {
  const stats::BlandAltman& found = data.limits;
  std::string out = fmt::format(
      "{}: bias {}", name, with_interval(signed_number(found.bias.estimate) + " mL", found.bias));
  if (!data.has_limits()) return out;
  out += fmt::format(", limits {} and {}", with_interval(found.lower), with_interval(found.upper));
  if (std::isnan(data.icc.estimate)) return out;
  return out + ", ICC(2,1) " + with_interval(data.icc);
}

/// The group column that identifies the subject of each case: the one used as cluster in the
/// comparison, or one whose name says so. Null if there is none.
const std::vector<std::string>* subject_column(const Study& study,
                                               const compare::ResultTable& table) {
  const std::string chosen = study.comparison ? study.comparison->settings.cluster : "";
  for (const auto& [name, texts] : table.groups)
    if (!chosen.empty() && name == chosen) return &texts;
  for (const auto& group : table.groups)
    if (compare::is_subject_column(group.first)) return &group.second;
  return nullptr;
}

/// How many subjects the cases of a model come from: by a group column, or by BIDS names. Nothing
/// when the cases do not say.
std::optional<std::size_t> subjects_of(const Study& study, const compare::ResultTable& table) {
  std::set<std::string> subjects;
  if (const auto* column = subject_column(study, table)) {
    subjects.insert(column->begin(), column->end());
    return subjects.contains("") ? std::nullopt : std::optional(subjects.size());
  }
  for (const std::string& id : table.ids) {
    const Entities stated = entities(id);
    if (!stated.contains("sub")) return std::nullopt;
    subjects.insert(stated.at("sub"));
  }
  return subjects.size();
}

/// Cases of one subject are not independent, and intervals that treat them as independent are too
/// narrow.
std::string dependence_note(const FigureScene& scene) {
  for (const compare::ResultTable& table : scene.study.models) {
    const auto subjects = subjects_of(scene.study, table);
    if (subjects && *subjects != 0 && *subjects < table.cases)
      return fmt::format(
          " {} are from {} subjects and are treated as independent here, so these intervals are "
          "too "
          "narrow.",
          counted(table.cases, "case"), *subjects);
  }
  return "";
}

std::string statistics_sentence(const FigureScene& scene, std::span<const Agreement> all) {
  std::vector<std::string> each;
  bool has_intervals = false;
  for (const Agreement& data : all) {
    each.push_back(statistics_of(data, scene.names[data.model]));
    has_intervals = has_intervals || data.limits.upper.has_limits();
  }
  return " " + joined(each, "; ") + "." + (has_intervals ? dependence_note(scene) : "");
}

std::string agreement_reading(std::span<const Agreement> all, MarkForm form) {
  std::size_t total = 0;
  for (const Agreement& data : all) total += data.means.size();
  return "The line is the mean difference (bias), dashes are the 95 % limits of agreement (bias ± "
         "1.96 SD); both are given above each panel, in mL. Bands are the 95 % confidence "
         "intervals "
         "of the limits, given in brackets for six cases or more (exact for normal differences). A "
         "cloud that opens or tilts shows errors that grow with volume." +
         cloud_note(form, total);
}

std::string agreement_caption(std::span<const Agreement> all, const Axes& axes) {
  std::size_t total = 0, left_out = 0, zeros = 0;
  for (const Agreement& data : all) {
    total += data.means.size();
    left_out += data.left_out;
    zeros += static_cast<std::size_t>(std::ranges::count(data.means, 0.0));
  }
  std::string out = fmt::format("Predicted minus reference volume against the mean of both. {}",
                                values_words(total, all.size()));
  if (left_out != 0) out += fmt::format("; {} without both volumes are left out", left_out);
  if (axes.kind == ScaleKind::logarithmic && zeros != 0)
    out += fmt::format("; {} with two empty masks are at the left edge", zeros);
  return out + ".";
}

void draw_cloud(Drawing& drawing, const PanelScales& scale, const Agreement& data, MarkForm form) {
  std::vector<Mark> dots;
  dots.reserve(data.means.size());
  for (std::size_t i = 0; i < data.means.size(); ++i)
    dots.push_back({data.places[i], {scale.x(data.means[i]), scale.y(data.differences[i])}});
  const MarkStyle style = {
      .owner = data.model, .named = data.named, .tone = model_tone(data.model)};
  drawing.add(cloud(dots, crowded(style, dots.size()), form));
}

}  // namespace

Figures agreement_figures(const FigureScene& scene) {
  std::vector<Agreement> all;
  std::size_t total = 0;
  for (std::size_t m = 0; m < scene.names.size(); ++m) {
    Agreement data = agreement_of(scene, m);
    total += data.means.size();
    if (!data.means.empty()) all.push_back(std::move(data));
  }
  if (all.empty()) return {};
  const Axes axes = axes_of(all);
  const MarkForm form = mark_form(total);
  const PanelLayout layout = panel_layout(all.size(), all.size() == 1 ? 240 : 150, scene.width);
  Drawing drawing(scene.width, layout.height);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Frame& plot = layout.plots[k];
    const PanelScales scale = panel_scales(plot, axes.x, axes.y, axes.kind);
    const std::string limits = limits_of(all[k]);
    draw_panel(drawing, layout, k, scene.names[all[k].model],
               {scale.x, scale.y, "mean of predicted and reference volume, mL",
                "predicted − reference, mL", limits});
    draw_limits(drawing, plot, scale.y, all[k]);
    draw_cloud(drawing, scale, all[k], form);
  }
  const std::string title = "Agreement of volumes (Bland–Altman)";
  return {{.key = "bland-altman",
           .title = title,
           .caption =
               agreement_caption(all, axes) + statistics_sentence(scene, all) + average_note(scene),
           .svg = drawing.svg(title),
           .reading = agreement_reading(all, form),
           .topic = "Volume"}};
}

}  // namespace assay::report
