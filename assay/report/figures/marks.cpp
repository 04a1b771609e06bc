// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "assay/parity.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

std::string circles(std::span<const Mark> marks, const MarkStyle& style) {
  const std::string_view one = style.items ? "item" : "case", many = style.items ? "part" : "model";
  std::string out =
      fmt::format("<g fill=\"{}\" fill-opacity=\"{}\">\n", style.tone, svg_number(style.opacity));
  for (const Mark& mark : marks) {
    out += "<circle";
    if (style.named)
      out += fmt::format(" class=\"mark\" data-{}=\"{}\" data-{}=\"{}\"", one, mark.place, many,
                         style.owner);
    out += fmt::format(" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", svg_number(mark.at.x),
                       svg_number(mark.at.y), svg_number(style.radius));
  }
  return out + "</g>\n";
}

std::string one_path(std::span<const Mark> marks, const MarkStyle& style) {
  std::string places, data;
  for (const Mark& mark : marks) {
    if (style.named) places.append(places.empty() ? "" : " ").append(std::to_string(mark.place));
    data.append("M")
        .append(svg_number(mark.at.x, 1))
        .append(" ")
        .append(svg_number(mark.at.y, 1))
        .append("h0");
  }
  const std::string names = style.named
                                ? fmt::format(" class=\"marks\" data-{}=\"{}\" data-{}=\"{}\"",
                                              style.items ? "part" : "model", style.owner,
                                              style.items ? "items" : "cases", places)
                                : "";
  return fmt::format(
      "<path{} fill=\"none\" stroke=\"{}\" stroke-opacity=\"{}\" stroke-width=\"{}\" "
      "stroke-linecap=\"round\" d=\"{}\"/>\n",
      names, style.tone, svg_number(style.opacity), svg_number(2 * style.radius), data);
}

constexpr double cell_size = 6;
constexpr int levels = 5;

/// How many marks each cell of a grid holds, by its column and row.
std::map<std::pair<int, int>, std::size_t> counted_cells(std::span<const Mark> marks) {
  std::map<std::pair<int, int>, std::size_t> cells;
  for (const Mark& mark : marks)
    ++cells[{static_cast<int>(std::floor(mark.at.x / cell_size)),
             static_cast<int>(std::floor(mark.at.y / cell_size))}];
  return cells;
}

/// A path for each level of darkness.
std::string density_cells(std::span<const Mark> marks, const MarkStyle& style) {
  const auto cells = counted_cells(marks);
  std::size_t most = 1;
  for (const auto& cell : cells) most = std::max(most, cell.second);
  std::array<std::string, levels> paths;
  for (const auto& [at, count] : cells) {
    const double share = std::sqrt(double(count) / double(most));
    const auto level = std::min(static_cast<std::size_t>(share * levels), paths.size() - 1);
    paths[level] +=
        fmt::format("M{} {}h{}v{}h{}z", svg_number(at.first * cell_size),
                    svg_number(at.second * cell_size), cell_size, cell_size, -cell_size);
  }
  std::string out;
  for (std::size_t level = 0; level < paths.size(); ++level)
    if (!paths[level].empty())
      out += fmt::format("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>\n", style.tone,
                         svg_number(0.12 + 0.18 * double(level)), paths[level]);
  return out;
}

}  // namespace

MarkForm mark_form(std::size_t marks) {
  constexpr std::size_t most = 20000;
  if (marks > most) return MarkForm::none;
  return marks > most_circles ? MarkForm::path : MarkForm::circles;
}

std::string marks(std::span<const Mark> marks, const MarkStyle& style, MarkForm form) {
  if (marks.empty() || form == MarkForm::none) return "";
  return form == MarkForm::circles ? circles(marks, style) : one_path(marks, style);
}

MarkStyle crowded(MarkStyle style, std::size_t count) {
  if (count > 100) style.radius = 1.7;
  if (count > 400) {
    style.radius = 1.2;
    style.opacity *= 0.7;
  }
  return style;
}

std::string cloud(std::span<const Mark> marks, const MarkStyle& style, MarkForm form) {
  return form == MarkForm::none ? density_cells(marks, style)
                                : assay::report::marks(marks, style, form);
}

double jitter(std::size_t place) {
  constexpr double golden = 0.6180339887498949;  // its multiples modulo 1 fill [0, 1) evenly
  const double turns = double(place + 1) * golden;
  return turns - std::floor(turns);
}

std::string marks_note(MarkForm form, std::size_t count) {
  if (form != MarkForm::none) return "";
  return fmt::format(
      " The {} single values are not drawn, because there are too many to tell apart.",
      parity::with_thousands(static_cast<long long>(count)));
}

std::string cloud_note(MarkForm form, std::size_t count) {
  if (form != MarkForm::none) return " Each dot is a case.";
  return fmt::format(" The {} single values are too many for dots: darker areas hold more of them.",
                     parity::with_thousands(static_cast<long long>(count)));
}

}  // namespace assay::report
