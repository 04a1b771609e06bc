// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/rate_limit.hpp"

#include <gtest/gtest.h>

namespace assay::qa::rate_limit_test {

using namespace std::chrono_literals;
const RateLimit::Clock::time_point start = RateLimit::Clock::time_point{} + 1h;

double seconds(RateLimit::Clock::time_point time) {
  return std::chrono::duration<double>(time - start).count();
}

TEST(RateLimit, requests_are_spaced_evenly) {
  RateLimit limit(60, 0);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(seconds(limit.next(1000, start)), i, 1e-6);
}

TEST(RateLimit, tokens_count_what_they_take) {
  RateLimit limit(0, 6000);
  EXPECT_NEAR(seconds(limit.next(1000, start)), 0, 1e-6);
  EXPECT_NEAR(seconds(limit.next(1000, start)), 10, 1e-6);
  limit.give_back(500);
  EXPECT_NEAR(seconds(limit.next(1, start)), 15, 1e-6);
}

TEST(RateLimit, unused_time_is_not_saved_up) {
  RateLimit limit(60, 0);
  limit.next(1, start);
  EXPECT_NEAR(seconds(limit.next(1, start + 10s)), 10, 1e-6);
  EXPECT_NEAR(seconds(limit.next(1, start + 10s)), 11, 1e-6);
}

TEST(RateLimit, pause_holds_everybody) {
  RateLimit limit(0, 0);
  EXPECT_NEAR(seconds(limit.next(1, start)), 0, 1e-6);
  limit.pause_until(start + 30s);
  EXPECT_NEAR(seconds(limit.next(1, start)), 30, 1e-6);
}

}  // namespace assay::qa::rate_limit_test
