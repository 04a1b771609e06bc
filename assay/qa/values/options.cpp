// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/options.hpp"

#include <algorithm>

#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/qa/values/json_value.hpp"
#include "assay/qa/values/python_literal.hpp"

namespace assay::qa {
namespace {

[[noreturn]] void refuse_options(const std::string& what) {
  throw Error(Error::Kind::input,
              "options " + what + "; write them as [\"Lung\", \"Breast\"] or Lung|Breast");
}

std::string option_text(const JsonValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return *text;
  if (const auto* number = std::get_if<JsonNumber>(&value.content))
    return std::string(number->text);
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth ? "true" : "false";
  refuse_options("hold a value that is neither text nor number");
}

std::vector<std::string> between_bars(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t bar = std::min(text.find('|', from), text.size());
    out.emplace_back(stripped(text.substr(from, bar - from)));
    from = bar + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> parse_options(std::string_view text) {
  const std::string_view trimmed = stripped(text);
  if (trimmed.empty()) return {};
  if (const auto json = json_of(trimmed)) {
    if (json->is_object) refuse_options("are a dict, which has no order");
    const auto* elements = json->elements();
    if (elements == nullptr) refuse_options("are a single value, not a list");
    std::vector<std::string> out;
    for (const JsonValue& element : *elements) out.push_back(option_text(element));
    return out;
  }
  if (const auto list = python_list(trimmed)) return *list;
  if (std::string_view("[({").find(trimmed.front()) == std::string::npos &&
      trimmed.find('|') != std::string::npos)
    return between_bars(trimmed);
  refuse_options("are not a list");
}

bool is_numeric_option(std::string_view option) {
  const std::string_view digits = stripped(option);
  return !digits.empty() &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace assay::qa
