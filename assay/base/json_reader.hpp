// SPDX-License-Identifier: Apache-2.0
/// The grammar of JSON: the only place that decides what is JSON. Takes what Python's json writes:
/// NaN, Infinity, -Infinity, and half a surrogate pair, which becomes the replacement character.
///
/// A text is read from front to back into the caller's own structures: in a file of many cases, a
/// tree of all values would cost more than the work that follows. The tree of parse_json and the
/// values of qa/values/json_value.hpp are two such structures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/nesting.hpp"
#include "assay/error.hpp"

namespace assay {

/// Where the plain characters of a quoted text end: at a quote, a backslash, a control character,
/// or the end of the text.
std::size_t plain_end(std::string_view text, std::size_t at);

/// "line 3, column 7", counted in characters; the last one when the text ends before `at`.
std::string place_in(std::string_view text, std::size_t at);

/// The error for text that is not JSON, or ends too early.
Error invalid_json(std::string_view name, std::string_view text, std::size_t at);

/// The value of a number, NaN and Infinity included. As in Python, a number that is too large is
/// infinity, and one that is too small is zero.
double json_number(std::string_view token);

/// The byte of the first bracket that is nested more than `most` deep; nothing when none is. One
/// pass without recursion, made before anything that recurses.
std::optional<std::size_t> too_deep_at(std::string_view text, int most = deepest_nesting);

/// Throws Error::input when the text is nested more than `most` deep. The message contains `name`.
void require_shallow(std::string_view text, std::string_view name, int most = deepest_nesting);

/// A position before one value of a JSON text; each call below takes that value and moves past it.
/// `name` (the file) and `what` (the field) are for messages. Everything throws Error::input, with
/// line and column, on a value of another kind and on text that is not JSON.
class JsonReader {
 public:
  enum class Kind { object, list, text, number, boolean, null };

  JsonReader(std::string_view text, std::string_view name, std::size_t at = 0,
             int most = deepest_nesting)
      : text_(text), name_(name), at_(at), most_(most) {}

  /// What comes next; takes nothing.
  Kind kind();
  std::size_t at() const { return at_; }
  std::string_view name() const { return name_; }

  /// Calls each(key) for every member; `each` takes the member's value.
  template <class Each>
  void object(std::string_view what, Each each) {
    open(Kind::object, what);
    for (bool first = true; more('}', first); first = false) {
      std::string scratch;
      each(key(scratch));
    }
  }

  /// Calls each() for every element; `each` takes it.
  template <class Each>
  void list(std::string_view what, Each each) {
    open(Kind::list, what);
    for (bool first = true; more(']', first); first = false) each();
  }

  std::string text(std::string_view what);
  bool boolean();
  void null();
  /// A number as it is written, including NaN and Infinity.
  std::string_view number_token();
  /// A number; none for null and NaN, which both mean "no value". Infinity is a number.
  std::optional<double> number(std::string_view what);
  void skip();
  /// Only white space may follow.
  void end();

  /// Throws an error about the text just before `at()`.
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  [[noreturn]] void fail_syntax() const;
  void require(Kind wanted, std::string_view what);
  void open(Kind kind, std::string_view what);
  bool more(char close, bool first);
  std::string_view key(std::string& scratch);
  std::string_view quoted(bool& has_escapes);
  std::string unescaped(std::string_view raw);
  void check_escapes(std::string_view raw);
  void take_code(std::string& out);
  std::optional<char32_t> hex_code() const;
  bool take(std::string_view token);
  bool take(char token);
  bool take_digits();
  void skip_space();

  std::string_view text_, name_;
  std::size_t at_;
  int most_, depth_ = 0;
};

/// A JSON object whose members can be read in any order: only their places are kept.
class JsonObject {
 public:
  /// Walks once through the text, which must be one object. Both arguments must outlive this.
  JsonObject(std::string_view text, std::string_view name);

  std::string_view name() const { return name_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool has(std::string_view key, JsonReader::Kind kind) const;
  /// A reader positioned before the member's value. Throws Error::input when there is no such
  /// member.
  JsonReader at(std::string_view key) const;
  /// The member's value as it is written; "" when there is no such member.
  std::string_view text_of(std::string_view key) const;
  std::vector<std::string> keys() const;

 private:
  struct Member {
    std::string key;
    JsonReader::Kind kind;
    std::size_t at, end = 0;
  };
  const Member* find(std::string_view key) const;

  std::string_view text_, name_;
  std::vector<Member> members_;
};

}  // namespace assay
