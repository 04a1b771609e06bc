// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/json_value.hpp"

#include <array>
#include <charconv>

#include "assay/base/nesting.hpp"
#include "assay/base/unicode.hpp"

namespace assay::qa {
namespace {

/// Reads one value after the other; every function says whether it could.
class JsonValueParser {
 public:
  JsonValueParser(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string::npos)
      ++at_;
  }

  /// `depth` counts the lists and objects around the value.
  std::optional<JsonValue> value(int depth = 0) {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t begin = at_;
    std::optional<JsonValue> out;
    switch (text_[at_]) {
      case '{': out = object(depth); break;
      case '[': out = list(depth); break;
      case '"': out = quoted_value(); break;
      default: out = token(); break;
    }
    if (out) out->span = {begin, at_};
    return out;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// The content between brackets, one `element` after the other with commas between them.
  template <class Element>
  bool series(char close, Element element) {
    ++at_;
    skip_space();
    if (take(close)) return true;
    for (;;) {
      if (!element()) return false;
      skip_space();
      if (take(close)) return true;
      if (!take(',')) return false;
      skip_space();
    }
  }

  std::optional<JsonValue> object(int depth) {
    if (depth >= deepest_nesting) return std::nullopt;
    JsonValue out = {.is_object = true};
    std::vector<JsonValue> elements;
    const bool whole = series('}', [&] {
      auto key = quoted();
      if (!key) return false;
      skip_space();
      if (!take(':')) return false;
      skip_space();
      auto element = value(depth + 1);
      if (!element) return false;
      out.keys.push_back(std::move(*key));
      elements.push_back(std::move(*element));
      return true;
    });
    if (!whole) return std::nullopt;
    out.content = std::move(elements);
    return out;
  }

  std::optional<JsonValue> list(int depth) {
    if (depth >= deepest_nesting) return std::nullopt;
    std::vector<JsonValue> elements;
    const bool whole = series(']', [&] {
      auto element = value(depth + 1);
      if (element) elements.push_back(std::move(*element));
      return element.has_value();
    });
    if (!whole) return std::nullopt;
    return JsonValue{.content = std::move(elements)};
  }

  std::optional<JsonValue> quoted_value() {
    auto text = quoted();
    if (!text) return std::nullopt;
    return JsonValue{.content = std::move(*text)};
  }

  std::optional<std::string> quoted() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      if (c != '\\')
        out += c;
      else if (!escape(out))
        return std::nullopt;
    }
    return std::nullopt;
  }

  bool escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) return false;
    const char letter = text_[at_++];
    if (letter == 'u') return escaped_code(out);
    const std::size_t known = letters.find(letter);
    if (known != std::string::npos) out += meanings[known];
    return known != std::string::npos;
  }

  bool escaped_code(std::string& out) {
    auto code = hex();
    if (!code) return false;
    if (*code >= 0xD800 && *code < 0xDC00 && take("\\u")) {
      const std::size_t second = at_;
      const auto low = hex();
      if (!low) return false;
      if (*low >= 0xDC00 && *low < 0xE000)
        code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
      else
        at_ = second - 2;  // not its other half: read on its own
    }
    const bool half = *code >= 0xD800 && *code < 0xE000;
    append_utf8(out, half ? U'\xFFFD' : *code);
    return true;
  }

  std::optional<char32_t> hex() {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t code = 0;
    const char* end = digits.data() + digits.size();
    if (digits.size() != 4 || std::from_chars(digits.data(), end, code, 16).ptr != end)
      return std::nullopt;
    at_ += 4;
    return code;
  }

  std::optional<JsonValue> token() {
    if (take("null")) return JsonValue{};
    if (take("true")) return JsonValue{.content = true};
    if (take("false")) return JsonValue{.content = false};
    const std::size_t begin = at_;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
      if (take(word)) return JsonValue{.content = JsonNumber{word, false}};
    const auto whole = number();
    if (!whole) return std::nullopt;
    return JsonValue{.content = JsonNumber{text_.substr(begin, at_ - begin), *whole}};
  }

  bool digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > begin;
  }

  /// Takes a number and says whether it is written as an integer. A point or an exponent without
  /// digits after it is not part of the number.
  std::optional<bool> number() {
    take('-');
    if (!take('0') && !digits()) return std::nullopt;
    bool whole = true;
    const std::size_t point = at_;
    if (take('.')) {
      whole = !digits();
      if (whole) at_ = point;
    }
    const std::size_t exponent = at_;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (digits())
        whole = false;
      else
        at_ = exponent;
    }
    return whole;
  }

  std::string_view text_;
  std::size_t at_;
};

}  // namespace

const JsonValue* JsonValue::member(std::string_view key) const {
  const auto* all = elements();
  if (!is_object || all == nullptr) return nullptr;
  for (std::size_t i = keys.size(); i-- > 0;)
    if (keys[i] == key) return &(*all)[i];
  return nullptr;
}

std::optional<JsonValue> json_at(std::string_view text, std::size_t at) {
  return JsonValueParser(text, at).value();
}

std::optional<JsonValue> json_of(std::string_view text) {
  JsonValueParser parser(text, 0);
  parser.skip_space();
  auto value = parser.value();
  parser.skip_space();
  return parser.at() == text.size() ? std::move(value) : std::nullopt;
}

std::vector<JsonValue> json_objects_in(std::string_view text) {
  std::vector<JsonValue> out;
  for (std::size_t at = text.find('{'); at != std::string::npos;) {
    auto object = json_at(text, at);
    const std::size_t from = object ? object->span.second : at + 1;
    if (object) out.push_back(std::move(*object));
    at = text.find('{', from);
  }
  return out;
}

}  // namespace assay::qa
