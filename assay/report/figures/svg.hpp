// SPDX-License-Identifier: Apache-2.0
/// A small drawing kit: shapes, text and marks as SVG.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::report {

struct Spot {
  double x = 0, y = 0;
};

struct Frame {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Spot center() const { return {x + width / 2, y + height / 2}; }
};

/// Colours as custom properties with fallbacks. Models have those of Okabe and Ito, which readers
/// with any kind of colour vision can tell apart. Tol's olive replaces the yellow, which is too
/// pale on paper.
namespace tone {
inline constexpr std::string_view ink = "var(--ink, #1b1f24)";
inline constexpr std::string_view muted = "var(--muted, #59636e)";
inline constexpr std::string_view rule = "var(--rule, #dde2e8)";
inline constexpr std::string_view paper = "var(--paper, #ffffff)";
inline constexpr std::string_view band = "var(--band, #eef1f5)";
inline constexpr std::string_view better = "var(--better, #0072b2)";
inline constexpr std::string_view worse = "var(--worse, #d55e00)";
inline constexpr std::string_view none = "none";
}  // namespace tone

/// The colour of the model at that position. Colours repeat, so names are shown next to them.
std::string_view model_tone(std::size_t model);

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  std::string_view tone = tone::ink;
  bool bold = false;
  bool upright = true;           ///< false: reads from bottom to top
  std::optional<double> room{};  ///< longer text is shortened; a tooltip has the whole text
};

struct Paint {
  std::string_view fill = tone::none, stroke = tone::none;
  double stroke_width = 1;
  double fill_opacity = 1;
  std::string_view dashes{};
  double radius = 0;  ///< of a box's corners
};

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  double width() const { return width_; }
  double height() const { return height_; }

  void line(Spot from, Spot to, const Paint& paint);
  void box(const Frame& box, const Paint& paint);
  void circle(Spot center, double radius, const Paint& paint);
  void diamond(Spot center, double radius, const Paint& paint);
  /// `data` is the content of the attribute d.
  void path(std::string_view data, const Paint& paint);
  /// Text whose vertical middle is at `at`.
  void text(Spot at, std::string_view text, const TextStyle& style);
  /// An invisible box that shows its text when pointed at.
  void tooltip(const Frame& box, std::string_view text);
  void add(std::string_view markup) { body_ += markup; }
  /// Makes the drawing higher, with more room at its foot.
  void extend(double height) { height_ += height; }

  /// The whole element; `title` is what a screen reader reads out.
  std::string svg(std::string_view title) const;
  /// The same without title, background and fonts, for places where text says what it shows.
  std::string small_svg() const;

 private:
  double width_, height_;
  std::string body_{};
};

/// "M1 2L3 4…": a line through the points.
std::string polyline(std::span<const Spot> points);

// Text and numbers in figures: short, safe, and measured.

/// A coordinate with at most `decimals` (0 to 3) places and no trailing zeros. The same number
/// gives the same bytes under every locale; a number that is not finite becomes 0.
std::string svg_number(double value, int decimals = 2);

/// Text escaped so that it is never markup, even if bytes are not UTF-8 or characters are not
/// allowed in XML.
std::string svg_escaped(std::string_view text);

/// How wide a text of that size is in the widest of the usual sans-serif fonts.
double text_width(std::string_view text, double size);

double bold_width(std::string_view text, double size);

/// The text, or as much of its beginning and end as fits, with an ellipsis between.
std::string shortened(std::string_view text, double size, double room);

/// A printed number with a minus sign instead of a hyphen.
std::string with_true_minus(const std::string& text);

/// A number for people: three significant digits, a true minus sign.
std::string figure_number(double value);

/// The same with a sign before positive numbers, too.
std::string signed_number(double value);

/// Letters, digits and dashes only: a name that can be a file and the key of a figure.
std::string key_part(std::string_view text);

}  // namespace assay::report
