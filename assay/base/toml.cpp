// SPDX-License-Identifier: Apache-2.0
#include "assay/base/toml.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "assay/base/ascii.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

[[noreturn]] void fail(std::string_view name, const toml::source_position& at, const char* what) {
  throw Error(Error::Kind::input, std::string(name),
              fmt::format("line {}, column {}: {}", at.line, at.column, what));
}

[[noreturn]] void fail_nested(std::string_view name, const toml::source_position& at) {
  throw Error(Error::Kind::input, std::string(name),
              nested_too_deeply(fmt::format("line {}, column {}", at.line, at.column)));
}

/// Where the library expects a blank, letters such as U+0334 lead it to code that it calls
/// unreachable. So each letter that is not ASCII is replaced by one of the private use area, one
/// for one, which keeps columns the same.
class StandIns {
 public:
  /// Throws Error::input when the text is not UTF-8, has more different letters than that area, or
  /// names a letter of that area itself.
  StandIns(std::string_view text, std::string_view name) {
    if (const auto at = invalid_utf8_at(text))
      throw Error(Error::Kind::input, std::string(name), place_in(text, *at) + ": not UTF-8");
    for (const char* escape : {"\\U0010F", "\\U0010f"})
      if (text.find(escape) != std::string_view::npos)
        throw Error(Error::Kind::input, std::string(name), "has a letter that is not in use");
    for (const char32_t point : characters(text).points) append_utf8(text_, stand_in(point, name));
  }

  const std::string& text() const { return text_; }
  /// The text that was meant by a text from the library.
  std::string meant(std::string_view text) const {
    std::string out;
    for (const char32_t point : characters(text).points)
      append_utf8(out, point < first || point > last ? point : letters_[point - first]);
    return out;
  }

 private:
  static constexpr char32_t first = 0x10F000, last = 0x10FFFD;  // of plane 16, for private use

  char32_t stand_in(char32_t point, std::string_view name) {
    if (point < 0x80) return point;
    const auto [place, is_new] = numbers_.try_emplace(point, letters_.size());
    if (is_new) letters_ += point;
    if (place->second > last - first)
      throw Error(Error::Kind::input, std::string(name), "has too many different letters");
    return first + static_cast<char32_t>(place->second);
  }

  std::map<char32_t, std::size_t> numbers_;
  std::u32string letters_;
  std::string text_;
};

/// `depth` counts tables and arrays, the node's own included.
Json json_of(const toml::node& node, const StandIns& letters, std::string_view name,
             int depth = 1) {
  if (node.is_table() || node.is_array())
    if (depth > deepest_nesting) fail_nested(name, node.source().begin);
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table)
      out[letters.meant(key.str())] = json_of(value, letters, name, depth + 1);
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    for (const toml::node& value : *array) out.push_back(json_of(value, letters, name, depth + 1));
    return out;
  }
  if (const auto* text = node.as_string()) return letters.meant(text->get());
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  fail(name, node.source().begin, "dates and times are not allowed here");
}

/// The end of what starts at `at`: text in quotes, a comment, or one character.
std::size_t token_end(std::string_view line, std::size_t at) {
  const char first = line[at];
  if (first == '#') return line.size();
  if (first != '"' && first != '\'') return at + 1;
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == first) return i + 1;
    if (line[i] == '\\' && first == '"') ++i;
  }
  return line.size();
}

/// Tracks how deeply tables and arrays are nested. A bracket opens one, and so does every dot of a
/// key. A dot of a number counts as well, which adds at most one.
class Nesting {
 public:
  void take(char c) {
    switch (c) {
      case '.': ++dots_; return;
      case '[':
      case '{':
        around_.push_back(depth_);
        depth_ += 1 + dots_;
        break;
      case ']':
      case '}':
        if (around_.empty()) return;  // not TOML, which the parser says
        depth_ = around_.back();
        around_.pop_back();
        break;
      case ',': break;
      default: return;
    }
    dots_ = 0;
  }
  void end_line() {
    if (around_.empty()) dots_ = 0;
  }
  bool is_outside() const { return around_.empty(); }
  bool too_deep() const { return depth_ + dots_ > deepest_nesting; }

 private:
  std::vector<int> around_;
  int depth_ = 1, dots_ = 0;  // 1: the file is a table
};

/// Where a table's name begins that has an invalid start, such as [.a]; the end of the line if
/// there is none. A header without any name is left to the parser.
std::size_t misnamed_table(std::string_view line) {
  constexpr std::string_view blank = " \t", starts = "_-\"']";
  const std::size_t bracket = std::min(line.find_first_not_of(blank), line.size());
  if (bracket == line.size() || line[bracket] != '[') return line.size();
  const std::size_t inner = bracket + (line.substr(bracket, 2) == "[[" ? 2 : 1);
  const std::size_t first = std::min(line.find_first_not_of(blank, inner), line.size());
  if (first == line.size()) return line.size();
  const bool is_named =
      is_ascii_word(line[first]) || starts.find(line[first]) != std::string_view::npos;
  return is_named ? line.size() : first;
}

/// The library recurses. It also reaches code that it calls unreachable if there are other letters
/// outside quotes and comments, or if a table's name starts with a dot. So it never gets such text.
/// Text over several lines is refused because lines are checked one by one.
void require_plain(std::string_view line, const toml::source_position& start, std::string_view name,
                   Nesting& nesting) {
  const std::size_t misnamed = nesting.is_outside() ? misnamed_table(line) : line.size();
  if (misnamed < line.size())
    fail(name, {start.line, static_cast<toml::source_index>(misnamed + 1)},
         "the name of a table starts with a letter, a digit, _, - or a quote");
  for (std::size_t at = 0; at < line.size(); at = token_end(line, at)) {
    const toml::source_position here = {start.line, static_cast<toml::source_index>(at + 1)};
    const std::string_view rest = line.substr(at, 3);
    if (rest == "\"\"\"" || rest == "'''")
      fail(name, here, "text over several lines is not allowed here; use one pair of quotes");
    if (static_cast<unsigned char>(line[at]) >= 0x80)
      fail(name, here, "letters other than a to z are allowed only in quotes and comments");
    nesting.take(line[at]);
    if (nesting.too_deep()) fail_nested(name, here);
  }
  nesting.end_line();
}

void require_plain_lines(std::string_view text, std::string_view name) {
  toml::source_position at = {1, 1};
  Nesting nesting;
  for (const std::string_view line : parts_of(text, '\n')) {
    require_plain(line, at, name, nesting);
    ++at.line;
  }
}

}  // namespace

Json parse_toml(std::string_view text, std::string_view name) {
  require_plain_lines(text, name);
  const StandIns letters(text, name);
  try {
    return json_of(toml::parse(letters.text()), letters, name);
  } catch (const toml::parse_error& e) {
    fail(name, e.source().begin,
         "not valid TOML; write each line as key = value, put text in quotes, and use each key "
         "once");
  }
}

}  // namespace assay
