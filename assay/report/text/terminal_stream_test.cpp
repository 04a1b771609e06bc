// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/terminal_stream.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report::terminal_stream_test {

std::string shown(const std::string& text, Passes passes = {}) {
  std::ostringstream out;
  TerminalStream stream(out, passes);
  stream << text;
  return out.str();
}

TEST(Terminal, plain_text_passes) {
  for (const char* text : {"", "abc\n\ndef\n", "Grüße · 5 µm – 日本\n", "\n"})
    EXPECT_EQ(shown(text), text);
}

TEST(Terminal, what_a_terminal_acts_on_is_shown) {
  const std::pair<std::string, std::string> cases[] = {
      {"a\x1b[31mb", "a\\x1b[31mb"},
      {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
      {"a\rb\tc\bd\x7f", "a\\x0db\\x09c\\x08d\\x7f"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},  // the 8-bit CSI, as UTF-8
      {"\x9b"
       "31m",
       "\\x9b31m"},                         // and as a bare byte
      {"\xff\xc3(", "\\xff\\xc3("},         // bytes that are not UTF-8
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // half a surrogate pair
      {"a\xe2\x80\xae"
       "b",
       "a\\u202eb"},                                   // right-to-left override
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},  // isolates
      {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u200e\\u200f\\u061c"},
      {"\xe2\x80\xa8", "\\u2028"},
      {"\xef\xbf\xbd", "\xef\xbf\xbd"},  // the replacement character itself
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(shown(text), expected);
    EXPECT_EQ(printable(text), expected);
  }
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
}

TEST(Terminal, our_own_bold_passes_where_it_may) {
  const std::string text = bold("title", true) + "\x1b[2J\n";
  EXPECT_EQ(shown(text, {.colors = true}), "\x1b[1mtitle\x1b[0m\\x1b[2J\n");
  EXPECT_EQ(shown(text), "\\x1b[1mtitle\\x1b[0m\\x1b[2J\n");
  EXPECT_EQ(shown("a\tb\x1b\t", {.tabs = true}), "a\tb\\x1b\t");
}

TEST(Terminal, commands_go_past_the_filter_in_order) {
  std::ostringstream out;
  TerminalStream stream(out, {});
  stream << "a" << clear_line << "b\x1b[K" << clear_screen << 12;
  EXPECT_EQ(out.str(), "a\r\x1b[Kb\\x1b[K\x1b[H\x1b[J12");
  std::ostringstream plain;
  plain << clear_line;
  EXPECT_EQ(plain.str(), "\r\x1b[K");
}

TEST(Terminal, a_copy_has_the_text_without_colours_and_knows_where_a_line_starts_anew) {
  std::ostringstream out, copy;
  TerminalStream stream(out, {.colors = true}, &copy);
  stream << "half" << clear_line << bold("title", true) << "\x1b[2J\n";
  EXPECT_EQ(out.str(), "half\r\x1b[K\x1b[1mtitle\x1b[0m\\x1b[2J\n");
  EXPECT_EQ(copy.str(), "half\rtitle\\x1b[2J\n");
}

TEST(Terminal, a_failure_of_the_stream_is_seen) {
  std::ostringstream out;
  TerminalStream stream(out, {});
  out.setstate(std::ios::badbit);
  stream << "text";
  EXPECT_FALSE(stream);
}

}  // namespace assay::report::terminal_stream_test
