// SPDX-License-Identifier: Apache-2.0
/// Text and numbers in figures: short, safe, and measured.
#pragma once

#include <string>
#include <string_view>

namespace assay::report {

/// A coordinate with at most `decimals` (0 to 3) places and no trailing zeros. The same number
/// gives the same bytes under every locale; a number that is not finite becomes 0.
std::string svg_number(double value, int decimals = 2);

/// Text as it should be read, never as markup, even if bytes are not UTF-8 or characters are not
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
