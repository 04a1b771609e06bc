// SPDX-License-Identifier: Apache-2.0
#include "assay/base/command_line.hpp"

#include <gmock/gmock.h>

#include <random>

#include "assay/base/test_files.hpp"

namespace assay::command_line_test {

using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CommandWords, are_split_as_a_shell_splits_them) {
  const struct {
    std::string command;
    CommandWords words;
  } cases[] = {
      {"cat", {"cat"}},
      {"  python3\t w.py \n --a=1 ", {"python3", "w.py", "--a=1"}},
      {"a 'b c' d", {"a", "b c", "d"}},
      {R"(a "b c"d'e f')", {"a", "b cde f"}},
      {R"(a '' "")", {"a", "", ""}},
      {R"(a 'x\y' "x\y" x\y)", {"a", R"(x\y)", R"(x\y)", "xy"}},
      {R"(a "\"\\\$\`" \'\"\ \\)", {"a", "\"\\$`", "'\" \\"}},
      {R"(a 'it'\''s')", {"a", "it's"}},
      {"sh -c 'a | b; echo \"$HOME\" > c'", {"sh", "-c", "a | b; echo \"$HOME\" > c"}},
      {"sh -c \"exit $1\"", {"sh", "-c", "exit $1"}},
      {"a b\\\n c", {"a", "b", "c"}},
      {"a \"b\\\nc\"", {"a", "bc"}},
      {"a * ? [b] ~ # {c} %d !", {"a", "*", "?", "[b]", "~", "#", "{c}", "%d", "!"}},
      {"a \xC3\xA9\xE2\x80\xA6", {"a", "\xC3\xA9\xE2\x80\xA6"}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(command_words(c.command, "--command"), c.words) << c.command;
}

TEST(CommandWords, what_cannot_be_split_is_told) {
  const auto said = [](const std::string& command) {
    return refusal([&] { command_words(command, "--command"); });
  };
  for (const std::string empty : {"", "  \n "})
    EXPECT_EQ(said(empty), "--command is empty; give a program and its arguments");
  EXPECT_EQ(said("a 'b"), "--command has a ' that is not closed");
  EXPECT_EQ(said("a \"b\\\""), "--command has a \" that is not closed");
  EXPECT_EQ(said("a b\\"), "--command ends with a backslash, which has nothing to quote");
  for (const char c : std::string("|&;<>()$`"))
    EXPECT_EQ(said(std::string("a b") + c + "d"),
              std::string("--command has a '") + c +
                  "' outside of quotes, which only a shell understands; quote it, or start a "
                  "shell: sh -c '…'");
}

TEST(CommandWords, a_value_stays_inside_its_word) {
  const CommandWords words = command_words("w {model} --at={model}:{model} '{model}'", "--command");
  const std::string value = "m;touch PWNED; 'a' \"$(b)\" {model}/x y";
  EXPECT_THAT(with_value(words, "{model}", value),
              ElementsAre("w", value, "--at=" + value + ":" + value, value));
  EXPECT_EQ(with_value({"a"}, "{model}", "b"), CommandWords{"a"});
}

TEST(CommandWords, text_reads_back_equal) {
  EXPECT_EQ(command_text({"python3", "w.py", "--a=1"}), "python3 w.py --a=1");
  EXPECT_EQ(command_text({"ls", "{a,b}", "$x", "-y"}), "ls '{a,b}' '$x' -y");
  EXPECT_EQ(command_text({"sh", "-c", "it's; x", ""}), R"(sh -c 'it'\''s; x' '')");
  std::mt19937 random(1);
  const std::string letters = "ab '\"\\$`|;\n\t*{}=é";
  for (int i = 0; i < 2000; ++i) {
    CommandWords words(1 + random() % 4);
    for (std::string& word : words)
      for (unsigned k = 0; k < random() % 6; ++k) word += letters[random() % letters.size()];
    EXPECT_EQ(command_words(command_text(words), "x"), words) << command_text(words);
  }
}

}  // namespace assay::command_line_test
