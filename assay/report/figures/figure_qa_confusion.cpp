// SPDX-License-Identifier: Apache-2.0
/// Answers against truths: a matrix per results file.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_classes = 60;

std::vector<std::string> class_names(const qa::QaScores& scores) {
  std::vector<std::string> names;
  for (const std::int64_t label : scores.confusion.labels) {
    const auto found = std::ranges::find(scores.classes, label, &qa::ClassScore::label);
    const bool named = found != scores.classes.end() && !found->name.empty();
    names.push_back(named ? found->name : std::to_string(label));
  }
  return names;
}

struct ConfusionMatrix {
  Frame plot{};
  double cell = 0;

  Frame at(std::size_t row, std::size_t column) const {
    return {plot.x + double(column) * cell, plot.y + double(row) * cell, cell, cell};
  }
};

/// The last column is for items without a label.
ConfusionMatrix matrix_for(std::span<const std::string> names, double width) {
  double widest = 40;
  for (const std::string& name : names) widest = std::max(widest, text_width(name, small_text));
  const double label = std::min({widest, 180.0, 0.3 * width}) + 34, rows = double(names.size());
  const double cell =
      std::min(52.0, (width - label - (width >= roomy_width ? 30 : 10)) / (rows + 1));
  return {{std::max(label, (width - cell * (rows + 1)) / 2), std::min(widest, 150.0) + 50,
           cell * (rows + 1), cell * rows},
          cell};
}

void draw_label_names(Drawing& drawing, const ConfusionMatrix& matrix,
                      std::span<const std::string> names) {
  const TextStyle side = {.size = small_text, .anchor = Anchor::end, .room = matrix.plot.x - 34};
  const TextStyle above = {.size = small_text, .upright = false, .room = matrix.plot.y - 40};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Spot middle = matrix.at(k, k).center();
    drawing.text({matrix.plot.x - 8, middle.y}, names[k], side);
    drawing.text({middle.x, matrix.plot.y - 8}, names[k], above);
  }
  drawing.text({matrix.at(0, names.size()).center().x, matrix.plot.y - 8}, "none", above);
  drawing.text({matrix.plot.center().x, 12}, "answer", {.anchor = Anchor::middle, .bold = true});
  drawing.text({std::max(12.0, matrix.plot.x - 190), matrix.plot.center().y}, "truth",
               {.anchor = Anchor::middle, .bold = true, .upright = false});
}

struct ConfusionCell {
  std::size_t count = 0, total = 0;
  bool right = false, none = false;
};

void draw_cell(Drawing& drawing, const Frame& box, const ConfusionCell& cell) {
  const double share = cell.total == 0 ? 0 : double(cell.count) / double(cell.total);
  const std::string_view tone = cell.right ? tone::better : cell.none ? tone::muted : tone::worse;
  drawing.box(box, {.fill = tone::band, .stroke = tone::paper});
  if (cell.count == 0) return;
  drawing.box(
      box,
      {.fill = tone, .stroke = tone::paper, .fill_opacity = strongest_fill * (0.2 + 0.8 * share)});
  const std::string count = std::to_string(cell.count);
  if (text_width(count, small_text) <= box.width)
    drawing.text(box.center(), count,
                 {.size = box.width >= 26 ? usual_text : small_text, .anchor = Anchor::middle});
}

void draw_cells(Drawing& drawing, const ConfusionMatrix& matrix, const qa::ConfusionTable& table,
                std::span<const std::string> names) {
  for (std::size_t row = 0; row < table.labels.size(); ++row) {
    const std::size_t total =
        std::accumulate(table.counts[row].begin(), table.counts[row].end(), table.none[row]);
    for (std::size_t column = 0; column <= table.labels.size(); ++column) {
      const bool none = column == table.labels.size();
      const std::size_t count = none ? table.none[row] : table.counts[row][column];
      const Frame box = matrix.at(row, column);
      draw_cell(drawing, box, {count, total, row == column, none});
      if (count != 0)
        drawing.tooltip(box, fmt::format("truth {}, answer {}: {} of {}", names[row],
                                         none ? "none" : names[column], count, total));
    }
  }
}

bool is_sound(const qa::ConfusionTable& table) {
  return !table.labels.empty() && table.labels.size() <= most_classes &&
         table.counts.size() == table.labels.size() && table.none.size() == table.labels.size();
}

Figure confusion(const QaStudyPart& part, double width) {
  const qa::ConfusionTable& table = part.scores.confusion;
  const std::vector<std::string> names = class_names(part.scores);
  const ConfusionMatrix matrix = matrix_for(names, width);
  Drawing drawing(width, matrix.plot.bottom() + 14);
  draw_cells(drawing, matrix, table, names);
  draw_label_names(drawing, matrix, names);
  std::size_t items = 0, none = 0;
  for (std::size_t row = 0; row < table.labels.size(); ++row) {
    items += std::accumulate(table.counts[row].begin(), table.counts[row].end(), table.none[row]);
    none += table.none[row];
  }
  const std::string title =
      fmt::format("{}, {}: confusion", part.result.benchmark_name, part.result.model_name);
  return {fmt::format("qa-confusion-{}-{}", key_part(part.result.benchmark_name),
                      key_part(part.result.model_name)),
          title,
          fmt::format("How often each truth (row) got each answer (column). Right answers are on "
                      "the diagonal in blue, wrong ones in orange; the stronger the colour, the "
                      "larger the share of its row. n = {} items, {} of them without a label "
                      "(column none).",
                      items, none),
          drawing.svg(title)};
}

}  // namespace

Figures qa_confusion_figures(const QaScene& scene) {
  Figures figures;
  for (const QaStudyPart& part : scene.parts)
    if (is_sound(part.scores.confusion)) figures.push_back(confusion(part, scene.width));
  return figures;
}

}  // namespace assay::report
