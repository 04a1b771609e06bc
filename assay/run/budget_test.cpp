// SPDX-License-Identifier: Apache-2.0
#include "assay/run/budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace assay {
namespace {

const auto never = [] { return false; };

TEST(Budget, ExactlyWhatFitsIsSpent) {
  Budget budget(2.0, 0.0);
  int calls = 0;
  while (budget.reserve(1.0, never)) {
    budget.settle(1.0, 1.0);
    ++calls;
  }
  EXPECT_EQ(calls, 2);
  EXPECT_DOUBLE_EQ(budget.spent(), 2.0);
}

TEST(Budget, TenTimesATenthFitIntoOne) {
  Budget budget(1.0, 0.0);
  int calls = 0;
  for (; budget.reserve(0.1, never); ++calls) budget.settle(0.1, 0.1);
  EXPECT_EQ(calls, 10);
}

TEST(Budget, EarlierSpendingCounts) {
  Budget budget(1.0, 0.95);
  EXPECT_FALSE(budget.reserve(0.1, never));
}

TEST(Budget, WithoutALimitEverythingFits) {
  Budget budget(std::nullopt, 0);
  EXPECT_TRUE(budget.reserve(1e9, never));
  budget.settle(1e9, 3.0);
  EXPECT_DOUBLE_EQ(budget.spent(), 3.0);
}

TEST(Budget, NeverExceededByManyWorkers) {
  // Calls cost a tenth of what they may cost, so they must wait for each other to fit.
  Budget budget(1.0, 0.0);
  std::atomic<int> calls = 0;
  std::atomic<bool> exceeded = false;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 16; ++i)
      workers.emplace_back([&] {
        while (budget.reserve(0.25, never)) {
          ++calls;
          budget.settle(0.25, 0.025);
          if (budget.spent() > 1.0 + 1e-9) exceeded = true;
        }
      });
  }
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(calls, 31);  // the 31st still fits: 30 * 0.025 + 0.25 = 1
}

TEST(Budget, StoppingEndsTheWait) {
  Budget budget(1.0, 0.0);
  ASSERT_TRUE(budget.reserve(1.0, never));
  EXPECT_FALSE(budget.reserve(0.5, [] { return true; }));
}

}  // namespace
}  // namespace assay
