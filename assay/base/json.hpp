// SPDX-License-Identifier: Apache-2.0
/// JSON as this project writes and reads it. Included by .cpp files only: the parser is heavy.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/base/nesting.hpp"
#include "assay/base/shortest.hpp"
#include "assay/base/text.hpp"
#include "assay/executor.hpp"

namespace assay {

using Json = nlohmann::ordered_json;  ///< keys keep the order in which they are written

struct JsonStyle {
  int indent = 2;              ///< 0: everything on one line
  bool python_tokens = false;  ///< NaN and Infinity as Python writes them, instead of null
};

/// The text of a value: doubles in the shortest form that reads back equal, always with a point or
/// an exponent; short arrays of numbers on one line; NaN and infinity as null.
std::string to_text(const Json& value, const JsonStyle& style = {});

/// Writes one object to the end of a text, member by member. It is for objects that come by the
/// hundred thousand, for which a tree would cost more than the text. The result is what to_text
/// would give.
class JsonMembers {
 public:
  /// Opens the object; `depth` is how many others are open around it.
  JsonMembers(std::string& out, const JsonStyle& style, int depth = 0);

  /// A text, a number, a Boolean or a tree.
  template <class Value>
  void add(std::string_view key, const Value& value) {
    begin_member(key);
    if constexpr (std::is_same_v<Value, Json>)
      write(value);
    else if constexpr (std::is_convertible_v<const Value&, std::string_view>)
      write_text(value);
    else if constexpr (std::is_same_v<Value, double>)
      write_number(value);
    else
      write(Json(value));
  }
  /// A list of numbers, or of pairs of them.
  template <class Numbers>
  void add_list(std::string_view key, const Numbers& numbers) {
    begin_member(key);
    write_elements(numbers, depth_ + 1);
  }
  /// An object, whose members `fill` adds.
  template <class Fill>
  void add_object(std::string_view key, Fill fill) {
    begin_member(key);
    JsonMembers inner(out_, style_, depth_ + 1);
    fill(inner);
    inner.close();
  }
  void close();

 private:
  void begin_member(std::string_view key);
  void write(const Json& tree);
  void write_text(std::string_view text);
  void write_number(double number);
  void begin_element(bool is_first, bool is_flat, int depth);
  void end_elements(bool is_empty, bool is_flat, int depth);

  template <class Numbers>
  void write_elements(const Numbers& numbers, int depth) {
    constexpr bool is_flat = std::is_arithmetic_v<typename Numbers::value_type>;
    bool is_first = true;
    for (const auto& each : numbers) {
      begin_element(std::exchange(is_first, false), is_flat, depth);
      if constexpr (!is_flat)
        write_elements(std::array{each.first, each.second}, depth + 1);
      else if constexpr (std::is_same_v<typename Numbers::value_type, double>)
        write_number(each);
      else
        write(Json(each));
    }
    end_elements(is_first, is_flat, depth);
  }

  std::string& out_;
  JsonStyle style_;
  int depth_;
  bool is_empty_ = true;
};

/// Writes an object member by member, so that a long list never exists as one tree or one text. The
/// pieces together are what to_text would give.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(TextSink sink, const JsonStyle& style = {})
      : sink_(std::move(sink)), style_(style) {}

  void member(std::string_view key, const Json& value);
  using ElementWriter = std::function<void(std::size_t number, JsonMembers& out)>;
  /// A list of that many objects, which may be written on several threads.
  void list(std::string_view key, std::size_t count, const ElementWriter& element,
            const Executor& executor = {});
  /// Closes the object, and the line.
  void end();

 private:
  void begin_member(std::string_view key);
  void pass_on(std::size_t least);

  TextSink sink_;
  JsonStyle style_;
  std::string waiting_;
  bool is_empty_ = true;
};

/// The tree of a text in UTF-8, by the grammar of json_reader.hpp; the library's own parser is not
/// called (tools/doors.py). `name` is for messages. Throws Error::input with line and column, also
/// where the text is nested more than `most` deep.
Json parse_json(std::string_view text, std::string_view name, int most = deepest_nesting);

/// The value, or null where there is none.
template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The text, or null where it is empty.
Json or_null(std::string_view text);

/// The text, or "" where the value is of another kind.
std::string text_of(const Json& value);

/// The member, or null when the value is not an object or has none of that name.
const Json& member(const Json& value, std::string_view key);

/// The elements of an array, or none when the value is not an array.
const std::vector<Json>& elements(const Json& value);

}  // namespace assay
