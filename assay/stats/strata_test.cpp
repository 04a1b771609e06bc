// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/strata.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.hpp"

using namespace assay;
using namespace assay::stats;

namespace {
using Codes = std::vector<std::size_t>;
}

TEST(Strata, a_value_on_an_edge_belongs_to_the_lower_bin) {
  // The quartiles of 1..5 are 2, 3 and 4.
  const QuantileBins found = quantile_bins(std::vector<double>{5, 1, 2, 3, 4}, 4);
  EXPECT_EQ(found.edges, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(found.codes, (Codes{3, 0, 0, 1, 2}));
}

TEST(Strata, equal_values_stay_together) {
  const QuantileBins found = quantile_bins(std::vector<double>{7, 7, 7, 7, 9, 8}, 3);
  EXPECT_EQ(found.codes, (Codes{0, 0, 0, 0, 2, 2}));
}

TEST(Strata, bins_of_distinct_values_are_even) {
  std::vector<double> values(120);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 37 % 120);
  for (const std::size_t bins : {2U, 3U, 4U, 5U, 8U, 10U}) {
    std::vector<int> counts(bins);
    for (const std::size_t code : quantile_bins(values, bins).codes) ++counts[code];
    for (const int count : counts) EXPECT_EQ(count, 120 / static_cast<int>(bins)) << bins;
  }
}

TEST(Strata, what_cannot_be_cut_is_refused) {
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, 3}, 1), Error);
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, 3}, 4), Error);
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, NAN}, 2), Error);
}

TEST(Strata, members_are_counted_by_class_and_fold) {
  EXPECT_EQ(members(Codes{0, 1, 1, 0, 1}, {0, 0, 1, 1, 1}, 2),
            (std::vector<std::vector<std::size_t>>{{1, 1}, {1, 2}}));
  EXPECT_TRUE(members(Codes{}, {}, 2).empty());
}
