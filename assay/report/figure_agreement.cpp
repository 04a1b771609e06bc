// SPDX-License-Identifier: Apache-2.0
/// Bland and Altman (1986): predicted against reference volumes, a panel per model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/report/chart.hpp"
#include "assay/report/figure_kinds.hpp"
#include "assay/report/svg_text.hpp"
#include "assay/stats/moments.hpp"

namespace assay::detail {
namespace {

/// Case by case: the mean of both volumes, and prediction - reference.
struct Agreement {
  std::size_t model = 0;
  std::vector<double> means{}, differences{};
  std::vector<std::size_t> places{};
  std::size_t left_out = 0;
  bool named = true;

  double bias() const { return mean(differences); }
  /// Half the width between the limits of agreement; nothing for one case.
  double reach() const {
    const double spread = standard_deviation(differences, 1);
    return std::isfinite(spread) ? 1.96 * spread : 0;
  }
};

Agreement agreement_of(const FigureScene& scene, std::size_t model) {
  const MetricColumn* prediction = volume_column(scene, model, "volume_prediction_ml");
  const MetricColumn* reference = volume_column(scene, model, "volume_reference_ml");
  Agreement out = {.model = model};
  if (prediction == nullptr || reference == nullptr) return out;
  out.named = scene.places[model].size() == prediction->values.size();
  for (std::size_t i = 0; i < prediction->values.size(); ++i) {
    const double ours = prediction->values[i].value_or(infinity);
    const double theirs = reference->values[i].value_or(infinity);
    if (!std::isfinite(ours) || !std::isfinite(theirs)) {
      ++out.left_out;
      continue;
    }
    out.means.push_back((ours + theirs) / 2);
    out.differences.push_back(ours - theirs);
    out.places.push_back(out.named ? scene.places[model][i] : i);
  }
  return out;
}

struct Axes {
  Extent x{0, 1}, y{-1, 1};
  ScaleKind kind = ScaleKind::linear;
};

/// Volumes over more than one decade are told apart on a logarithmic axis only.
Axes axes_of(std::span<const Agreement> all) {
  std::optional<Extent> positive, x, y;
  for (const Agreement& each : all) {
    x = joined(x, extent_of(each.means));
    y = joined(y, extent_of(each.differences));
    for (const double value : each.means)
      if (value > 0) positive = joined(positive, Extent{value, value});
    if (!each.differences.empty())
      y = joined(y, Extent{each.bias() - each.reach(), each.bias() + each.reach()});
  }
  Axes axes;
  if (y) axes.y = padded(*joined(y, Extent{0, 0}));
  if (x) axes.x = padded(*x, {0, infinity});
  if (positive && positive->high / positive->low > 20) {
    axes.kind = ScaleKind::logarithmic;
    axes.x = {positive->low * 0.8, positive->high * 1.25};
  }
  return axes;
}

void draw_limits(Drawing& drawing, const Frame& plot, const Scale& y, const Agreement& data) {
  const double bias = data.bias(), reach = data.reach();
  drawing.box({plot.x, y(bias + reach), plot.width, y(bias - reach) - y(bias + reach)},
              {.fill = model_tone(data.model), .fill_opacity = 0.09});
  drawing.line({plot.x, y(bias)}, {plot.right(), y(bias)},
               {.stroke = model_tone(data.model), .stroke_width = 1.8});
  for (const double limit : {bias - reach, bias + reach})
    drawing.line({plot.x, y(limit)}, {plot.right(), y(limit)},
                 {.stroke = model_tone(data.model), .dashes = "4 3"});
}

/// "+2.1 [−18, 22]"; one case alone has no limits.
std::string limits_of(const Agreement& data) {
  const double bias = data.bias(), reach = data.reach();
  if (data.means.size() < 2) return signed_number(bias);
  return fmt::format("{} [{}, {}]", signed_number(bias), figure_number(bias - reach),
                     figure_number(bias + reach));
}

std::string caption(std::span<const Agreement> all, const Axes& axes, MarkForm form) {
  std::size_t total = 0, left_out = 0, zeros = 0;
  for (const Agreement& data : all) {
    total += data.means.size();
    left_out += data.left_out;
    zeros += static_cast<std::size_t>(std::ranges::count(data.means, 0.0));
  }
  std::string out = fmt::format(
      "Predicted minus reference volume against the mean of both. The line is the mean difference "
      "(bias), dashes are the 95 % limits of agreement (bias ± 1.96 SD); both stand above each "
      "panel, in mL. A cloud that opens or tilts shows errors that grow with volume.{} {}",
      cloud_note(form, total), values_words(total, all.size()));
  if (left_out != 0) out += fmt::format("; {} without both volumes are left out", left_out);
  if (axes.kind == ScaleKind::logarithmic && zeros != 0)
    out += fmt::format("; {} with two empty masks stand at the left edge", zeros);
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
  const PanelLayout layout = panel_layout(all.size(), all.size() == 1 ? 240 : 150);
  Drawing drawing(figure_width, layout.height);
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
  return {
      {"bland-altman", title, caption(all, axes, form) + average_note(scene), drawing.svg(title)}};
}

}  // namespace assay::detail
