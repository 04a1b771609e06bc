// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/retry_backoff.hpp"

#include <gtest/gtest.h>

namespace assay::qa::retry_backoff_test {

TEST(RetryBackoff, pauses_double_up_to_the_longest) {
  const RetrySettings retry = {.first_wait_s = 1, .longest_wait_s = 60};
  const double expected[] = {1, 2, 4, 8, 16, 32, 60, 60};
  for (unsigned failures = 1; failures <= 8; ++failures) {
    EXPECT_EQ(backoff_s(retry, failures, 1, {}), expected[failures - 1]);
    EXPECT_EQ(backoff_s(retry, failures, 0.5, {}), expected[failures - 1] / 2);
  }
  EXPECT_EQ(backoff_s(retry, 5000, 1, {}), 60);
}

TEST(RetryBackoff, a_server_gets_the_pause_it_asks_for_within_an_hour) {
  const RetrySettings retry;
  EXPECT_EQ(backoff_s(retry, 1, 0.5, 20), 20);
  EXPECT_EQ(backoff_s(retry, 6, 1, 20), 32) << "it may wait longer";
  EXPECT_EQ(backoff_s(retry, 1, 1, 86400), longest_asked_wait_s);
}

}  // namespace assay::qa::retry_backoff_test
