// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/agent/prompt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::qa::prompt_test {

using testing::HasSubstr;

std::string question_about(std::optional<double> microns) {
  return question_text("How many?", {.width = 30, .height = 20, .microns_per_pixel = microns});
}

TEST(Instructions, an_implausible_pixel_size_is_told_as_an_unknown_one) {
  for (const double implausible : {1e-9, 0.0499, 20.01, 352.8, 1e9})
    EXPECT_EQ(question_about(implausible), question_about(std::nullopt)) << implausible;
  for (const double plausible : {0.05, 0.25, 0.5, 20.0})
    EXPECT_NE(question_about(plausible), question_about(std::nullopt)) << plausible;
  EXPECT_THAT(question_about(0.25), HasSubstr("0.25"));
}

}  // namespace assay::qa::prompt_test
