// SPDX-License-Identifier: Apache-2.0
/// The rules of the specification and of the project it grew into, with all their traps: an
/// article "a" is option A, any number in the prose is an answer, options match inside words.
/// Python's regular expressions, json and int() are followed to the letter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/base/json_reader.hpp"
#include "assay/base/unicode.hpp"
#include "assay/qa.hpp"
#include "assay/qa/values/json_value.hpp"
#include "assay/qa/values/truth.hpp"

namespace assay::qa {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

ExtractedAnswer found(std::int64_t label, std::string rule,
                      std::pair<std::size_t, std::size_t> span) {
  return {.label = label, .raw = {}, .rule = std::move(rule), .span = span};
}

ExtractedAnswer nothing() {
  return {.label = {}, .raw = {}, .rule = "none"};
}

/// A whole number in the text, [begin, end) in characters.
struct Integer {
  std::int64_t value = 0;
  std::size_t begin = 0, end = 0;
};

/// The matches of \b(\d+)\b, from the character `from` on.
std::optional<Integer> next_integer(const std::u32string& points, std::size_t from) {
  for (std::size_t begin = from; begin < points.size(); ++begin) {
    if (!digit_value(points[begin]) || !is_boundary(points, begin)) continue;
    Integer out = {0, begin, begin};
    for (; out.end < points.size() && digit_value(points[out.end]); ++out.end) {
      const int digit = *digit_value(points[out.end]);
      out.value = out.value > (largest - digit) / 10 ? largest : out.value * 10 + digit;
    }
    if (is_boundary(points, out.end)) return out;
    begin = out.end - 1;  // no boundary within a run of digits either
  }
  return std::nullopt;
}

/// int(text): white space around it, a sign, digits of any script, single underscores between them.
std::optional<std::int64_t> python_int(std::string_view utf8) {
  const std::u32string points = characters(stripped(utf8)).points;
  std::size_t at = 0;
  const bool negative = !points.empty() && points[0] == U'-';
  if (negative || (!points.empty() && points[0] == U'+')) ++at;
  std::int64_t value = 0;
  bool digit_before = false;
  for (; at < points.size(); ++at) {
    const auto digit = digit_value(points[at]);
    const bool underscore = points[at] == U'_' && digit_before;
    if (!digit && !underscore) return std::nullopt;
    digit_before = digit.has_value();
    if (digit) value = value > (largest - *digit) / 10 ? largest : value * 10 + *digit;
  }
  if (!digit_before) return std::nullopt;
  return negative ? -value : value;
}

std::optional<std::int64_t> python_int(const JsonNumber& number) {
  if (number.whole) return python_int(number.text);
  const double value = json_number(number.text);
  if (!std::isfinite(value)) return std::nullopt;
  constexpr double limit = 9.2e18;
  if (std::fabs(value) > limit) return value > 0 ? largest : -largest;
  return static_cast<std::int64_t>(value);
}

/// int(value) of a JSON value; nothing where Python raises.
std::optional<std::int64_t> python_int(const JsonValue& value) {
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth ? 1 : 0;
  if (const auto* number = std::get_if<JsonNumber>(&value.content)) return python_int(*number);
  if (const auto* text = std::get_if<std::string>(&value.content)) return python_int(*text);
  return std::nullopt;
}

/// The first single letter A to D in any case; only with four options.
std::optional<ExtractedAnswer> letter_rule(const Characters& text, std::size_t options) {
  if (options != 4) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = lower(text.points[i]);
    if (c >= U'a' && c <= U'd' && text.points[i] < 0x80 && is_boundary(text.points, i) &&
        is_boundary(text.points, i + 1))
      return found(static_cast<std::int64_t>(c - U'a') + 1, "letter", text.span(i, i + 1));
  }
  return std::nullopt;
}

/// `option` anywhere in the lowered text. Lowering can lengthen a text, so that the span is exact
/// only where it does not.
std::optional<ExtractedAnswer> substring_rule(const Characters& text, const std::u32string& lower,
                                              std::string_view option, std::int64_t label) {
  const std::u32string wanted = lowered(characters(option).points);
  const std::size_t at = lower.find(wanted);
  if (at == std::u32string::npos) return std::nullopt;
  const std::size_t last = std::min(at + wanted.size(), text.size());
  return found(label, "option_text", text.span(std::min(at, text.size()), last));
}

ExtractedAnswer first_integer(const Characters& text) {
  const auto integer = next_integer(text.points, 0);
  if (!integer) return nothing();
  return found(integer->value, "integer", text.span(integer->begin, integer->end));
}

/// find("{") to rfind("}"), read as one JSON object.
std::optional<ExtractedAnswer> spec_grade(std::string_view text) {
  const std::size_t start = text.find('{'), end = text.rfind('}');
  if (start == std::string::npos || end == std::string::npos || end <= start) return std::nullopt;
  const auto object = json_of(text.substr(start, end + 1 - start));
  const JsonValue* value = object ? object->member("isup_grade") : nullptr;
  const auto grade = value != nullptr ? python_int(*value) : std::nullopt;
  if (!grade) return std::nullopt;
  return found(*grade, "json", {start + value->span.first, start + value->span.second});
}

/// Once there is a JSON object, nothing else is looked at.
std::optional<ExtractedAnswer> giant_grade(std::string_view text) {
  const std::size_t start = text.find('{');
  const auto object = start == std::string::npos ? std::nullopt : json_at(text, start);
  if (!object) return std::nullopt;
  const JsonValue* value = object->member("isup_grade");
  if (value == nullptr) return nothing();
  const auto grade = value->is_null() ? 0 : python_int(*value);
  if (!grade || *grade < 0 || *grade > 5) return nothing();
  return found(*grade, "json", value->span);
}

}  // namespace

ExtractedAnswer extract_spec(std::string_view text, std::string_view benchmark,
                             std::span<const std::string> options) {
  if (benchmark == "panda")
    if (auto grade = spec_grade(text)) return *grade;
  const Characters all = characters(text);
  if (options.empty()) return first_integer(all);
  if (auto letter = letter_rule(all, options.size())) return *letter;
  const auto integer = next_integer(all.points, 0);
  if (integer && integer->value >= 1 && integer->value <= static_cast<std::int64_t>(options.size()))
    return first_integer(all);
  const std::u32string lower = lowered(all.points);
  for (std::size_t i = 0; i < options.size(); ++i)
    if (auto hit = substring_rule(all, lower, options[i], static_cast<std::int64_t>(i) + 1))
      return *hit;
  return first_integer(all);  // out of range, and taken all the same
}

ExtractedAnswer extract_giant(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options) {
  if (is_panda(benchmark))
    if (auto grade = giant_grade(text)) return *grade;
  const Characters all = characters(text);
  if (options.empty()) return first_integer(all);
  if (auto letter = letter_rule(all, options.size())) return *letter;
  const auto count = static_cast<std::int64_t>(options.size());
  for (auto integer = next_integer(all.points, 0); integer;
       integer = next_integer(all.points, integer->end))
    if (integer->value >= 1 && integer->value <= count)
      return found(integer->value, "integer", all.span(integer->begin, integer->end));
  std::vector<std::size_t> order(options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return characters(options[i]).size(); });
  const std::u32string lower = lowered(all.points);
  for (const std::size_t i : order)
    if (!stripped(options[i]).empty())
      if (auto hit = substring_rule(all, lower, options[i], static_cast<std::int64_t>(i) + 1))
        return *hit;
  return nothing();
}

}  // namespace assay::qa
