// SPDX-License-Identifier: Apache-2.0
#include "assay/base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace half_test {

using namespace assay;

/// By the definition, in doubles.
double by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? NAN : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, every_value_reads_and_returns) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half = {static_cast<std::uint16_t>(bits)};
    const double wanted = by_definition(half.bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(to_float(half)));
      EXPECT_TRUE(std::isnan(to_float(to_half(to_float(half)))));
    } else {
      ASSERT_EQ(to_float(half), wanted) << bits;
      ASSERT_EQ(to_half(to_float(half)).bits, half.bits) << bits;
    }
  }
}

TEST(Half, rounds_to_the_nearest_and_ties_to_even) {
  for (std::uint16_t bits = 0; bits < 0x7c00; ++bits) {
    const Half low = {bits}, high = {static_cast<std::uint16_t>(bits + 1)};
    const double above = bits == 0x7bff ? 65536.0 : by_definition(high.bits);
    const double middle = (by_definition(low.bits) + above) / 2;
    const auto tie = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(tie), middle);
    EXPECT_EQ(to_half(tie).bits, bits % 2 == 0 ? low.bits : high.bits) << bits;
    EXPECT_EQ(to_half(std::nextafter(tie, 0.0F)).bits, low.bits) << bits;
    EXPECT_EQ(to_half(std::nextafter(tie, 1e9F)).bits, high.bits) << bits;
  }
  EXPECT_EQ(to_half(1e-9F).bits, 0);
  EXPECT_EQ(to_half(-1e9F).bits, 0xfc00);
}

}  // namespace half_test
