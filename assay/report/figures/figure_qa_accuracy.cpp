// SPDX-License-Identifier: Apache-2.0
/// Accuracy with its interval, next to published values, a figure per benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

/// All in percent.
struct AccuracyRow {
  std::string name;
  std::optional<double> value{}, low{}, high{};
  std::string_view tone = tone::muted;
  bool published = false;
  std::size_t n = 0;
};

AccuracyRow measured(const QaStudyPart& part, std::size_t position) {
  AccuracyRow row = {.name = part.result.model_name, .tone = model_tone(position)};
  const auto& score = part.scores.headline();
  if (!score) return row;
  row.value = 100 * score->items.point;
  row.low = 100 * score->interval.interval.lower;
  row.high = 100 * score->interval.interval.upper;
  row.n = score->n;
  return row;
}

AccuracyRow printed(const qa::PublishedSystem& system) {
  AccuracyRow row = {
      .name = std::string(system.name), .value = system.score.mean, .published = true};
  if (system.score.std) {
    row.low = system.score.mean - *system.score.std;
    row.high = system.score.mean + *system.score.std;
  }
  return row;
}

std::vector<AccuracyRow> rows_of(QaParts parts, const std::string& benchmark) {
  std::vector<AccuracyRow> rows;
  const qa::PublishedBenchmark* published = qa::find_published_giant(benchmark);
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].result.benchmark_name == benchmark) rows.push_back(measured(parts[k], k));
  if (published != nullptr)
    for (const qa::PublishedSystem& system : published->systems) rows.push_back(printed(system));
  return rows;
}

Extent domain_of(std::span<const AccuracyRow> rows) {
  std::optional<Extent> data;
  for (const AccuracyRow& row : rows)
    for (const auto& value : {row.value, row.low, row.high})
      if (value && std::isfinite(*value)) data = hull(data, Extent{*value, *value});
  return padded(data.value_or(Extent{0, 100}), {0, 100});
}

void draw_row(Drawing& drawing, const Scale& x, const RowLayout& layout, std::size_t place,
              const AccuracyRow& row) {
  const double y = layout.middle(place), number_y = layout.number_y(y);
  const TextStyle number = {.size = small_text, .anchor = Anchor::end};
  if (!row.value) {
    drawing.text({drawing.width() - 60, number_y}, "no item", number);
    return;
  }
  if (row.low && row.high)
    drawing.line({x(*row.low), y}, {x(*row.high), y},
                 {.stroke = row.tone, .stroke_width = row.published ? 1.2 : 2.4});
  if (row.published)
    drawing.diamond({x(*row.value), y}, 5,
                    {.fill = tone::paper, .stroke = row.tone, .stroke_width = 1.4});
  else
    drawing.circle({x(*row.value), y}, 5, {.fill = row.tone, .stroke = tone::paper});
  drawing.text({drawing.width() - 60, number_y}, fmt::format("{:.1f} %", *row.value), number);
  if (!row.published)
    drawing.text({drawing.width() - 10, number_y}, std::to_string(row.n),
                 {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
}

std::string qa_accuracy_caption(const std::string& benchmark, QaParts parts, bool has_published) {
  const auto part = std::ranges::find_if(
      parts, [&](const QaStudyPart& each) { return each.result.benchmark_name == benchmark; });
  const std::string metric(name_in(stats::classification_metrics(), part->scores.metric));
  std::string left_out;
  for (const QaStudyPart& each : parts) {
    const std::size_t without =
        each.scores.ledger.expected() - each.scores.ledger.count(qa::Outcome::scored);
    if (each.result.benchmark_name != benchmark || without == 0) continue;
    left_out +=
        fmt::format(" {} of {} items of {} have no label and {}.", without,
                    each.scores.ledger.expected(), each.result.model_name,
                    each.scores.settings.policy == qa::FailurePolicy::wrong ? "count as wrong"
                                                                            : "are left out");
  }
  return fmt::format(
      "{} of {}: points with Wilson's 95 % interval ({}).{}{}",
      metric == "accuracy" ? "Accuracy" : "Balanced accuracy", benchmark,
      part->scores.headline() && part->scores.headline()->interval.clusters != 0
          ? "questions that share slides are not counted as independent"
          : "questions are taken as independent",
      has_published ? fmt::format(" Hollow diamonds are published values ({}) with one SD: other "
                                  "models, other runs, for orientation only.",
                                  qa::published_giant_source)
                    : "",
      left_out);
}

Figure accuracy(const QaScene& scene, const std::string& benchmark) {
  const auto& [parts, width] = scene;
  const std::vector<AccuracyRow> rows = rows_of(parts, benchmark);
  std::vector<std::string> names(rows.size());
  std::ranges::transform(rows, names.begin(), &AccuracyRow::name);
  const RowLayout layout =
      row_layout({.names = names, .width = width, .row_height = 26, .right_room = 122});
  const Scale x(domain_of(rows), {layout.plot.x, layout.plot.right()});
  Drawing drawing(width, layout.height());
  draw_x_axis(drawing, layout.plot, x, "score, %");
  draw_rows(drawing, layout, names);
  drawing.text({drawing.width() - 10, 14}, "items",
               {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  for (std::size_t k = 0; k < rows.size(); ++k) draw_row(drawing, x, layout, k, rows[k]);
  const std::string title = benchmark + ": accuracy";
  return {"qa-accuracy-" + key_part(benchmark), title,
          qa_accuracy_caption(benchmark, parts, !rows.empty() && rows.back().published),
          drawing.svg(title)};
}

}  // namespace

Figures qa_accuracy_figures(const QaScene& scene) {
  std::vector<std::string> benchmarks;
  Figures figures;
  for (const QaStudyPart& part : scene.parts) {
    const std::string& benchmark = part.result.benchmark_name;
    if (std::ranges::find(benchmarks, benchmark) != benchmarks.end()) continue;
    benchmarks.push_back(benchmark);
    figures.push_back(accuracy(scene, benchmark));
  }
  return figures;
}

}  // namespace assay::report
