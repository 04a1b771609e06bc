// SPDX-License-Identifier: Apache-2.0
#include "assay/report/html.hpp"

namespace assay::report {
namespace {

constexpr std::string_view minus = "\u2212", fixed_space = "\u00A0";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A hyphen before a digit, at the start or after a space or a bracket.
bool is_minus(std::string_view text, std::size_t at) {
  if (text[at] != '-' || at + 1 == text.size() || !is_digit(text[at + 1])) return false;
  return at == 0 || text[at - 1] == ' ' || text[at - 1] == '(' || text[at - 1] == '[';
}

/// The spaces of "n = 12".
bool is_in_equation(std::string_view text, std::size_t at) {
  constexpr std::string_view words = "n = ";
  const auto is_at = [&](std::size_t before) {
    return at >= before && text.substr(at - before).starts_with(words);
  };
  return is_at(1) || is_at(3);
}

/// A space between a number and its unit, or between the sides of an equation.
bool is_fixed(std::string_view text, std::size_t at) {
  if (text[at] != ' ' || at == 0) return false;
  if (is_in_equation(text, at)) return true;
  if (!is_digit(text[at - 1])) return false;
  const std::string_view rest = text.substr(at + 1);
  constexpr std::string_view units[] = {"%", "mm", "mL"};
  return std::ranges::any_of(units, [&](std::string_view unit) {
    return rest.starts_with(unit) && (rest.size() == unit.size() || !is_letter(rest[unit.size()]));
  });
}

}  // namespace

std::string typeset(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_minus(text, i))
      out += minus;
    else if (is_fixed(text, i))
      out += fixed_space;
    else
      out += text[i];
  }
  return out;
}

}  // namespace assay::report
