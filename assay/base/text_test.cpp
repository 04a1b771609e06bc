// SPDX-License-Identifier: Apache-2.0
#include "assay/base/text.hpp"

#include <gmock/gmock.h>

namespace assay::text_test {

using testing::ElementsAre;

TEST(Text, blanks_are_cut_off_at_either_end) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("--a-b-", "-"), "a-b");
  EXPECT_EQ(trimmed_end(" a \n"), " a");
}

TEST(Text, marks_and_first_signs) {
  EXPECT_EQ(without_mark("\xEF\xBB\xBF{"), "{");
  EXPECT_EQ(without_mark("\xEF\xBB"), "\xEF\xBB");
  EXPECT_EQ(first_sign(" \n{"), '{');
  EXPECT_EQ(first_sign(" \n"), '\0');
}

TEST(Text, case_is_changed_in_ascii_only) {
  EXPECT_EQ(ascii_lowered("AZaz@[`{É9"), "azaz@[`{É9");
  EXPECT_EQ(ascii_uppered("AZaz@[`{é9"), "AZAZ@[`{é9");
}

TEST(Text, parts_between_separators) {
  EXPECT_THAT(parts_of("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(parts_of("a,", ','), ElementsAre("a", ""));
  EXPECT_THAT(parts_of("", ','), ElementsAre(""));
}

TEST(Text, replaces_without_looking_at_what_it_put_there) {
  EXPECT_EQ(replaced("aXbX", "X", "XX"), "aXXbXX");
  EXPECT_EQ(replaced("/r//r/x", "/r/", ""), "x");
}

TEST(Text, excerpts_keep_characters_whole) {
  EXPECT_EQ(excerpt("short"), "short");
  EXPECT_EQ(excerpt("abcé", 4), "abc...");
  EXPECT_EQ(excerpt("abcé", 5), "abcé");
  EXPECT_EQ(beginning("é", 1), "");
  EXPECT_EQ(character_count("aé↑"), 3U);
}

TEST(Text, words_are_joined_and_counted) {
  struct Row {
    std::string name;
  };
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, " and "), "a and b");
  EXPECT_EQ(joined(std::vector<Row>{{"a"}, {"b"}}, ", ", &Row::name), "a, b");
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
}

}  // namespace assay::text_test
