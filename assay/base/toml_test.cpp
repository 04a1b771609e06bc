// SPDX-License-Identifier: Apache-2.0
#include "assay/base/toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/base/unicode.hpp"

namespace assay::toml_test {

TEST(Toml, letters_of_any_script_are_read_as_they_are_written) {
  const Json found = parse_toml("a = \"é\u0334中😀\" # ü\nb = 'Ω'\n\"ß\" = \"\\u00e9\"\n", "t");
  EXPECT_EQ(found.at("a"), "é\u0334中😀");
  EXPECT_EQ(found.at("b"), "Ω");
  EXPECT_EQ(found.at("ß"), "é");
}

TEST(Toml, letters_outside_quotes_are_refused) {
  EXPECT_THAT(test::refusal([] { parse_toml("a = 1\u0334", "t"); }),
              ::testing::HasSubstr("column 6"));
  // The parser takes this quote for the end of a date, not for the beginning of a text.
  EXPECT_THAT(test::refusal([] { parse_toml("a = 1979-09-'27\u0334@", "t"); }),
              ::testing::HasSubstr("not valid TOML"));
}

TEST(Toml, what_cannot_be_told_apart_is_refused) {
  EXPECT_THAT(test::refusal([] { parse_toml("a = \"\\U0010F000é\"", "t"); }),
              ::testing::HasSubstr("not in use"));
  EXPECT_THAT(test::refusal([] { parse_toml("a = 1\nb = \"\xff\"", "t"); }),
              ::testing::HasSubstr("line 2, column 6: not UTF-8"));
  std::string many = "a = \"";
  for (char32_t point = 0x4E00; point < 0x4E00 + 5000; ++point) append_utf8(many, point);
  EXPECT_THAT(test::refusal([&] { parse_toml(many + "\"", "t"); }),
              ::testing::HasSubstr("too many different letters"));
}

}  // namespace assay::toml_test
