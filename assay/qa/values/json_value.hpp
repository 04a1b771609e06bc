// SPDX-License-Identifier: Apache-2.0
/// JSON inside an answer, read as Python's json reads it, with the place of every value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::qa {

/// A number as it is written, because an integer may have any size.
struct JsonNumber {
  std::string_view text;  ///< in the parsed text; also NaN, Infinity, -Infinity
  bool whole;             ///< neither point nor exponent
};

struct JsonValue {
  std::variant<std::monostate, bool, JsonNumber, std::string, std::vector<JsonValue>> content{};
  std::vector<std::string> keys{};  ///< of an object, beside its elements; a list has none
  bool is_object = false;
  std::pair<std::size_t, std::size_t> span{};  ///< [begin, end) in the parsed text

  bool is_null() const { return std::holds_alternative<std::monostate>(content); }
  const std::vector<JsonValue>* elements() const {
    return std::get_if<std::vector<JsonValue>>(&content);
  }
  /// The last member of that name, as in a dict; nothing when there is none.
  const JsonValue* member(std::string_view key) const;
};

/// json.JSONDecoder().raw_decode: the list or object that starts at `at`; nothing when there is
/// none, or when it is nested more than deepest_nesting deep.
std::optional<JsonValue> json_at(std::string_view text, std::size_t at);

/// Every JSON object in prose that starts outside the ones before it. After a thousand brackets
/// that start none, no more are sought.
std::vector<JsonValue> json_objects_in(std::string_view text);

/// json.loads: the only value of the text, with white space around it.
std::optional<JsonValue> json_of(std::string_view text);

}  // namespace assay::qa
