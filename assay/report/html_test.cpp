// SPDX-License-Identifier: Apache-2.0
#include "assay/report/html.hpp"

#include <gtest/gtest.h>

namespace html_test {

using namespace assay::report;

TEST(Typeset, minus_signs_are_minus_signs) {
  EXPECT_EQ(typeset("difference -0.112 (95 CI -0.458 to -0.008)"),
            "difference \u22120.112 (95 CI \u22120.458 to \u22120.008)");
  EXPECT_EQ(typeset("-1"), "\u22121");
}

TEST(Typeset, hyphens_of_names_and_words_stay) {
  for (const char* text : {"sub-009", "two-sided", "a - b", "-", "x -y"})
    EXPECT_EQ(typeset(text), text);
}

TEST(Typeset, units_stay_with_their_numbers) {
  EXPECT_EQ(typeset("95 % of 4 mm, 3 mL"), "95\u00A0% of 4\u00A0mm, 3\u00A0mL");
  EXPECT_EQ(typeset("4 mmol of a % and 3 models"), "4 mmol of a % and 3 models");
  EXPECT_EQ(typeset("; n = 12 items"), "; n\u00A0=\u00A012 items");
  EXPECT_EQ(typeset("n = 2"), "n\u00A0=\u00A02");
  EXPECT_EQ(typeset(" n"), " n");
}

}  // namespace html_test
