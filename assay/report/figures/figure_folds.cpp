// SPDX-License-Identifier: Apache-2.0
/// The runs of a cross-validation: a dot per training, a row per outer fold.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

/// Means of one metric, by run.
std::vector<double> run_means(const compare::OuterFold& fold, std::size_t metric) {
  std::vector<double> means;
  for (const compare::TestedRun& run : fold.runs)
    if (metric < run.subjects.size() && run.subjects[metric].mean)
      means.push_back(*run.subjects[metric].mean);
  return means;
}

compare::Value fold_mean(const compare::OuterFold& fold, std::size_t metric) {
  return metric < fold.over_subjects.size() ? fold.over_subjects[metric].mean : compare::Value();
}

Extent domain_of(const compare::CrossValidation& result, std::size_t metric, Extent possible) {
  std::optional<Extent> data;
  for (const compare::OuterFold& fold : result.folds) {
    data = hull(data, extent_of(run_means(fold, metric)));
    if (const compare::Value mean = fold_mean(fold, metric))
      data = hull(data, Extent{*mean, *mean});
  }
  return padded(data.value_or(Extent{0, 1}), possible);
}

void draw_fold(Drawing& drawing, const Scale& x, std::array<double, 2> heights,
               const compare::OuterFold& fold, std::size_t metric) {
  const auto [y, number_y] = heights;
  for (const double run : run_means(fold, metric))
    drawing.circle({x(run), y}, 4.5, {.fill = model_tone(0), .fill_opacity = 0.55});
  if (const compare::Value mean = fold_mean(fold, metric)) {
    drawing.diamond({x(*mean), y}, 6, {.fill = tone::ink, .stroke = tone::paper});
    drawing.text({drawing.width() - 70, number_y}, figure_number(*mean),
                 {.size = small_text, .anchor = Anchor::end});
  }
  drawing.text({drawing.width() - 10, number_y}, std::to_string(fold.subjects.size()),
               {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
}

std::string folds_caption(const FoldsStudyPart& part, const FigureMetric& metric, std::size_t k) {
  const compare::NamedSpreads& spreads = part.result.spreads[k];
  std::string out = fmt::format(
      "{} of {} by outer fold, restarts combined by their {}. n = {} in {}", caption_title(metric),
      part.name, name(part.result.restarts), counted(spreads.subjects.n, "subject"),
      counted(part.result.folds.size(), "fold"));
  if (spreads.undefined != 0)
    out += fmt::format("; {} from single runs are undefined and left out",
                       counted(spreads.undefined, "value"));
  return out + ".";
}

Figure folds(const FoldsStudyPart& part, std::size_t k, double width) {
  const compare::CrossValidation& result = part.result;
  const std::string& key = result.metrics[k];
  const auto known = metrics::metric_of_key(key);
  const FigureMetric metric =
      figure_metric(key, known ? known->metric->better : metrics::Better::neither);
  std::vector<std::string> names;
  names.reserve(result.folds.size());
  for (const compare::OuterFold& fold : result.folds)
    names.push_back(fmt::format("fold {}", fold.number));
  const RowLayout layout = row_layout({.names = names, .width = width, .right_room = 122});
  const Scale x(domain_of(result, k, metric.possible), {layout.plot.x, layout.plot.right()});
  Drawing drawing(width, layout.height());
  draw_x_axis(drawing, layout.plot, x, axis_title(metric));
  if (const compare::Value mean = result.spreads[k].subjects.mean)
    drawing.line({x(*mean), layout.plot.y}, {x(*mean), layout.plot.bottom()},
                 {.stroke = tone::muted, .dashes = "4 3"});
  draw_rows(drawing, layout, names);
  const TextStyle head = {.size = small_text, .anchor = Anchor::end, .tone = tone::muted};
  drawing.text({drawing.width() - 70, 14}, "mean", head);
  drawing.text({drawing.width() - 10, 14}, "subjects", head);
  for (std::size_t row = 0; row < result.folds.size(); ++row)
    draw_fold(drawing, x, {layout.middle(row), layout.number_y(layout.middle(row))},
              result.folds[row], k);
  const std::string title = fmt::format("{}: {} by fold", part.name, key);
  return {.key = fmt::format("folds-{}-{}", key_part(part.name), key_part(key)),
          .title = title,
          .caption = folds_caption(part, metric, k),
          .svg = drawing.svg(title),
          .reading =
              "Each dot is a training run: its mean over the subjects of the fold. The "
              "diamond is the fold with its restarts combined, and the vertical line is the "
              "mean over all subjects. Spread within a row is due to restarts, between rows "
              "to the subjects.",
          .topic = "Folds"};
}

}  // namespace

Figures fold_figures(const FigureScene& scene) {
  Figures figures;
  for (const FoldsStudyPart& part : scene.study.folds)
    for (std::size_t k = 0; k < std::min(part.result.metrics.size(), part.result.spreads.size());
         ++k)
      figures.push_back(folds(part, k, scene.width));
  return figures;
}

}  // namespace assay::report
