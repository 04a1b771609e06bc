// SPDX-License-Identifier: Apache-2.0
#include "assay/base/decimal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace assay::decimal_test {

double decimal(const std::string& text) {
  double value = -77;
  const auto read = read_decimal(text, value);
  EXPECT_EQ(read.ec, std::errc{}) << text;
  EXPECT_EQ(read.ptr, text.data() + text.size()) << text;
  return value;
}

TEST(Decimal, beyond_a_double_it_is_infinity_or_zero) {
  const std::string zeros(400, '0'), nines(400, '9');
  const std::pair<std::string, double> cases[] = {
      {"1e999", INFINITY},
      {"-1e999", -INFINITY},
      {"1e-999", 0.0},
      {"-1e-999", -0.0},
      {nines, INFINITY},
      {"0." + zeros + "1", 0.0},
      {"0." + zeros + "1e800", INFINITY},
      {"1" + zeros + "e-800", 0.0},
      {"1e99999999999999999999", INFINITY},
      {"1E-99999999999999999999", 0.0},
      {"1e+400", INFINITY},
      {"1.7976931348623159e308", INFINITY},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"4.9406564584124654e-324", 4.9406564584124654e-324},
      {"2e-324", 0.0},
      {"0e999", 0.0},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(decimal(text), expected) << text;
    EXPECT_EQ(std::signbit(decimal(text)), std::signbit(expected)) << text;
    EXPECT_EQ(decimal(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Decimal, equals_the_c_library_on_random_numbers) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    for (std::size_t d = 1 + random() % 25; d > 0; --d)
      text += static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0) text.insert(text.size() - random() % 2, ".");
    if (text.ends_with('.') || text.starts_with('.')) text += '0';
    text += "e" + std::to_string(static_cast<int>(random() % 800) - 400);
    EXPECT_EQ(decimal(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Decimal, other_text_is_refused_as_before) {
  double value = 0;
  EXPECT_EQ(read_decimal("x", value).ec, std::errc::invalid_argument);
  const std::string_view text = "1.5,2";
  EXPECT_EQ(read_decimal(text, value).ptr, text.data() + 3);
}

}  // namespace assay::decimal_test
