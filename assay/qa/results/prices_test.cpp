// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::qa {
namespace {

std::string refused_row(const std::string& row) {
  return testing::refusal([&] { parse_prices("{\"m\": " + row + "}", "p.json"); });
}

TEST(PriceFile, a_picture_counts_at_most_what_is_stated_rounded_up) {
  const PriceTable table =
      parse_prices(R"({"m": {"input": 1, "output": 2, "image_tokens": 1000.5}})", "p.json");
  EXPECT_EQ(table.find("m")->image_tokens, 1001);
}

TEST(PriceFile, numbers_that_are_no_prices_are_refused) {
  for (const char* number : {"-1", "1e300", "1e999", "NaN", "Infinity", "\"1\""})
    for (const std::string key : {"input", "cache_read", "image_tokens"}) {
      const std::string row =
          "{\"output\": 2, \"" + key + "\": " + number + (key == "input" ? "}" : ", \"input\": 1}");
      EXPECT_THAT(refused_row(row), ::testing::HasSubstr("must be a number from 0 to 1e12")) << row;
    }
}

}  // namespace
}  // namespace assay::qa
