// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/guides.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace assay::qa {
namespace {

/// Digits in 5 x 7 dots, a row per number, the leftmost dot in bit 4.
using Glyph = std::array<std::uint8_t, 7>;
constexpr std::array<Glyph, 10> digits = {{
    {0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E},
    {0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E},
    {0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F},
    {0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E},
    {0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02},
    {0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E},
    {0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E},
    {0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
    {0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E},
    {0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C},
}};
constexpr std::size_t glyph_width = 5, glyph_height = 7, advance = glyph_width + 1;

/// A rectangle of the picture; what lies outside is not drawn.
struct Box {
  std::size_t x = 0, y = 0, width = 0, height = 0;
};

void fill(Picture& picture, const Box& box, const std::uint8_t (&colour)[3]) {
  for (std::size_t y = box.y; y < std::min(picture.height, box.y + box.height); ++y)
    for (std::size_t x = box.x; x < std::min(picture.width, box.x + box.width); ++x)
      std::ranges::copy(colour, picture.at(x, y));
}

constexpr std::uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0}, red[3] = {255, 0, 0};
constexpr unsigned guide_lines = 4;  ///< along each axis, at equal distances

struct Pen {
  std::size_t line = 1;  ///< thickness
  std::size_t dot = 1;   ///< side of a dot of the font
};

/// Sizes that stay legible when a model looks at the picture, but leave room between the lines.
Pen pen_for(const Picture& picture, std::size_t longest_label) {
  const std::size_t longest = std::max(picture.width, picture.height);
  const std::size_t room = picture.width / (guide_lines + 1);
  const std::size_t fitting = room / ((longest_label + 1) * advance);
  return {.line = std::clamp<std::size_t>(longest / 512, 1, 4),
          .dot = std::clamp<std::size_t>(std::min((longest + 200) / 400, fitting), 1, 6)};
}

/// Black digits on a white plate whose upper left corner is at (x, y).
void write(Picture& picture, const std::string& text, std::size_t x, std::size_t y,
           std::size_t dot) {
  const Box plate = {x, y, (text.size() * advance + 1) * dot, (glyph_height + 2) * dot};
  fill(picture, plate, white);
  x += dot;
  for (const char c : text) {
    const Glyph& glyph = digits[static_cast<std::size_t>(c - '0')];
    for (std::size_t row = 0; row < glyph_height; ++row)
      for (std::size_t column = 0; column < glyph_width; ++column)
        if (((static_cast<unsigned>(glyph[row]) >> (glyph_width - 1 - column)) & 1U) != 0)
          fill(picture, {x + column * dot, y + (row + 1) * dot, dot, dot}, black);
    x += advance * dot;
  }
}

struct Guide {
  std::size_t at = 0;  ///< pixel of the picture
  std::string label;
};

/// As the original rounds: down to a pixel of the picture, then down to one of the slide.
std::vector<Guide> guides_of(std::size_t pixels, std::int64_t start, std::int64_t length) {
  std::vector<Guide> out;
  const auto size = static_cast<double>(pixels);
  for (unsigned i = 1; i <= guide_lines; ++i) {
    const double at = std::trunc(size / (guide_lines + 1) * i);
    const double place = std::trunc(at * static_cast<double>(length) / size);
    out.push_back({.at = static_cast<std::size_t>(at),
                   .label = std::to_string(start + static_cast<std::int64_t>(place))});
  }
  return out;
}

}  // namespace

Picture with_guides(Picture picture, const slide::SlideRegion& shown) {
  if (picture.width == 0 || picture.height == 0) return picture;
  const auto columns = guides_of(picture.width, shown.x, shown.width);
  const auto rows = guides_of(picture.height, shown.y, shown.height);
  const std::string longest = std::to_string(shown.x + shown.width);
  const Pen pen = pen_for(picture, longest.size());
  for (const Guide& g : columns) fill(picture, {g.at, 0, pen.line, picture.height}, red);
  for (const Guide& g : rows) fill(picture, {0, g.at, picture.width, pen.line}, red);
  // Labels last, so that no line crosses one.
  for (const Guide& g : columns) write(picture, g.label, g.at + pen.line, 0, pen.dot);
  for (const Guide& g : rows) write(picture, g.label, 0, g.at + pen.line, pen.dot);
  return picture;
}

}  // namespace assay::qa
