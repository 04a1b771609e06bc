// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace assay::qa::budget_test {

const auto never = [] { return false; };

TEST(Budget, exactly_what_fits_is_spent) {
  Budget budget(2.0, {});
  int calls = 0;
  while (const auto reserve = budget.reserve(1.0, never)) {
    budget.settle(*reserve, 1.0);
    ++calls;
  }
  EXPECT_EQ(calls, 2);
  EXPECT_DOUBLE_EQ(budget.spent(), 2.0);
}

TEST(Budget, ten_times_a_tenth_fit_into_one) {
  Budget budget(1.0, {});
  int calls = 0;
  while (const auto reserve = budget.reserve(0.1, never)) {
    budget.settle(*reserve, 0.1);
    ++calls;
  }
  EXPECT_EQ(calls, 10);
}

TEST(Budget, earlier_spending_counts) {
  Budget budget(1.0, {.spent_usd = 0.95});
  EXPECT_FALSE(budget.reserve(0.1, never));
}

TEST(Budget, without_a_limit_everything_fits) {
  Budget budget(std::nullopt, {});
  const auto reserve = budget.reserve(1e9, never);
  ASSERT_TRUE(reserve);
  budget.settle(*reserve, 3.0);
  EXPECT_DOUBLE_EQ(budget.spent(), 3.0);
}

TEST(Budget, never_exceeded_by_many_workers) {
  // Calls cost a tenth of what they may cost, so they must wait for each other to fit.
  Budget budget(1.0, {});
  std::atomic<int> calls = 0;
  std::atomic<bool> exceeded = false;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 16; ++i)
      workers.emplace_back([&] {
        while (const auto reserve = budget.reserve(0.25, never)) {
          ++calls;
          budget.settle(*reserve, 0.025);
          if (budget.spent() > 1.0 + 1e-9) exceeded = true;
        }
      });
  }
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(calls, 31);  // the 31st still fits: 30 * 0.025 + 0.25 = 1
}

TEST(Budget, stopping_ends_the_wait) {
  Budget budget(1.0, {});
  ASSERT_TRUE(budget.reserve(1.0, never));
  EXPECT_FALSE(budget.reserve(0.5, [] { return true; }));
}

TEST(Budget, later_calls_set_the_largest_excess_aside) {
  Budget budget(1.0, {});
  const auto first = budget.reserve(0.1, never), second = budget.reserve(0.1, never);
  EXPECT_EQ(first->set_aside_usd(), 0.1);
  budget.settle(*first, 0.3);
  EXPECT_DOUBLE_EQ(budget.largest_excess(), 0.2);
  budget.settle(*second, 0.05);
  const auto third = budget.reserve(0.1, never);
  EXPECT_DOUBLE_EQ(third->set_aside_usd(), 0.3);
  EXPECT_DOUBLE_EQ(third->margin_usd, 0.2);
  budget.settle(*third, 0.3);
  EXPECT_DOUBLE_EQ(budget.largest_excess(), 0.2) << "it is measured from the bound";
  EXPECT_DOUBLE_EQ(budget.spent(), 0.65);
  EXPECT_TRUE(budget.reserve(0.14, never));
  EXPECT_FALSE(budget.reserve(0.02, [] { return true; }));
}

TEST(Budget, excess_of_earlier_starts_counts) {
  Budget budget(1.0, {.spent_usd = 0.5, .possible_usd = 0.1, .largest_excess_usd = 0.25});
  EXPECT_FALSE(budget.reserve(0.2, never));
  EXPECT_TRUE(budget.reserve(0.15, never));
}

TEST(Budget, without_a_price_nothing_is_an_excess) {
  Budget budget(std::nullopt, {});
  budget.settle(*budget.reserve(0, never), 5.0);
  EXPECT_EQ(budget.largest_excess(), 0.0);
}

}  // namespace assay::qa::budget_test
