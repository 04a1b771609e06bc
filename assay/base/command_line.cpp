// SPDX-License-Identifier: Apache-2.0
#include "assay/base/command_line.hpp"

#include <algorithm>

#include "assay/base/ascii.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view only_for_a_shell = "|&;<>()$`";

class Splitter {
 public:
  Splitter(std::string_view command, std::string_view option) : rest_(command), option_(option) {}

  CommandWords words() {
    CommandWords out;
    for (skip_blanks(); !rest_.empty(); skip_blanks()) out.push_back(word());
    if (out.empty()) fail("is empty; give a program and its arguments");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(Error::Kind::usage, std::string(option_) + " " + sentence);
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string word() {
    std::string out;
    while (!rest_.empty() && blanks.find(rest_.front()) == blanks.npos) {
      const char c = take();
      if (c == '\'')
        out += literal();
      else if (c == '"')
        out += quoted();
      else if (c == '\\')
        out += escaped();
      else if (only_for_a_shell.find(c) != only_for_a_shell.npos)
        refuse(c);
      else
        out += c;
    }
    return out;
  }

  /// After a single quote, up to the next.
  std::string literal() {
    const std::size_t end = rest_.find('\'');
    if (end == rest_.npos) fail("has a ' that is not closed");
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return out;
  }

  /// After a double quote, up to the next.
  std::string quoted() {
    std::string out;
    for (;;) {
      if (rest_.empty()) fail("has a \" that is not closed");
      const char c = take();
      if (c == '"') return out;
      const bool takes_next = c == '\\' && !rest_.empty() &&
                              std::string_view("\"\\$`\n").find(rest_.front()) != rest_.npos;
      if (!takes_next)
        out += c;
      else if (const char next = take(); next != '\n')
        out += next;
    }
  }

  /// After a backslash. A line break there continues with the next line.
  std::string escaped() {
    if (rest_.empty()) fail("ends with a backslash, which has nothing to quote");
    const char c = take();
    return c == '\n' ? std::string() : std::string(1, c);
  }

  [[noreturn]] void refuse(char c) const {
    fail(std::string("has a '") + c +
         "' outside of quotes, which only a shell understands; quote it, or start a shell: "
         "sh -c '…'");
  }

  std::string_view rest_, option_;
};

bool is_plain(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return is_ascii_word(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("_-./:=,+@%^").find(c) != std::string_view::npos;
  });
}

}  // namespace

CommandWords command_words(std::string_view command, std::string_view option) {
  return Splitter(command, option).words();
}

CommandWords with_value(CommandWords words, std::string_view mark, const std::string& value) {
  for (std::string& word : words)
    for (std::size_t at = 0; (at = word.find(mark, at)) != word.npos; at += value.size())
      word.replace(at, mark.size(), value);
  return words;
}

std::string shell_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_text(const CommandWords& words) {
  return joined(words, " ", shell_word);
}

}  // namespace assay
