// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "assay/base/decimal.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay {
namespace {

/// What may follow a backslash, apart from the code of a character.
constexpr std::string_view simple_escapes = "\"\\/bfnrt";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view words(JsonReader::Kind kind) {
  constexpr std::array<std::string_view, 6> all = {"an object", "a list",        "a text",
                                                   "a number",  "true or false", "null"};
  return all[static_cast<std::size_t>(kind)];
}

}  // namespace

/// Texts make up most of many files, so eight bytes are examined together. The high bit of a byte
/// in `special` is set if that byte ends the plain text (Mycroft's test; a bit that a borrow sets
/// falsely lies after a true one).
std::size_t plain_end(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    const std::uint64_t special = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                                  ((word - ones * 0x20) & ~word);
    if ((special & highs) != 0) break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<unsigned char>(text[at]) >= 0x20)
    ++at;
  return at;
}

std::string place_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = character_count(before.substr(before.rfind('\n') + 1));
  const bool is_past_end = at >= text.size() && column > 0;
  return "line " + std::to_string(line) + ", column " +
         std::to_string(column + (is_past_end ? 0 : 1));
}

Error invalid_json(std::string_view name, std::string_view text, std::size_t at) {
  return {Error::Kind::input, std::string(name),
          "not valid JSON at " + place_in(text, at) + "; the file may be cut short or not be JSON"};
}

double json_number(std::string_view token) {
  if (token == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  read_decimal(token, value);  // reads "Infinity" as well
  return value;
}

std::optional<std::size_t> too_deep_at(std::string_view text, int most) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '[' || c == '{') {
      if (++depth > most) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    } else {
      in_string = c == '"';
    }
  }
  return std::nullopt;
}

void require_shallow(std::string_view text, std::string_view name, int most) {
  if (const auto at = too_deep_at(text, most))
    throw Error(Error::Kind::input, std::string(name),
                nested_too_deeply(place_in(text, *at), most));
}

// ---- One value after the other --------------------------------------------------------------

void JsonReader::fail(const std::string& sentence) const {
  throw Error(Error::Kind::input, std::string(name_), place_in(text_, at_) + ": " + sentence);
}

void JsonReader::fail_syntax() const {
  throw invalid_json(name_, text_, at_);
}

void JsonReader::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonReader::take(std::string_view token) {
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool JsonReader::take(char token) {
  if (at_ >= text_.size() || text_[at_] != token) return false;
  ++at_;
  return true;
}

JsonReader::Kind JsonReader::kind() {
  skip_space();
  if (at_ >= text_.size()) fail_syntax();
  switch (text_[at_]) {
    case '{': return Kind::object;
    case '[': return Kind::list;
    case '"': return Kind::text;
    case 't':
    case 'f': return Kind::boolean;
    case 'n': return Kind::null;
    default: return Kind::number;
  }
}

void JsonReader::require(Kind wanted, std::string_view what) {
  const Kind found = kind();
  if (found == wanted) return;
  fail("'" + std::string(what) + "' is " + std::string(words(found)) + ", where " +
       std::string(words(wanted)) + " is needed");
}

void JsonReader::open(Kind kind, std::string_view what) {
  require(kind, what);
  if (++depth_ > most_)
    throw Error(Error::Kind::input, std::string(name_),
                nested_too_deeply(place_in(text_, at_), most_));
  ++at_;
}

bool JsonReader::more(char close, bool first) {
  skip_space();
  if (at_ >= text_.size()) fail_syntax();
  if (text_[at_] == close) {
    ++at_;
    --depth_;
    return false;
  }
  if (!first && !take(',')) fail_syntax();
  return true;
}

std::string_view JsonReader::quoted(bool& has_escapes) {
  skip_space();
  if (!take('"')) fail_syntax();
  const std::size_t start = at_;
  has_escapes = false;
  for (at_ = plain_end(text_, at_); at_ < text_.size() && text_[at_] != '"';
       at_ = plain_end(text_, std::min(at_ + 2, text_.size()))) {
    if (text_[at_] != '\\') fail_syntax();
    has_escapes = true;
  }
  if (at_ >= text_.size()) fail_syntax();
  return text_.substr(start, at_++ - start);
}

std::string_view JsonReader::key(std::string& scratch) {
  bool has_escapes = false;
  std::string_view name = quoted(has_escapes);
  if (has_escapes) name = scratch = unescaped(name);
  skip_space();
  if (!take(':')) fail_syntax();
  return name;
}

std::string JsonReader::text(std::string_view what) {
  require(Kind::text, what);
  bool has_escapes = false;
  const std::string_view raw = quoted(has_escapes);
  return has_escapes ? unescaped(raw) : std::string(raw);
}

bool JsonReader::boolean() {
  const bool value = take("true");
  if (!value && !take("false")) fail_syntax();
  return value;
}

void JsonReader::null() {
  if (!take("null")) fail_syntax();
}

std::optional<char32_t> JsonReader::hex_code() const {
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  std::uint32_t code = 0;
  const char* end = digits.data() + digits.size();
  if (digits.size() != 4 || std::from_chars(digits.data(), end, code, 16).ptr != end)
    return std::nullopt;
  return code;
}

/// Takes the digits of \uXXXX, and a second escape for a character that UTF-16 writes as a pair.
void JsonReader::take_code(std::string& out) {
  auto code = hex_code();
  if (!code) fail_syntax();
  at_ += 4;
  if (*code >= 0xD800 && *code < 0xDC00 && take("\\u")) {
    const auto low = hex_code();
    const bool is_pair = low && *low >= 0xDC00 && *low < 0xE000;
    if (is_pair) code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    at_ = is_pair ? at_ + 4 : at_ - 2;
  }
  const bool is_half = *code >= 0xD800 && *code < 0xE000;
  append_utf8(out, is_half ? U'\xFFFD' : *code);
}

/// What a quoted text with escapes stands for; `raw` is a part of the text.
std::string JsonReader::unescaped(std::string_view raw) {
  constexpr std::string_view letters = simple_escapes, meanings = "\"\\/\b\f\n\r\t";
  const std::size_t behind = at_;
  const auto end = static_cast<std::size_t>(raw.data() - text_.data()) + raw.size();
  std::string out;
  for (at_ = end - raw.size(); at_ < end;) {
    const char c = text_[at_++];
    if (c != '\\') {
      out += c;
    } else if (const std::size_t known = letters.find(text_[at_]); known != letters.npos) {
      out += meanings[known];
      ++at_;
    } else {
      if (!take('u')) fail_syntax();
      take_code(out);
    }
  }
  at_ = behind;
  return out;
}

/// Fails where `unescaped` would.
void JsonReader::check_escapes(std::string_view raw) {
  std::size_t at = 0;
  while ((at = raw.find('\\', at)) != raw.npos) {
    if (raw[at + 1] == 'u') {
      unescaped(raw.substr(at));
      return;
    }
    if (simple_escapes.find(raw[at + 1]) == raw.npos) unescaped(raw);
    at += 2;
  }
}

bool JsonReader::take_digits() {
  const std::size_t start = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > start;
}

std::string_view JsonReader::number_token() {
  const std::size_t start = at_;
  if (!is_digit(text_[at_]) && (take("NaN") || take("Infinity") || take("-Infinity")))
    return text_.substr(start, at_ - start);
  take('-');
  bool whole = take('0') || take_digits();
  if (whole && take('.')) whole = take_digits();
  if (whole && (take('e') || take('E'))) {
    if (!take('+')) take('-');
    whole = take_digits();
  }
  if (!whole) fail_syntax();
  return text_.substr(start, at_ - start);
}

std::optional<double> JsonReader::number(std::string_view what) {
  if (kind() == Kind::null) {
    null();
    return std::nullopt;
  }
  require(Kind::number, what);
  const double value = json_number(number_token());
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

void JsonReader::skip() {
  bool has_escapes = false;
  std::string_view raw;
  switch (kind()) {
    case Kind::object: return object("", [&](std::string_view) { skip(); });
    case Kind::list: return list("", [&] { skip(); });
    case Kind::text:
      raw = quoted(has_escapes);
      if (has_escapes) check_escapes(raw);
      return;
    case Kind::boolean: boolean(); return;
    case Kind::null: return null();
    case Kind::number: number_token();
  }
}

void JsonReader::end() {
  skip_space();
  if (at_ < text_.size()) fail_syntax();
}

// ---- One object -----------------------------------------------------------------------------

JsonObject::JsonObject(std::string_view text, std::string_view name) : text_(text), name_(name) {
  JsonReader in(text, name);
  in.object("the file", [&](std::string_view key) {
    const JsonReader::Kind kind = in.kind();
    members_.push_back({std::string(key), kind, in.at()});
    in.skip();
    members_.back().end = in.at();
  });
  in.end();
}

const JsonObject::Member* JsonObject::find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &*found;
}

bool JsonObject::has(std::string_view key, JsonReader::Kind kind) const {
  const Member* member = find(key);
  return member != nullptr && member->kind == kind;
}

JsonReader JsonObject::at(std::string_view key) const {
  const Member* member = find(key);
  if (member == nullptr)
    throw Error(Error::Kind::input, std::string(name_),
                "has no '" + std::string(key) +
                    "'; the file may have been edited or be of another version");
  return {text_, name_, member->at};
}

std::string_view JsonObject::text_of(std::string_view key) const {
  const Member* member = find(key);
  return member == nullptr ? "" : text_.substr(member->at, member->end - member->at);
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> out;
  for (const Member& member : members_) out.push_back(member.key);
  return out;
}

}  // namespace assay
