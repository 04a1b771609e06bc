// SPDX-License-Identifier: Apache-2.0
/// The layout of charts: axes, rows with names, panels.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/figures/svg.hpp"

namespace assay::report {

// Scales from values to places in a drawing, with readable ticks.

struct Extent {
  double low = 0, high = 1;
};

/// The least and the greatest finite value; nothing when there is none.
std::optional<Extent> extent_of(std::span<const double> values);

/// The smallest extent that contains both.
std::optional<Extent> hull(std::optional<Extent> a, std::optional<Extent> b);

struct Tick {
  double value = 0;
  std::string label{};
};

enum class ScaleKind { linear, logarithmic };

class Scale {
 public:
  /// Maps values of `domain` to positions in `range`, whose ends may be in either order. A domain
  /// of width 0 is widened. A logarithmic domain must be above 0.
  Scale(Extent domain, Extent range, ScaleKind kind = ScaleKind::linear);

  /// The position of a value; one outside the domain is at its end.
  double operator()(double value) const;

  const Extent& domain() const { return domain_; }
  const Extent& range() const { return range_; }

  /// About that many ticks at round values, all inside the domain.
  std::vector<Tick> ticks(std::size_t about = 5) const;

 private:
  Extent domain_, range_;
  ScaleKind kind_;
};

/// A domain a little wider than the data, but not beyond the values that are possible.
Extent padded(Extent data, Extent possible);
Extent padded(Extent data);

/// Widths are in units of 1/12 of the usual text size, so that text has the same size in a narrower
/// drawing.
inline constexpr double page_width = 720;   ///< of drawings on the page
inline constexpr double roomy_width = 600;  ///< from here on, names have a column of their own
inline constexpr double usual_text = 12, small_text = 11;
inline constexpr double axis_room = 46;  ///< below a plot, for ticks and a title

/// Grid lines, ticks and the title below a plot.
void draw_x_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title);

/// The title alone, on two lines if it is too long for one.
void draw_x_title(Drawing& drawing, const Frame& plot, std::string_view title);

/// Grid lines, ticks and the title left of a plot.
void draw_y_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title);

/// Rows one below the other. Names are on the left and numbers on the right of the marks; in a
/// narrow drawing they are above the marks, on one line or on two.
struct RowLayout {
  Frame plot;
  double row_height = 0;  ///< with its lines of text
  double mark_height = 0;
  std::size_t lines = 0;  ///< of text above the marks
  double name_room = 0;

  double top(std::size_t row) const { return plot.y + double(row) * row_height; }
  double mark_top(std::size_t row) const { return top(row) + row_height - mark_height; }
  double middle(std::size_t row) const { return mark_top(row) + mark_height / 2; }
  /// Where the name and the numbers of a row are whose marks have that middle.
  double name_y(double middle) const;
  double number_y(double middle) const;
  /// The height of the whole drawing, with an axis below.
  double height() const { return plot.bottom() + axis_room; }
};

struct RowRequest {
  std::span<const std::string> names;
  double width = page_width;
  double row_height = 30;  ///< of the marks
  double right_room = 16;  ///< for columns of numbers
  double top = 28;         ///< for titles of these columns
};

RowLayout row_layout(const RowRequest& request);

/// The names, and a fine line between rows.
void draw_rows(Drawing& drawing, const RowLayout& layout, std::span<const std::string> names);

/// Plots side by side and one below the other, of one size, each with a title above.
struct PanelLayout {
  std::vector<Frame> plots{};
  std::size_t columns = 1;
  double height = 0;  ///< of the whole drawing

  bool is_left(std::size_t panel) const { return panel % columns == 0; }
};

PanelLayout panel_layout(std::size_t panels, double plot_height, double width);

/// The opacity up to which a cell may be filled with the colours for better and worse so that text
/// on it stays readable: the contrast to ink is above 4.5 on paper and on a band, in light and
/// dark.
inline constexpr double strongest_fill = 0.42;

struct PanelAxes {
  const Scale& x;
  const Scale& y;
  std::string_view x_title, y_title;
  std::string_view note{};  ///< small, right of the panel's title
};

/// The title and the frame of one panel. Titles and tick labels of axes are only at the edges of
/// the grid of panels.
void draw_panel(Drawing& drawing, const PanelLayout& layout, std::size_t panel,
                std::string_view title, const PanelAxes& axes);

/// Scales of one panel for values in these domains.
struct PanelScales {
  Scale x, y;
};
PanelScales panel_scales(const Frame& plot, Extent x, Extent y,
                         ScaleKind x_kind = ScaleKind::linear);

// Rows of models under headings, such as labels or subgroups.

/// Every group has a heading and a row for each model.
struct GroupedRows {
  RowLayout layout;
  std::size_t models = 0;
  static constexpr double heading_height = 22;

  double top(std::size_t group) const {
    return layout.plot.y + double(group) * (heading_height + double(models) * layout.row_height);
  }
  double heading(std::size_t group) const { return top(group) + heading_height / 2; }
  /// The middle of the marks.
  double row(std::size_t group, std::size_t model) const {
    return top(group) + heading_height + double(model + 1) * layout.row_height -
           layout.mark_height / 2;
  }
};

GroupedRows grouped_rows(std::span<const std::string> models, std::size_t groups, double width);

void draw_group_names(Drawing& drawing, const GroupedRows& rows,
                      std::span<const std::string> groups, std::span<const std::string> models);

}  // namespace assay::report
