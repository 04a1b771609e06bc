// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

constexpr double farthest = 1e150;  // so that differences and ratios of values stay finite

double bounded(double value) {
  return std::clamp(value, -farthest, farthest);
}

Extent with_width(Extent domain, ScaleKind kind) {
  domain = {bounded(std::min(domain.low, domain.high)), bounded(std::max(domain.low, domain.high))};
  if (kind == ScaleKind::logarithmic) {
    if (domain.high / domain.low < 1.01) domain = {domain.low / 2, domain.high * 2};
    return domain;
  }
  const double size = std::max(std::fabs(domain.low), std::fabs(domain.high));
  if (domain.high - domain.low > size * 1e-9 && domain.high > domain.low) return domain;
  const double room = size == 0 ? 0.5 : size * 0.1;
  return {domain.low - room, domain.high + room};
}

/// 1, 2 or 5 times a power of ten.
double nice_step(double width, std::size_t about) {
  const double raw = width / double(std::max<std::size_t>(about, 1));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  constexpr std::array steps = {1.0, 2.0, 5.0, 10.0};
  const auto fits = [&](double step) { return step * power >= raw * 0.999; };
  const auto found = std::ranges::find_if(steps, fits);
  return (found == steps.end() ? steps.back() : *found) * power;
}

std::string label_of(double value, double step) {
  const double size = std::fabs(value);
  if (size < step / 2) return "0";
  if (size >= 1e6 || step < 1e-5) return with_true_minus(fmt::format("{:.3g}", value));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return with_true_minus(fmt::format("{:.{}f}", value, decimals));
}

std::vector<Tick> linear_ticks(const Extent& domain, std::size_t about) {
  const double step = nice_step(domain.high - domain.low, about);
  std::vector<Tick> ticks;
  const double slack = step * 1e-6;
  for (double k = std::ceil((domain.low - slack) / step); k * step <= domain.high + slack; ++k)
    ticks.push_back({k * step, label_of(k * step, step)});
  return ticks;
}

std::vector<Tick> decade_ticks(const Extent& domain, std::size_t about) {
  const double decades = std::log10(domain.high / domain.low);
  std::vector<double> within = {1};
  if (decades < 2.5) within = {1, 2, 5};
  const int every =
      std::max(1, static_cast<int>(std::lround(decades / double(std::max<std::size_t>(about, 1)))));
  std::vector<Tick> ticks;
  const int last = static_cast<int>(std::floor(std::log10(domain.high)));
  for (int power = static_cast<int>(std::floor(std::log10(domain.low))); power <= last; ++power)
    for (const double digit : within) {
      const double value = digit * std::pow(10.0, power);
      const bool inside = value >= domain.low * (1 - 1e-9) && value <= domain.high * (1 + 1e-9);
      if (inside && power % every == 0) ticks.push_back({value, fmt::format("{:g}", value)});
    }
  return ticks;
}

}  // namespace

std::optional<Extent> extent_of(std::span<const double> values) {
  std::optional<Extent> extent;
  for (const double value : values)
    if (std::isfinite(value)) extent = report::hull(extent, Extent{value, value});
  return extent;
}

std::optional<Extent> hull(std::optional<Extent> a, std::optional<Extent> b) {
  if (!a || !b) return a ? a : b;
  return Extent{std::min(a->low, b->low), std::max(a->high, b->high)};
}

Scale::Scale(Extent domain, Extent range, ScaleKind kind)
    : domain_(with_width(domain, kind)), range_(range), kind_(kind) {}

double Scale::operator()(double value) const {
  const double held = std::clamp(value, domain_.low, domain_.high);
  const double share = kind_ == ScaleKind::linear
                           ? (held - domain_.low) / (domain_.high - domain_.low)
                           : std::log(held / domain_.low) / std::log(domain_.high / domain_.low);
  return range_.low + share * (range_.high - range_.low);
}

std::vector<Tick> Scale::ticks(std::size_t about) const {
  return kind_ == ScaleKind::linear ? linear_ticks(domain_, about) : decade_ticks(domain_, about);
}

Extent padded(Extent data, Extent possible) {
  const Extent wide = with_width(data, ScaleKind::linear);
  const double room = (wide.high - wide.low) * 0.04;
  return {std::max(wide.low - room, std::min(possible.low, data.low)),
          std::min(wide.high + room, std::max(possible.high, data.high))};
}

Extent padded(Extent data) {
  constexpr double anything = std::numeric_limits<double>::infinity();
  return padded(data, {-anything, anything});
}

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

GroupedRows grouped_rows(std::span<const std::string> models, std::size_t groups) {
  std::vector<std::string> names;
  for (std::size_t group = 0; group < groups; ++group) {
    names.emplace_back();
    names.insert(names.end(), models.begin(), models.end());
  }
  return {row_layout({.names = names, .row_height = 22, .right_room = 96}), models.size()};
}

void draw_group_names(Drawing& drawing, const GroupedRows& rows,
                      std::span<const std::string> groups, std::span<const std::string> models) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const double y = rows.heading(group);
    if (group != 0) drawing.line({8, y - 11}, {figure_width - 8, y - 11}, {.stroke = tone::rule});
    drawing.text({10, y}, groups[group], {.bold = true, .room = figure_width - 120});
    for (std::size_t m = 0; m < models.size(); ++m)
      drawing.text({rows.layout.plot.x - 10, rows.row(group, m)}, models[m],
                   {.anchor = Anchor::end, .room = rows.layout.plot.x - 18});
  }
}

}  // namespace assay::report
