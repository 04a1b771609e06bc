// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "assay/base/ascii.hpp"
#include "assay/base/unicode.hpp"
#include "assay/report/html.hpp"

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

std::string Drawing::small_svg() const {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "aria-hidden=\"true\">{2}</svg>",
      svg_number(width_), svg_number(height_), body_);
}

std::string polyline(std::span<const Spot> points) {
  std::string out;
  for (const Spot& point : points) {
    out += out.empty() ? 'M' : 'L';
    out.append(svg_number(point.x)).append(" ").append(svg_number(point.y));
  }
  return out;
}

namespace {

/// Character widths of Helvetica from the space to the tilde, in thousandths of the font size.
/// Arial and Liberation Sans have the same.
constexpr std::array<short, 95> widths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

constexpr double usual_width = 600, wide_width = 1000;
constexpr double widest_font = 1.12;  // DejaVu Sans and Verdana compared with Helvetica
constexpr char32_t first_wide = 0x1100, ellipsis = 0x2026;

double width_of(char32_t point) {
  if (point >= U' ' && point <= U'~') return widths[point - U' '];
  return point >= first_wide && point != ellipsis && point > 0x2E80 ? wide_width : usual_width;
}

double width_of(std::u32string_view points, double size) {
  double sum = 0;
  for (const char32_t point : points) sum += width_of(point);
  return sum * size * widest_font / 1000;
}

bool is_allowed(char32_t point) {
  const bool is_control = point < 0x20 && point != '\t' && point != '\n' && point != '\r';
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  return !is_control && !is_surrogate && point != 0xFFFE && point != 0xFFFF;
}

std::string utf8(std::u32string_view points) {
  std::string out;
  for (const char32_t point : points) append_utf8(out, is_allowed(point) ? point : U'\uFFFD');
  return out;
}

}  // namespace

std::string with_true_minus(const std::string& text) {
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

std::string svg_number(double value, int decimals) {
  constexpr std::array<long long, 4> powers = {1, 10, 100, 1000};
  const long long power = powers[static_cast<std::size_t>(decimals)];
  constexpr double most = 1e9;  // far outside any figure
  if (!std::isfinite(value)) return "0";
  const long long scaled = std::llround(std::fmin(std::fmax(value, -most), most) * double(power));
  const long long whole = std::llabs(scaled) / power;
  long long rest = std::llabs(scaled) % power;
  std::string out = scaled < 0 ? "-" : "";
  if (whole != 0 || rest == 0) out += std::to_string(whole);
  if (rest == 0) return out;
  out += '.';
  for (long long digit = power / 10; rest != 0; rest %= digit, digit /= 10)
    out += static_cast<char>('0' + rest / digit);
  return out;
}

std::string svg_escaped(std::string_view text) {
  return html_escaped(utf8(characters(text).points));
}

double text_width(std::string_view text, double size) {
  return width_of(characters(text).points, size);
}

double bold_width(std::string_view text, double size) {
  constexpr double bolder = 1.13;
  return bolder * text_width(text, size);
}

std::string shortened(std::string_view text, double size, double room) {
  const std::u32string points = characters(text).points;
  if (width_of(points, size) <= room) return utf8(points);
  for (std::size_t kept = points.size() - 1; kept > 1; --kept) {
    const std::size_t head = (kept + 1) / 2;
    std::u32string shorter = points.substr(0, head) + ellipsis;
    shorter += points.substr(points.size() - (kept - head));
    if (width_of(shorter, size) <= room) return utf8(shorter);
  }
  return utf8(points.substr(0, 1)) + "…";
}

std::string figure_number(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 1e6 || size < 1e-4) return with_true_minus(fmt::format("{:.2g}", value));
  if (size >= 100) return with_true_minus(fmt::format("{:.0f}", value));
  if (size >= 10) return with_true_minus(fmt::format("{:.1f}", value));
  if (size >= 1) return with_true_minus(fmt::format("{:.2f}", value));
  return with_true_minus(fmt::format("{:.{}f}", value, size < 0.01 ? 4 : 3));
}

std::string signed_number(double value) {
  return (value > 0 ? "+" : "") + figure_number(value);
}

std::string key_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_ascii_word(c))
      out += ascii_lower(c);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  constexpr std::size_t longest = 60;
  return out.empty() ? "unnamed" : out.substr(0, longest);
}

}  // namespace assay::report
