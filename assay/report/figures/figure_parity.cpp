// SPDX-License-Identifier: Apache-2.0
/// The values of an experiment next to those of a paper, a panel per metric.
#include <fmt/format.h>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

/// One metric of a paper and of an experiment.
struct Held {
  std::string_view title;
  std::optional<double> achieved{}, achieved_std{};
  parity::PaperValue paper{};
  double tolerance = 0, acceptable = 0;
};

std::vector<Held> held_metrics(const parity::ParityReport& report) {
  const parity::ParityLimits& limits = report.limits;
  const parity::ParityDetails& details = report.result.details;
  std::vector<Held> all = {{"Dice ↑", details.dice.achieved, details.dice_std.achieved,
                            report.paper.dice, limits.dice_tolerance, limits.acceptable_dice}};
  if (report.paper.avd)
    all.push_back({"AVD ↓",
                   details.avd.achieved,
                   {},
                   *report.paper.avd,
                   limits.avd_tolerance,
                   limits.acceptable_avd});
  if (report.paper.mcc)
    all.push_back({"MCC ↑",
                   details.mcc.achieved,
                   {},
                   *report.paper.mcc,
                   limits.mcc_tolerance,
                   limits.acceptable_mcc});
  return all;
}

Extent domain_of(const Held& held) {
  const double paper_std = held.paper.std.value_or(0);
  Extent domain = {held.paper.mean - held.tolerance, held.paper.mean + held.tolerance};
  domain = *hull(domain, Extent{held.paper.mean - paper_std, held.paper.mean + paper_std});
  domain = *hull(domain, Extent{held.acceptable, held.acceptable});
  if (!held.achieved) return padded(domain);
  const double spread = held.achieved_std.value_or(0);
  return padded(*hull(domain, Extent{*held.achieved - spread, *held.achieved + spread}));
}

struct DotRow {
  double y = 0, mean = 0;
  std::optional<double> std{};
  std::string_view tone = tone::ink;
};

void draw_dot(Drawing& drawing, const Scale& x, const DotRow& row) {
  if (row.std)
    drawing.line({x(row.mean - *row.std), row.y}, {x(row.mean + *row.std), row.y},
                 {.stroke = row.tone, .stroke_width = 2});
  drawing.circle({x(row.mean), row.y}, 5, {.fill = row.tone, .stroke = tone::paper});
  drawing.text({x(row.mean), row.y - 13}, fmt::format("{:.3f}", row.mean),
               {.size = small_text, .anchor = Anchor::middle});
}

void draw_held(Drawing& drawing, const Frame& plot, const Held& held) {
  const Scale x(domain_of(held), {plot.x, plot.right()});
  const double low = x(held.paper.mean - held.tolerance),
               high = x(held.paper.mean + held.tolerance);
  drawing.text({plot.x, plot.y - 13}, held.title, {.bold = true});
  drawing.box({low, plot.y, high - low, plot.height}, {.fill = tone::better, .fill_opacity = 0.13});
  draw_x_axis(drawing, plot, x, "");
  drawing.line({x(held.acceptable), plot.y}, {x(held.acceptable), plot.bottom()},
               {.stroke = tone::muted, .stroke_width = 1.4, .dashes = "4 3"});
  const double upper = plot.y + plot.height * 0.36, lower = plot.y + plot.height * 0.8;
  draw_dot(drawing, x, {upper, held.paper.mean, held.paper.std, tone::muted});
  if (held.achieved)
    draw_dot(drawing, x, {lower, *held.achieved, held.achieved_std, model_tone(0)});
  else
    drawing.text({plot.center().x, lower}, "no value",
                 {.anchor = Anchor::middle, .tone = tone::muted});
}

Figure parity(const parity::ParityReport& report, double width) {
  const std::vector<Held> all = held_metrics(report);
  const PanelLayout layout = panel_layout(all.size(), 96, width);
  Drawing drawing(width, layout.height - 16);
  const TextStyle side = {.anchor = Anchor::end};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Frame& plot = layout.plots[k];
    draw_held(drawing, plot, all[k]);
    if (!layout.is_left(k)) continue;
    drawing.text({plot.x - 10, plot.y + plot.height * 0.36}, "paper", side);
    drawing.text({plot.x - 10, plot.y + plot.height * 0.8}, "ours", side);
  }
  const std::string title = fmt::format("Achieved and published values: {}", report.paper.name);
  std::size_t missing = 0;
  for (const Held& held : all) missing += held.achieved ? 0U : 1U;
  return {
      .key = "parity-" + key_part(report.paper.key),
      .title = title,
      .caption = fmt::format(
          "Values of {} next to those published for {}. Level reached: {}.{}",
          report.achieved.source, report.paper.name, name(report.result.parity_level),
          missing == 0 ? "" : fmt::format(" {} of {} values are missing.", missing, all.size())),
      .svg = drawing.svg(title),
      .reading =
          "Bars show one SD where it is known. The blue band is the paper's mean with the "
          "strict tolerance, the dashed line the limit of acceptable parity.",
      .topic = "Parity"};
}

}  // namespace

Figures parity_figures(const FigureScene& scene) {
  Figures figures;
  figures.reserve(scene.study.parity.size());
  for (const parity::ParityReport& report : scene.study.parity)
    figures.push_back(parity(report, scene.width));
  return figures;
}

}  // namespace assay::report
