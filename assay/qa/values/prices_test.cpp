// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::qa::prices_test {

constexpr Prices gpt = {
    .input = 1.25, .output = 10, .cache_write = std::nullopt, .cache_read = 0.125};

TEST(Prices, each_class_has_its_price) {
  const Usage usage = {.input = 1'000'000,
                       .cache_write = std::nullopt,
                       .cache_read = 2'000'000,
                       .output = 100'000,
                       .reasoning = 50'000};
  EXPECT_DOUBLE_EQ(cost_usd(usage, gpt).value(), 1.25 + 0.25 + 1.0);
}

TEST(Prices, unknown_usage_is_not_free) {
  EXPECT_EQ(cost_usd({}, gpt), std::nullopt);
  EXPECT_EQ(cost_usd({.input = 5}, gpt), std::nullopt);
}

TEST(Prices, exact_name_beats_prefix_and_longer_prefix_beats_shorter) {
  const PriceTable table = {
      {{"gpt-*", {.input = 1}}, {"gpt-5*", {.input = 2}}, {"gpt-5", {.input = 3}}}};
  EXPECT_EQ(table.find("gpt-5")->input, 3);
  EXPECT_EQ(table.find("gpt-5-mini")->input, 2);
  EXPECT_EQ(table.find("gpt-4o")->input, 1);
  EXPECT_EQ(table.find("claude"), nullptr);
}

TEST(Prices, worst_case_bounds_text_by_bytes_and_pictures_by_pixels) {
  const ChatImage image = {std::make_shared<const std::string>("x"), "h", 1000, 1000};
  const Chat chat = {{Role::user, {std::string(400, 'a'), image}}};
  const TokenBound bound = worst_case(chat, 100, {});
  EXPECT_GE(bound.input, 400 + 1000 * 1000 / 196);
  EXPECT_EQ(bound.output, 100);
  const TokenBound told = worst_case(chat, 100, {.image_tokens = 1600});
  EXPECT_LT(told.input, 400 + 1600 + 100);
  EXPECT_GE(told.input, 400 + 1600);
}

TEST(Prices, worst_cost_takes_the_dearest_class_of_input) {
  EXPECT_DOUBLE_EQ(worst_cost_usd({1'000'000, 0}, {.input = 1, .output = 0, .cache_write = 1.25}),
                   1.25);
}

std::string refused_row(const std::string& row) {
  return test::refusal([&] { parse_prices("{\"m\": " + row + "}", "p.json"); });
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

}  // namespace assay::qa::prices_test
