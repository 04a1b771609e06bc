// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/qa/values/json_value.hpp"

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

/// An escape that is followed by a fixed number of hex digits.
struct HexEscape {
  char letter;
  std::size_t digits;
};

constexpr HexEscape hex_escapes[] = {{'x', 2}, {'u', 4}, {'U', 8}};

/// ast.literal_eval for lists and tuples of texts and numbers; numbers are kept as written. Nothing
/// for any other text.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> list() {
    skip_space();
    const bool tuple = take("(");
    if (!tuple && !take("[")) return std::nullopt;
    const std::string_view close = tuple ? ")" : "]";
    std::vector<std::string> out;
    bool comma = true;
    for (skip_space(); !take(close); skip_space()) {
      auto element = comma ? this->element() : std::nullopt;
      if (!element) return std::nullopt;
      out.push_back(std::move(*element));
      skip_space();
      comma = take(",");
    }
    skip_space();
    const bool in_parentheses_only = tuple && out.size() == 1 && !comma;
    if (at_ != text_.size() || in_parentheses_only) return std::nullopt;
    return out;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r\f").find(text_[at_]) != std::string::npos)
      ++at_;
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::optional<std::string> element() {
    const std::size_t begin = at_;
    const std::size_t prefix = text_.find_first_of("'\"", at_);
    if (prefix != std::string::npos && is_prefix(text_.substr(begin, prefix - begin)))
      return texts();
    return number();
  }

  /// What may come before a quote: r and u. f is not a literal, and b is not text.
  static bool is_prefix(std::string_view letters) {
    return letters.empty() || letters == "u" || letters == "U" || letters == "r" || letters == "R";
  }

  /// Texts that follow each other are one: 'a' "b".
  std::optional<std::string> texts() {
    std::string out;
    for (bool any = false;; any = true) {
      const std::size_t quote = text_.find_first_of("'\"", at_);
      const bool more = quote != std::string::npos && is_prefix(text_.substr(at_, quote - at_));
      if (!more) return any ? std::optional(std::move(out)) : std::nullopt;
      const bool raw = quote > at_ && (text_[at_] == 'r' || text_[at_] == 'R');
      at_ = quote;
      if (!quoted(out, raw)) return std::nullopt;
      skip_space();
    }
  }

  bool quoted(std::string& out, bool raw) {
    const std::string one(1, text_[at_]);
    const std::string three = one + one + one;
    const std::string& quote = text_.substr(at_).starts_with(three) ? three : one;
    for (at_ += quote.size(); at_ < text_.size();) {
      if (take(quote)) return true;
      const char c = text_[at_++];
      if (c == '\n' && quote.size() == 1) return false;
      if (c != '\\')
        out += c;
      else if (!(raw ? raw_escape(out) : escape(out)))
        return false;
    }
    return false;
  }

  bool raw_escape(std::string& out) {
    if (at_ >= text_.size()) return false;
    (out += '\\') += text_[at_++];
    return true;
  }

  bool escape(std::string& out) {
    constexpr std::string_view letters = "\\'\"abfnrtv", meanings = "\\'\"\a\b\f\n\r\t\v";
    if (at_ >= text_.size()) return false;
    const char letter = text_[at_++];
    const std::size_t known = letters.find(letter);
    if (known != std::string::npos) {
      out += meanings[known];
      return true;
    }
    if (letter == '\n') return true;  // a line that goes on
    for (const HexEscape& escape : hex_escapes)
      if (letter == escape.letter) return code(out, escape.digits);
    if (letter >= '0' && letter <= '7') return octal(out, letter);
    (out += '\\') += letter;  // Python keeps what it does not know
    return letter != 'N';     // names of characters
  }

  bool code(std::string& out, std::size_t digits) {
    const std::string_view hex = text_.substr(at_, digits);
    std::uint32_t point = 0;
    const char* end = hex.data() + hex.size();
    if (hex.size() != digits || std::from_chars(hex.data(), end, point, 16).ptr != end ||
        point > 0x10FFFF)
      return false;
    at_ += digits;
    append_utf8(out, point >= 0xD800 && point < 0xE000 ? 0xFFFD : point);
    return true;
  }

  bool octal(std::string& out, char first) {
    auto point = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i)
      point = point * 8 + static_cast<char32_t>(text_[at_++] - '0');
    append_utf8(out, point);
    return true;
  }

  std::optional<std::string> number() {
    const std::size_t end = std::min(text_.find_first_of(",])} \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    double value = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = !digits.empty() && read.ptr == digits.data() + digits.size() &&
                           digits.find_first_of("0123456789") != std::string::npos;
    if (!is_number) return std::nullopt;
    at_ = end;
    return std::string(word);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

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
  if (const auto list = LiteralParser(trimmed).list()) return *list;
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
