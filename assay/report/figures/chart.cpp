// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/chart.hpp"

#include <algorithm>

#include "assay/report/figures/svg_text.hpp"

namespace assay::report {
namespace {

constexpr Paint grid_line = {.stroke = tone::rule};
constexpr double note_text = 10;
constexpr double longest_name = 190, panel_left = 64, panel_gap = 18, panel_title = 26;

std::size_t ticks_for(double length, double each) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(length / each), 2, 8);
}

void draw_x_ticks(Drawing& drawing, const Frame& plot, const Scale& scale, bool labelled) {
  double free_from = -1e9;
  for (const Tick& tick : scale.ticks(ticks_for(plot.width, 62))) {
    const double x = scale(tick.value);
    drawing.line({x, plot.y}, {x, plot.bottom()}, grid_line);
    const double half = text_width(tick.label, small_text) / 2;
    if (!labelled || x - half < free_from) continue;
    const double inside = std::min(x, drawing.width() - half - 2);
    drawing.text({inside, plot.bottom() + 13}, tick.label,
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
    free_from = x + half + 6;
  }
}

void draw_y_ticks(Drawing& drawing, const Frame& plot, const Scale& scale, bool labelled) {
  for (const Tick& tick : scale.ticks(ticks_for(plot.height, 26))) {
    const double y = scale(tick.value);
    drawing.line({plot.x, y}, {plot.right(), y}, grid_line);
    if (labelled)
      drawing.text({plot.x - 7, y}, tick.label,
                   {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  }
}

void draw_x_title(Drawing& drawing, const Frame& plot, std::string_view title) {
  drawing.text({plot.center().x, plot.bottom() + 33}, title,
               {.anchor = Anchor::middle, .room = drawing.width() - 20});
}

void draw_y_title(Drawing& drawing, const Frame& plot, std::string_view title) {
  drawing.text({11, plot.center().y}, title,
               {.anchor = Anchor::middle, .upright = false, .room = drawing.height() - 10});
}

/// The note is to the right of the title, or in the lower left corner when there is no room.
void draw_panel_title(Drawing& drawing, const Frame& plot, std::string_view title,
                      std::string_view note) {
  drawing.text({plot.x, plot.y - 13}, title, {.bold = true, .room = plot.width});
  const double both = bold_width(title, 12) + 10 + text_width(note, note_text);
  const TextStyle style = {.size = note_text, .tone = tone::muted, .room = plot.width};
  if (both > plot.width) return drawing.text({plot.x + 4, plot.bottom() - 9}, note, style);
  TextStyle right = style;
  right.anchor = Anchor::end;
  drawing.text({plot.right(), plot.y - 13}, note, right);
}

}  // namespace

void draw_x_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title) {
  draw_x_ticks(drawing, plot, scale, true);
  draw_x_title(drawing, plot, title);
}

void draw_y_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title) {
  draw_y_ticks(drawing, plot, scale, true);
  draw_y_title(drawing, plot, title);
}

RowLayout row_layout(const RowRequest& request) {
  double widest = 30;
  for (const std::string& name : request.names) widest = std::max(widest, text_width(name, 12));
  const double left = std::min(widest, longest_name) + 24;
  return {.plot = {left, request.top, figure_width - left - request.right_room,
                   request.row_height * double(std::max<std::size_t>(request.names.size(), 1))},
          .row_height = request.row_height};
}

void draw_rows(Drawing& drawing, const RowLayout& layout, std::span<const std::string> names) {
  for (std::size_t row = 0; row < names.size(); ++row) {
    drawing.text({layout.plot.x - 10, layout.middle(row)}, names[row],
                 {.anchor = Anchor::end, .room = layout.plot.x - 18});
    if (row != 0)
      drawing.line({8, layout.top(row)}, {figure_width - 8, layout.top(row)}, grid_line);
  }
}

std::size_t panel_columns(std::size_t panels) {
  if (panels <= 2) return std::max<std::size_t>(panels, 1);
  return panels == 4 ? 2 : panels <= 9 ? 3 : 4;
}

PanelLayout panel_layout(std::size_t panels, double plot_height) {
  PanelLayout layout = {.columns = panel_columns(panels)};
  const double gaps = panel_gap * double(layout.columns - 1);
  const double width = (figure_width - panel_left - 14 - gaps) / double(layout.columns);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t column = panel % layout.columns, row = panel / layout.columns;
    layout.plots.push_back({panel_left + double(column) * (width + panel_gap),
                            panel_title + double(row) * (plot_height + panel_title + 22), width,
                            plot_height});
  }
  layout.height = layout.plots.empty() ? axis_room : layout.plots.back().bottom() + axis_room;
  return layout;
}

void draw_panel(Drawing& drawing, const PanelLayout& layout, std::size_t panel,
                std::string_view title, const PanelAxes& axes) {
  const Frame& plot = layout.plots[panel];
  draw_panel_title(drawing, plot, title, axes.note);
  draw_x_ticks(drawing, plot, axes.x, true);
  draw_y_ticks(drawing, plot, axes.y, layout.is_left(panel));
  if (panel != 0) return;
  const Frame whole = {plot.x, plot.y, layout.plots[layout.columns - 1].right() - plot.x,
                       layout.plots.back().bottom() - plot.y};
  draw_x_title(drawing, whole, axes.x_title);
  draw_y_title(drawing, whole, axes.y_title);
}

PanelScales panel_scales(const Frame& plot, Extent x, Extent y, ScaleKind x_kind) {
  return {Scale(x, {plot.x, plot.right()}, x_kind), Scale(y, {plot.bottom(), plot.y})};
}

}  // namespace assay::report
