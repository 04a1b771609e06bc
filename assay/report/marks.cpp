// SPDX-License-Identifier: Apache-2.0
#include "assay/report/marks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/parity/paper.hpp"
#include "assay/report/svg_text.hpp"

namespace assay {
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

}  // namespace

MarkForm mark_form(std::size_t marks) {
  if (marks > most_marks) return MarkForm::none;
  return marks > most_circles ? MarkForm::path : MarkForm::circles;
}

std::string marks(std::span<const Mark> marks, const MarkStyle& style, MarkForm form) {
  if (marks.empty() || form == MarkForm::none) return "";
  return form == MarkForm::circles ? circles(marks, style) : one_path(marks, style);
}

double jitter(std::size_t place) {
  constexpr double golden = 0.6180339887498949;  // its multiples fill the interval evenly
  const double turns = double(place + 1) * golden;
  return turns - std::floor(turns);
}

std::string marks_note(MarkForm form, std::size_t count) {
  if (form != MarkForm::none) return "";
  return fmt::format(" The {} single values are not drawn, being too many to tell apart.",
                     with_thousands(static_cast<long long>(count)));
}

}  // namespace assay
