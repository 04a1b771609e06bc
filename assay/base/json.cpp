// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/base/json_reader.hpp"

namespace assay {
namespace {

/// Placeholders for the tokens that JSON lacks: strings that start with a byte that no text file
/// holds.
struct Token {
  std::string_view text, stand_in;
  double value;
};
constexpr std::array tokens = {
    Token{"NaN", "\x01NaN", std::numeric_limits<double>::quiet_NaN()},
    Token{"-Infinity", "\x01-Infinity", -std::numeric_limits<double>::infinity()},
    Token{"Infinity", "\x01Infinity", std::numeric_limits<double>::infinity()},
};

constexpr std::string_view before_token = "\"\\u0001", after_token = "\"";

/// A text in which strings take the place of Python's tokens.
struct Prepared {
  std::string text;
  std::vector<std::size_t> ends;  ///< where those strings end

  /// The byte of the text as it was given.
  std::size_t original(std::size_t byte) const {
    const auto passed = std::ranges::upper_bound(ends, byte) - ends.begin();
    return byte - static_cast<std::size_t>(passed) * (before_token.size() + after_token.size());
  }
};

/// Replaces Python's tokens by strings that JSON allows; strings in the text stay as they are.
Prepared with_stand_ins(std::string_view text) {
  Prepared prepared;
  std::string& out = prepared.text;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      in_string = c != '"';
      continue;
    }
    const auto token = std::ranges::find_if(
        tokens, [&](const Token& t) { return text.substr(i).starts_with(t.text); });
    if (token == tokens.end()) {
      out += c;
      in_string = c == '"';
      continue;
    }
    out.append(before_token).append(token->text).append(after_token);
    prepared.ends.push_back(out.size());
    i += token->text.size() - 1;
  }
  return prepared;
}

void put_numbers_back(Json& value) {
  if (value.is_structured()) {
    for (Json& element : value) put_numbers_back(element);
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const auto token = std::ranges::find(tokens, text, &Token::stand_in);
    if (token != tokens.end()) value = token->value;
  }
}

class Writer {
 public:
  explicit Writer(const JsonStyle& style) : style_(style) {}

  std::string take() && { return std::move(out_); }

  void write(const Json& value, int depth) {
    if (value.is_object()) {
      write_all(value, depth, "{}", false, [&](const auto& item) {
        write_text(item.key());
        out_ += style_.indent > 0 ? ": " : ":";
        write(item.value(), depth + 1);
      });
    } else if (value.is_array()) {
      const bool flat =
          std::ranges::none_of(value, [](const Json& e) { return e.is_structured(); });
      write_all(value, depth, "[]", flat,
                [&](const auto& item) { write(item.value(), depth + 1); });
    } else if (value.is_number_float()) {
      write_number(value.get<double>());
    } else {
      write_text(value);
    }
  }

 private:
  /// Names of files and columns need not be UTF-8; a results file is.
  void write_text(const Json& value) {
    out_ += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  template <class Each>
  void write_all(const Json& value, int depth, const char* brackets, bool flat, Each each) {
    out_ += brackets[0];
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out_ += flat && style_.indent > 0 ? ", " : ",";
      if (!flat) new_line(depth + 1);
      each(item);
      first = false;
    }
    if (!first && !flat) new_line(depth);
    out_ += brackets[1];
  }

  void new_line(int depth) {
    if (style_.indent == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' ');
  }

  void write_number(double x) {
    if (std::isfinite(x))
      out_ += shortest(x);
    else if (!style_.python_tokens)
      out_ += "null";
    else
      out_ += std::isnan(x) ? "NaN" : (x > 0 ? "Infinity" : "-Infinity");
  }

  JsonStyle style_;
  std::string out_;
};

}  // namespace

std::string shortest(double x) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string to_text(const Json& value, const JsonStyle& style) {
  Writer writer(style);
  writer.write(value, 0);
  return std::move(writer).take();
}

Json parse_json(std::string_view text, std::string_view name, int most) {
  require_shallow(text, name, most);
  const Prepared prepared = with_stand_ins(text);
  try {
    Json value = Json::parse(prepared.text);
    put_numbers_back(value);
    return value;
  } catch (const Json::exception& e) {
    const auto* syntax = dynamic_cast<const Json::parse_error*>(&e);
    const std::size_t byte = syntax != nullptr ? prepared.original(syntax->byte) : 0;
    throw Error(Error::Kind::input, invalid_json(name, text, byte));
  }
}

const Json& member(const Json& value, std::string_view key) {
  static const Json none;
  if (!value.is_object()) return none;
  const auto found = value.find(std::string(key));
  return found == value.end() ? none : *found;
}

const std::vector<Json>& elements(const Json& value) {
  static const std::vector<Json> none;
  return value.is_array() ? value.get_ref<const Json::array_t&>() : none;
}

}  // namespace assay
