// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view words(JsonReader::Kind kind) {
  constexpr std::array<std::string_view, 6> all = {"an object", "a list",  "a text",
                                                   "a number",  "a truth", "null"};
  return all[static_cast<std::size_t>(kind)];
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xE0 | (code >> 12));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
    }
    put(0x80 | ((code >> 6) & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

/// The four hex digits after \u, if there are four.
std::optional<std::uint32_t> hex_code(std::string_view digits) {
  std::uint32_t code = 0;
  const char* end = digits.data() + digits.size();
  if (digits.size() != 4 || std::from_chars(digits.data(), end, code, 16).ptr != end)
    return std::nullopt;
  return code;
}

/// Takes \uXXXX, or two of them for what UTF-16 writes as a pair; `raw` starts after the \u. Half a
/// pair becomes the replacement character.
bool append_code(std::string& out, std::string_view& raw) {
  auto code = hex_code(raw.substr(0, 4));
  if (!code) return false;
  raw.remove_prefix(4);
  if (*code >= 0xD800 && *code < 0xE000) {
    const auto low = raw.starts_with("\\u") ? hex_code(raw.substr(2, 4)) : std::nullopt;
    if (*code < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000) {
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
      raw.remove_prefix(6);
    } else {
      code = 0xFFFD;
    }
  }
  append_utf8(out, *code);
  return true;
}

/// The text that a quoted string with escapes means; none when an escape is unknown.
std::optional<std::string> unescaped(std::string_view raw) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  std::string out;
  while (!raw.empty()) {
    const char c = raw.front();
    raw.remove_prefix(1);
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escape = raw.front();  // quoted() has made sure that there is one
    raw.remove_prefix(1);
    const std::size_t known = letters.find(escape);
    if (known != letters.npos)
      out += meanings[known];
    else if (escape != 'u' || !append_code(out, raw))
      return std::nullopt;
  }
  return out;
}

}  // namespace

std::string place_in(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column =
      before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max<std::size_t>(column, 1));
}

std::string invalid_json(std::string_view name, std::string_view text, std::size_t byte) {
  return std::string(name) + ": not valid JSON at " + place_in(text, byte) +
         "; the file may be cut short or not be a results file";
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
    throw Error(Error::Kind::input,
                nested_too_deeply(std::string(name) + ": " + place_in(text, *at + 1), most));
}

// ---- One value after the other --------------------------------------------------------------

void JsonReader::fail(const std::string& sentence) const {
  throw Error(Error::Kind::input,
              std::string(name_) + ": " + place_in(text_, at_ + 1) + ": " + sentence);
}

void JsonReader::fail_syntax() const {
  throw Error(Error::Kind::input, invalid_json(name_, text_, at_ + 1));
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
  if (++depth_ > deepest_nesting)
    throw Error(Error::Kind::input,
                nested_too_deeply(std::string(name_) + ": " + place_in(text_, at_ + 1)));
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
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (static_cast<unsigned char>(text_[at_]) < 0x20) fail_syntax();
    if (text_[at_] != '\\') continue;
    has_escapes = true;
    ++at_;
  }
  if (at_ >= text_.size()) fail_syntax();
  return text_.substr(start, at_++ - start);
}

std::string_view JsonReader::key(std::string& scratch) {
  bool has_escapes = false;
  std::string_view name = quoted(has_escapes);
  if (has_escapes) {
    auto text = unescaped(name);
    if (!text) fail_syntax();
    scratch = std::move(*text);
    name = scratch;
  }
  skip_space();
  if (!take(':')) fail_syntax();
  return name;
}

std::string JsonReader::text(std::string_view what) {
  require(Kind::text, what);
  bool has_escapes = false;
  const std::string_view raw = quoted(has_escapes);
  if (!has_escapes) return std::string(raw);
  auto text = unescaped(raw);
  if (!text) fail_syntax();
  return std::move(*text);
}

bool JsonReader::take_digits() {
  const std::size_t start = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > start;
}

std::string_view JsonReader::digits() {
  const std::size_t start = at_;
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
    if (!take("null")) fail_syntax();
    return std::nullopt;
  }
  require(Kind::number, what);
  const char first = text_[at_];
  if (first == 'N' && take("NaN")) return std::nullopt;
  if (first == 'I' && take("Infinity")) return infinity;
  if (first == '-' && take("-Infinity")) return -infinity;
  const std::string_view text = digits();
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec == std::errc::result_out_of_range)  // as Python does: infinity, or zero
    value = std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

void JsonReader::skip() {
  bool unused = false;
  switch (kind()) {
    case Kind::object: return object("", [&](std::string_view) { skip(); });
    case Kind::list: return list("", [&] { skip(); });
    case Kind::text: quoted(unused); return;
    case Kind::boolean:
      if (!take("true") && !take("false")) fail_syntax();
      return;
    case Kind::null:
    case Kind::number:
      if (!is_digit(text_[at_]) &&
          (take("null") || take("NaN") || take("Infinity") || take("-Infinity")))
        return;
      digits();
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
    throw Error(Error::Kind::input,
                std::string(name_) + ": has no '" + std::string(key) +
                    "'; the file may have been edited or be of another version");
  return {text_, name_, member->at};
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> out;
  for (const Member& member : members_) out.push_back(member.key);
  return out;
}

}  // namespace assay
