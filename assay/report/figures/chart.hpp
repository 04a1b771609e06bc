// SPDX-License-Identifier: Apache-2.0
/// What charts are laid out with: axes, rows with names, panels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/figures/scale.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {

inline constexpr double figure_width = 720;
inline constexpr double axis_room = 46;  ///< below a plot, for ticks and a title
inline constexpr double small_text = 11;

/// Grid lines, ticks and the title below a plot.
void draw_x_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title);

/// Grid lines, ticks and the title left of a plot.
void draw_y_axis(Drawing& drawing, const Frame& plot, const Scale& scale, std::string_view title);

/// Rows one below the other with their names on the left.
struct RowLayout {
  Frame plot;
  double row_height = 0;

  double middle(std::size_t row) const { return plot.y + (double(row) + 0.5) * row_height; }
  double top(std::size_t row) const { return plot.y + double(row) * row_height; }
  /// The height of the whole drawing, with an axis below.
  double height() const { return plot.bottom() + axis_room; }
};

struct RowRequest {
  std::span<const std::string> names;
  double row_height = 30;
  double right_room = 16;  ///< for columns of text beside the plot
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

PanelLayout panel_layout(std::size_t panels, double plot_height);

/// How many panels are side by side.
std::size_t panel_columns(std::size_t panels);

/// How strongly a cell may be filled with better or worse so that text on it stays readable: on
/// paper and on a band, in the light and in the dark, the contrast to ink stays above 4.5.
inline constexpr double strongest_fill = 0.42;

struct PanelAxes {
  const Scale& x;
  const Scale& y;
  std::string_view x_title, y_title;
  std::string_view note{};  ///< small, right of the panel's title
};

/// The title and the frame of one panel: names of axes and ticks only at the edges of the grid.
void draw_panel(Drawing& drawing, const PanelLayout& layout, std::size_t panel,
                std::string_view title, const PanelAxes& axes);

/// Scales of one panel for values in these domains.
struct PanelScales {
  Scale x, y;
};
PanelScales panel_scales(const Frame& plot, Extent x, Extent y,
                         ScaleKind x_kind = ScaleKind::linear);

}  // namespace assay::report
