// SPDX-License-Identifier: Apache-2.0
/// Where the texts of a drawing are, so that tests see whether they can be read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/report/figures/xml_for_test.hpp"

namespace assay::report {

struct TextBox {
  std::string text;
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const TextBox& other) const {
    constexpr double slack = 0.5;
    return left < other.right - slack && other.left < right - slack && top < other.bottom - slack &&
           other.top < bottom - slack;
  }
};

/// The box of a text of that width whose baseline begins, is centred or ends at a place.
inline TextBox text_box(const xml::Element& element) {
  const auto attribute = [&](const std::string& key) {
    const auto found = element.attributes.find(key);
    return found == element.attributes.end() ? std::string() : found->second;
  };
  const double size = attribute("font-size").empty() ? 12 : element.number("font-size");
  const double width = attribute("font-weight").empty() ? text_width(element.text, size)
                                                        : bold_width(element.text, size);
  const double before = attribute("text-anchor") == "end"      ? width
                        : attribute("text-anchor") == "middle" ? width / 2
                                                               : 0;
  constexpr double ascent = 0.72, descent = 0.2;
  double x = 0, y = 0;
  if (std::sscanf(attribute("transform").c_str(), "translate(%lf %lf)", &x, &y) == 2)
    return {element.text, x - ascent * size, y - (width - before), x + descent * size, y + before};
  x = element.number("x");
  y = element.number("y");
  return {element.text, x - before, y - ascent * size, x - before + width, y + descent * size};
}

/// No text overlaps another one or leaves the drawing, which has this width.
inline void expect_readable(const Figure& figure, double width) {
  std::vector<TextBox> boxes;
  double drawn_width = 0, height = 0;
  for (const xml::Element& element : xml::elements(figure.svg)) {
    if (element.name == "svg") {
      drawn_width = element.number("width");
      height = element.number("height");
    }
    if (element.name == "text") boxes.push_back(text_box(element));
  }
  EXPECT_NEAR(drawn_width, width, 0.01) << figure.key;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& box = boxes[i];
    EXPECT_TRUE(box.left >= -1 && box.right <= width + 1 && box.top >= -1 &&
                box.bottom <= height + 1)
        << figure.key << " at " << width << ": '" << box.text << "' is at " << box.left << " to "
        << box.right << ", " << box.top << " to " << box.bottom << " of " << height;
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(box.meets(boxes[k])) << figure.key << " at " << width << ": '" << box.text
                                        << "' meets '" << boxes[k].text << "'";
  }
}

/// Columns of journals with text of 6 to 10 points, and the page, in units of 1/12 of the text
/// size.
inline constexpr double tested_widths[] = {282, 301, 361, 413, 482, 595, 720, 850};

}  // namespace assay::report
