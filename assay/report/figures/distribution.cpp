// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/stats/moments.hpp"

namespace assay::report {
namespace {

constexpr std::size_t density_bins = 256, steps = 81;
constexpr std::size_t fewest_for_box = 5;

/// How many values are near each of `density_bins` equally spaced places. A value is divided
/// between the two nearest places.
std::array<double, density_bins> binned(std::span<const double> ascending) {
  std::array<double, density_bins> counts{};
  const double low = ascending.front(), width = ascending.back() - low;
  for (const double value : ascending) {
    const double place = (value - low) / width * double(density_bins - 1);
    const auto left = std::min(static_cast<std::size_t>(place), density_bins - 2);
    const double share = place - double(left);
    counts[left] += 1 - share;
    counts[left + 1] += share;
  }
  return counts;
}

/// The width of the kernel in units of the range of the values.
double kernel_width(std::span<const double> ascending) {
  const double range = ascending.back() - ascending.front();
  const double spread = stats::standard_deviation(ascending, 1) / range;
  const double quartiles =
      (stats::percentile_of_sorted(ascending, 75) - stats::percentile_of_sorted(ascending, 25)) /
      range / 1.34;
  const double least = quartiles > 0 ? std::min(spread, quartiles) : spread;
  return std::max(0.9 * least * std::pow(double(ascending.size()), -0.2), 1.0 / density_bins);
}

}  // namespace

std::optional<BoxSummary> box_summary(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  BoxSummary box = {.mean = stats::mean(values),
                    .q25 = stats::percentile_of_sorted(sorted, 25),
                    .median = stats::percentile_of_sorted(sorted, 50),
                    .q75 = stats::percentile_of_sorted(sorted, 75)};
  const double reach = 1.5 * (box.q75 - box.q25);
  // Quartiles lie between values, so the last value within reach may be inside the box.
  box.low = std::min(box.q25, *std::ranges::lower_bound(sorted, box.q25 - reach));
  box.high = std::max(box.q75, *(std::ranges::upper_bound(sorted, box.q75 + reach) - 1));
  return box;
}

Density density(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> distinct = sorted;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < 3 || !std::isfinite(sorted.back() - sorted.front())) return {};
  Density curve = {.low = sorted.front(), .high = sorted.back()};
  const auto counts = binned(sorted);
  const double width = kernel_width(sorted);
  for (std::size_t step = 0; step < steps; ++step) {
    const double at = double(step) / double(steps - 1);
    double sum = 0;
    for (std::size_t bin = 0; bin < density_bins; ++bin) {
      const double z = (at - double(bin) / double(density_bins - 1)) / width;
      if (counts[bin] > 0 && std::fabs(z) < 6) sum += counts[bin] * std::exp(-z * z / 2);
    }
    curve.heights.push_back(sum);
  }
  const double highest = *std::ranges::max_element(curve.heights);
  for (double& height : curve.heights) height /= highest;
  return curve;
}

void draw_box(Drawing& drawing, const Scale& x, const BoxSummary& box, const BoxStyle& style) {
  const double top = style.y - style.height / 2, bottom = style.y + style.height / 2;
  if (style.count >= fewest_for_box) {
    const Paint whisker = {.stroke = style.tone, .stroke_width = 1.2};
    drawing.line({x(box.low), style.y}, {x(box.q25), style.y}, whisker);
    drawing.line({x(box.q75), style.y}, {x(box.high), style.y}, whisker);
    drawing.box({x(box.q25), top, x(box.q75) - x(box.q25), style.height},
                {.fill = tone::paper, .stroke = style.tone, .stroke_width = 1.2, .radius = 1.5});
  }
  drawing.line({x(box.median), top}, {x(box.median), bottom},
               {.stroke = style.tone, .stroke_width = 2.4});
  drawing.diamond({x(box.mean), style.y}, style.height * 0.3,
                  {.fill = tone::ink, .stroke = tone::paper, .stroke_width = 0.8});
}

void draw_half_violin(Drawing& drawing, const Scale& x, const Density& curve,
                      const ViolinStyle& style) {
  if (curve.heights.empty()) return;
  std::vector<Spot> outline = {{x(curve.low), style.base}};
  for (std::size_t step = 0; step < curve.heights.size(); ++step) {
    const double share = double(step) / double(curve.heights.size() - 1);
    outline.push_back({x(curve.low + share * (curve.high - curve.low)),
                       style.base - curve.heights[step] * style.height});
  }
  outline.push_back({x(curve.high), style.base});
  drawing.path(polyline(outline) + "z",
               {.fill = style.tone, .stroke = style.tone, .fill_opacity = 0.22});
}

std::string cell_drawing(std::span<const double> values, const CellStyle& style) {
  constexpr double width = 120, height = 24, base = 17, edge = 2;
  constexpr std::size_t most_lines = 60;
  const auto box = box_summary(values);
  if (!box) return "";
  const Scale x(style.extent, {edge, width - edge});
  Drawing drawing(width, height);
  drawing.line({edge, base}, {width - edge, base}, {.stroke = tone::rule});
  draw_half_violin(drawing, x, density(values),
                   {.base = base, .height = base - 1, .tone = style.tone});
  if (values.size() <= most_lines) {
    std::string lines;
    for (const double value : values)
      lines += "M" + svg_number(x(value)) + " " + svg_number(base + 1) + "v5";
    drawing.path(lines, {.stroke = style.tone, .stroke_width = 1});
  }
  drawing.line({x(box->median), 3}, {x(box->median), base},
               {.stroke = tone::ink, .stroke_width = 1.6});
  return drawing.small_svg();
}

}  // namespace assay::report
