// SPDX-License-Identifier: Apache-2.0
/// How values are distributed, for box plots and violins.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/report/figures/chart.hpp"

namespace assay::report {

/// Tukey's box: whiskers end at the last value within 1.5 times the box's width.
struct BoxSummary {
  double mean = 0, q25 = 0, median = 0, q75 = 0;
  double low = 0, high = 0;  ///< ends of whiskers
};

/// Nothing if there are no values. They must be finite.
std::optional<BoxSummary> box_summary(std::span<const double> values);

/// A curve from the least to the greatest value whose highest point is 1.
struct Density {
  double low = 0, high = 0;
  std::vector<double> heights{};  ///< at equal steps; empty for fewer than 3 different values
};

/// A Gaussian kernel with Silverman's width (1986, eq. 3.31).
Density density(std::span<const double> values);

/// A horizontal box of that height around y; fewer than five values have a median line only.
struct BoxStyle {
  double y = 0, height = 10;
  std::string_view tone = tone::ink;
  std::size_t count = 0;
};
void draw_box(Drawing& drawing, const Scale& x, const BoxSummary& box, const BoxStyle& style);

/// The curve as an area above a base line, at most `height` high.
struct ViolinStyle {
  double base = 0, height = 20;
  std::string_view tone = tone::ink;
};
void draw_half_violin(Drawing& drawing, const Scale& x, const Density& curve,
                      const ViolinStyle& style);

/// A drawing for a cell of a table: the curve, a line for each value if they are few, and the
/// median. The numbers next to it say what it shows, so screen readers skip it.
struct CellStyle {
  Extent extent{};  ///< the same for all cells of a column
  std::string_view tone = tone::ink;
};
std::string cell_drawing(std::span<const double> values, const CellStyle& style);

}  // namespace assay::report
