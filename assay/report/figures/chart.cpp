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

/// One tick alone would not say what the scale is, so there are at least two.
std::vector<Tick> linear_ticks(const Extent& domain, std::size_t about) {
  double step = nice_step(domain.high - domain.low, about);
  const auto gaps = [&] { return std::floor(domain.high / step) - std::ceil(domain.low / step); };
  for (std::size_t more = about + 1; more < about + 4 && gaps() < 1; ++more)
    step = nice_step(domain.high - domain.low, more);
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
constexpr double longest_name = 190, panel_left = 64, panel_gap = 18, panel_title = 26;
constexpr double text_line = 15, rim = 8;

std::size_t ticks_for(double length, double each) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(length / each), 2, 8);
}

/// The nearest place for the middle of a text of that width within these limits.
double held_inside(double middle, double width, Extent limits) {
  return std::max(std::min(middle, limits.high - width / 2), limits.low + width / 2);
}

void draw_x_ticks(Drawing& drawing, const Frame& plot, const Scale& scale, Extent limits) {
  double free_from = -1e9;
  for (const Tick& tick : scale.ticks(ticks_for(plot.width, 62))) {
    const double x = scale(tick.value), width = text_width(tick.label, small_text);
    drawing.line({x, plot.y}, {x, plot.bottom()}, grid_line);
    const double inside = held_inside(x, width, limits);
    if (inside - width / 2 < free_from) continue;
    drawing.text({inside, plot.bottom() + 13}, tick.label,
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
    free_from = inside + width / 2 + 6;
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

void draw_y_title(Drawing& drawing, const Frame& plot, std::string_view title) {
  const double room = drawing.height() - 2 * rim;
  const double y = held_inside(plot.center().y, std::min(text_width(title, usual_text), room),
                               {rim, drawing.height() - rim});
  drawing.text({11, y}, title, {.anchor = Anchor::middle, .upright = false, .room = room});
}

/// A text as two lines, broken at the space nearest to its middle.
std::pair<std::string_view, std::string_view> two_lines(std::string_view text) {
  const std::size_t middle = text.size() / 2;
  const std::size_t before = text.rfind(' ', middle), after = text.find(' ', middle);
  const bool is_before = after == std::string_view::npos ||
                         (before != std::string_view::npos && middle - before < after - middle);
  const std::size_t cut = is_before ? before : after;
  if (cut == std::string_view::npos) return {text, {}};
  return {text.substr(0, cut), text.substr(cut + 1)};
}

/// The note is to the right of the title, or in the lower left corner when there is no room.
void draw_panel_title(Drawing& drawing, const Frame& plot, std::string_view title,
                      std::string_view note) {
  drawing.text({plot.x, plot.y - 13}, title, {.bold = true, .room = plot.width});
  const double both = bold_width(title, usual_text) + 10 + text_width(note, small_text);
  const TextStyle style = {.size = small_text, .tone = tone::muted, .room = plot.width - 6};
  if (both > plot.width) return drawing.text({plot.x + 4, plot.bottom() - 9}, note, style);
  TextStyle right = style;
  right.anchor = Anchor::end;
  drawing.text({plot.right(), plot.y - 13}, note, right);
}

}  // namespace

void draw_x_title(Drawing& drawing, const Frame& plot, std::string_view title) {
  const double room = drawing.width() - 2 * rim;
  const bool is_long = text_width(title, usual_text) > room;
  const auto [first, second] = is_long ? two_lines(title) : std::pair(title, std::string_view());
  double y = plot.bottom() + 33;
  for (const std::string_view line : {first, second}) {
    if (line.empty()) continue;
    const double width = std::min(text_width(line, usual_text), room);
    drawing.text({held_inside(plot.center().x, width, {rim, drawing.width() - rim}), y}, line,
                 {.anchor = Anchor::middle, .room = room});
    y += text_line;
  }
  const double foot = y - text_line + 6;
  if (foot > drawing.height()) drawing.extend(text_line);
}

void draw_x_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title) {
  draw_x_ticks(drawing, plot, scale, {2, drawing.width() - 2});
  draw_x_title(drawing, plot, title);
}

void draw_y_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title) {
  draw_y_ticks(drawing, plot, scale, true);
  draw_y_title(drawing, plot, title);
}

double RowLayout::name_y(double middle) const {
  return lines == 0 ? middle : middle - mark_height / 2 - (double(lines) - 0.4) * text_line;
}

double RowLayout::number_y(double middle) const {
  return lines == 0 ? middle : middle - mark_height / 2 - 0.6 * text_line;
}

namespace {

/// A row with its texts above the marks, or beside them if the plot stays wide enough.
RowLayout one_row(const RowRequest& request) {
  constexpr double narrowest_share = 0.4;
  double widest = 30;
  for (const std::string& name : request.names)
    widest = std::max(widest, text_width(name, usual_text));
  const double left = std::min(widest, longest_name) + 24,
               beside = request.width - left - request.right_room;
  if (request.width >= roomy_width || beside >= narrowest_share * request.width)
    return {.plot = {left, request.top, beside, 0},
            .row_height = request.row_height,
            .mark_height = request.row_height,
            .name_room = left - 18};
  const double with_numbers = request.width - request.right_room - 2 * rim,
               alone = request.width - 2 * rim;
  const bool is_one_line = widest <= with_numbers;
  const std::size_t lines = is_one_line ? 1 : 2;
  return {.plot = {1.5 * rim, request.top, request.width - 3 * rim, 0},
          .row_height = request.row_height + double(lines) * text_line,
          .mark_height = request.row_height,
          .lines = lines,
          .name_room = is_one_line ? with_numbers : alone};
}

/// The name of the row whose marks have that middle.
void draw_name(Drawing& drawing, const RowLayout& layout, double middle, std::string_view name) {
  const bool is_beside = layout.lines == 0;
  if (!is_beside) {  // lines of the plot must not cross the text
    const double height = double(layout.lines) * text_line;
    drawing.box({0, middle - layout.mark_height / 2 - height + 1, drawing.width(), height - 1},
                {.fill = tone::paper});
  }
  drawing.text({is_beside ? layout.plot.x - 10 : rim, layout.name_y(middle)}, name,
               {.anchor = is_beside ? Anchor::end : Anchor::start, .room = layout.name_room});
}

}  // namespace

RowLayout row_layout(const RowRequest& request) {
  RowLayout layout = one_row(request);
  layout.plot.height = layout.row_height * double(std::max<std::size_t>(request.names.size(), 1));
  return layout;
}

void draw_rows(Drawing& drawing, const RowLayout& layout, std::span<const std::string> names) {
  for (std::size_t row = 0; row < names.size(); ++row) {
    draw_name(drawing, layout, layout.middle(row), names[row]);
    if (row != 0)
      drawing.line({rim, layout.top(row)}, {drawing.width() - rim, layout.top(row)}, grid_line);
  }
}

namespace {

/// How many panels are side by side on the page.
std::size_t usual_columns(std::size_t panels) {
  if (panels <= 2) return std::max<std::size_t>(panels, 1);
  return panels == 4 ? 2 : panels <= 9 ? 3 : 4;
}

double panel_width(std::size_t columns, double width) {
  return (width - panel_left - 14 - panel_gap * double(columns - 1)) / double(columns);
}

}  // namespace

PanelLayout panel_layout(std::size_t panels, double plot_height, double width_of_all) {
  constexpr double narrowest = 140, narrowest_of_many = 110, height_of_many = 100;
  const bool is_many = panels > 4;
  PanelLayout layout = {.columns = usual_columns(panels)};
  while (layout.columns > 1 &&
         panel_width(layout.columns, width_of_all) < (is_many ? narrowest_of_many : narrowest))
    --layout.columns;
  if (is_many && width_of_all < roomy_width) plot_height = std::min(plot_height, height_of_many);
  const double width = panel_width(layout.columns, width_of_all);
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
  const double half_gap = panel_gap / 2 - 1;  // so that the labels of neighbours do not meet
  draw_x_ticks(drawing, plot, axes.x, {plot.x - half_gap, plot.right() + half_gap});
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

GroupedRows grouped_rows(std::span<const std::string> models, std::size_t groups, double width) {
  GroupedRows rows = {
      one_row({.names = models, .width = width, .row_height = 22, .right_room = 96}),
      models.size()};
  rows.layout.plot.height = rows.top(groups) - rows.layout.plot.y;
  return rows;
}

void draw_group_names(Drawing& drawing, const GroupedRows& rows,
                      std::span<const std::string> groups, std::span<const std::string> models) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const double y = rows.heading(group);
    if (group != 0)
      drawing.line({rim, y - 11}, {drawing.width() - rim, y - 11}, {.stroke = tone::rule});
    drawing.text({10, y}, groups[group], {.bold = true, .room = drawing.width() - 20});
    for (std::size_t m = 0; m < models.size(); ++m)
      draw_name(drawing, rows.layout, rows.row(group, m), models[m]);
  }
}

}  // namespace assay::report
