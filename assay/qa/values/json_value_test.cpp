// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/json_value.hpp"

#include <gtest/gtest.h>

namespace assay::qa::json_value_test {

TEST(JsonValue, what_python_reads) {
  for (const char* text : {"1", " -0.5e+3 ", "NaN", "-Infinity", "true", "null", "[]", "[1, [2]]",
                           "{}", R"({"a": 1, "a": 2})", R"("\ud83d\ude00\u00e9\/")", R"("\ud800")"})
    EXPECT_TRUE(json_of(text).has_value()) << text;
  for (const char* text : {"", "01", "1.", ".5", "+1", "1 2", "[1,]", "{\"a\"}", "{a: 1}", "'a'",
                           "\"\t\"", R"("\q")", R"("\u12")", "nul", "[", "\"a", "{\"a\":1,}"})
    EXPECT_FALSE(json_of(text).has_value()) << text;
}

TEST(JsonValue, the_last_of_equal_keys_and_places) {
  const auto found = json_at(R"(x {"a": 1, "a": [22]} y)", 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->span, (std::pair<std::size_t, std::size_t>(2, 21)));
  EXPECT_EQ(found->member("a")->span, (std::pair<std::size_t, std::size_t>(16, 20)));
  EXPECT_EQ(found->member("b"), nullptr);
  EXPECT_FALSE(json_of(std::string(100000, '[')).has_value());
}

TEST(JsonValue, nesting_is_limited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_TRUE(json_of(nested(200)).has_value());
  EXPECT_FALSE(json_of(nested(201)).has_value());
  EXPECT_FALSE(json_of(std::string(120'000, '[')).has_value());
  EXPECT_TRUE(json_objects_in(std::string(120'000, '{')).empty());
}

}  // namespace assay::qa::json_value_test
