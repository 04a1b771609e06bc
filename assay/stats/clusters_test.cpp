// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.hpp"
#include "assay/stats/moments.hpp"

namespace clusters_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
using Ids = std::vector<std::size_t>;

TEST(Clusters, worked_by_hand) {
  // Residuals -1 -1 | 1 1: sums -2 and 2, variance 2/1 * 8 / 16 = 1
  const ClusteredMean found = clustered_mean(Values{0, 0, 2, 2}, Ids{5, 5, 9, 9});
  EXPECT_EQ(found.interval.estimate, 1);
  EXPECT_DOUBLE_EQ(found.standard_error, 1);
  EXPECT_DOUBLE_EQ(found.design_effect, 3);  // against (4/3) / 4
  EXPECT_EQ(found.clusters, 2U);
  EXPECT_NEAR(found.interval.upper - 1, 12.706204736432095, 1e-9);
}

TEST(Clusters, of_one_member_each_are_independent) {
  const Values values = {1, 4, 2, 8, 5};
  const ClusteredMean found = clustered_mean(values, Ids{0, 1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(found.standard_error, standard_deviation(values, 1) / std::sqrt(5.0));
  EXPECT_NEAR(found.design_effect, 1, 1e-12);
}

TEST(Clusters, members_in_order_of_appearance) {
  using Members = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(cluster_members(Ids{7, 3, 7}), (Members{{0, 2}, {1}}));
  EXPECT_THROW(clustered_mean(Values{1, 2}, Ids{1, 1}), Error);
  EXPECT_THROW(clustered_mean(Values{1, 2}, Ids{1}), Error);
}

}  // namespace clusters_test
