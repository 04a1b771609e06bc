// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/svg.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/report/figures/svg_text.hpp"

namespace assay::report {
namespace {

constexpr std::string_view fonts =
    "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'Segoe UI', Roboto, system-ui, "
    "sans-serif";

std::string attribute(std::string_view name, double value) {
  return fmt::format(" {}=\"{}\"", name, svg_number(value));
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, value);
}

std::string painted(const Paint& paint) {
  std::string out = attribute("fill", paint.fill);
  if (paint.fill != tone::none && paint.fill_opacity != 1)
    out += attribute("fill-opacity", paint.fill_opacity);
  if (paint.stroke == tone::none) return out;
  out += attribute("stroke", paint.stroke);
  if (paint.stroke_width != 1) out += attribute("stroke-width", paint.stroke_width);
  if (!paint.dashes.empty()) out += attribute("stroke-dasharray", paint.dashes);
  return out;
}

std::string_view name(Anchor anchor) {
  constexpr std::array<std::string_view, 3> names = {"start", "middle", "end"};
  return names[static_cast<std::size_t>(anchor)];
}

std::string placed(const Frame& box) {
  return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
         attribute("height", box.height);
}

}  // namespace

std::string_view model_tone(std::size_t model) {
  constexpr std::array<std::string_view, 7> tones = {
      "var(--c0, #0072b2)", "var(--c1, #e69f00)", "var(--c2, #009e73)", "var(--c3, #d55e00)",
      "var(--c4, #cc79a7)", "var(--c5, #56b4e9)", "var(--c6, #999933)"};
  return tones[model % tones.size()];
}

void Drawing::line(Spot from, Spot to, const Paint& paint) {
  const std::array points = {from, to};
  path(polyline(points), paint);
}

void Drawing::box(const Frame& box, const Paint& paint) {
  const std::string corners = paint.radius > 0 ? attribute("rx", paint.radius) : "";
  body_ += fmt::format("<rect{}{}{}/>\n", placed(box), corners, painted(paint));
}

void Drawing::circle(Spot center, double radius, const Paint& paint) {
  body_ += fmt::format("<circle{}{}{}{}/>\n", attribute("cx", center.x), attribute("cy", center.y),
                       attribute("r", radius), painted(paint));
}

void Drawing::diamond(Spot center, double radius, const Paint& paint) {
  const std::string r = svg_number(radius), back = svg_number(-radius);
  path(fmt::format("M{} {}l{} {}l{} {}l{} {}z", svg_number(center.x), svg_number(center.y - radius),
                   r, r, back, r, back, back),
       paint);
}

void Drawing::path(std::string_view data, const Paint& paint) {
  body_ += fmt::format("<path{} d=\"{}\"/>\n", painted(paint), data);
}

void Drawing::text(Spot at, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  const double wider = style.bold ? bold_width("x", 1) / text_width("x", 1) : 1;
  const std::string shown =
      style.room ? shortened(text, style.size, *style.room / wider) : std::string(text);
  const double baseline = style.size * 0.35;  // below the middle of capitals and digits
  std::string where = attribute("x", at.x) + attribute("y", at.y + baseline);
  if (!style.upright)
    where = fmt::format(" transform=\"translate({} {})rotate(-90)\"", svg_number(at.x + baseline),
                        svg_number(at.y));
  body_ += fmt::format("<text{}", where);
  if (style.size != 12) body_ += attribute("font-size", style.size);
  if (style.anchor != Anchor::start) body_ += attribute("text-anchor", name(style.anchor));
  if (style.bold) body_ += attribute("font-weight", "600");
  if (style.tone != tone::ink) body_ += attribute("fill", style.tone);
  body_ += fmt::format(">{}{}</text>\n", svg_escaped(shown),
                       shown == text ? "" : fmt::format("<title>{}</title>", svg_escaped(text)));
}

void Drawing::tooltip(const Frame& box, std::string_view text) {
  body_ += fmt::format("<rect{} fill-opacity=\"0\"><title>{}</title></rect>\n", placed(box),
                       svg_escaped(text));
}

std::string Drawing::svg(std::string_view title) const {
  const std::string width = svg_number(width_), height = svg_number(height_);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"{2}\" font-size=\"12\" fill=\"{3}\" role=\"img\" "
      "aria-label=\"{4}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"{5}\"/>\n{6}</svg>\n",
      width, height, fonts, tone::ink, svg_escaped(title), tone::paper, body_);
}

std::string polyline(std::span<const Spot> points) {
  std::string out;
  for (const Spot& point : points) {
    out += out.empty() ? 'M' : 'L';
    out.append(svg_number(point.x)).append(" ").append(svg_number(point.y));
  }
  return out;
}

}  // namespace assay::report
