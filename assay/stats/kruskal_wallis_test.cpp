// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/kruskal_wallis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"

namespace kruskal_wallis_test {

using namespace assay;
using namespace assay::stats;

using Groups = std::vector<std::vector<double>>;

TEST(KruskalWallis, by_hand) {
  // Ranks 1, 3, 5, 7, 9 and 2, 4, 6, 8, 10: sums 25 and 30, H = 12 / 110 (125 + 180) - 33 = 3 / 11.
  const KruskalWallis found = kruskal_wallis(Groups{{1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}});
  EXPECT_NEAR(found.h, 3.0 / 11, 1e-12);
  EXPECT_EQ(found.df, 1);
  EXPECT_NEAR(found.pvalue, std::erfc(std::sqrt(3.0 / 11 / 2)), 1e-12);
}

TEST(KruskalWallis, ties_are_corrected_for) {
  // Mid-ranks 2, 2, 2, 4, 5 over 1, 1, 1, 2, 3: sums 4 and 11, H = 2.4 / 0.8.
  const KruskalWallis found = kruskal_wallis(Groups{{1, 1}, {1, 2, 3}});
  EXPECT_NEAR(found.h, (12.0 / 30 * (8 + 121.0 / 3) - 18) / 0.8, 1e-12);
}

TEST(KruskalWallis, without_contrast_there_is_nothing_to_find) {
  EXPECT_EQ(kruskal_wallis(Groups{}).pvalue, 1);
  EXPECT_EQ(kruskal_wallis(Groups{{1, 2, 3}, {}}).pvalue, 1);
  EXPECT_EQ(kruskal_wallis(Groups{{2, 2}, {2}, {2, 2}}).pvalue, 1);
  EXPECT_THROW(kruskal_wallis(Groups{{1, NAN}, {2}}), Error);
}

TEST(KruskalWallis, keeps_its_level_and_finds_a_shift) {
  Generator generator(SeedSequence(std::vector<std::uint32_t>{11}));
  int alike = 0, shifted = 0;
  constexpr int times = 2000;
  for (int k = 0; k < times; ++k) {
    Groups groups(3), moved(3);
    for (std::size_t g = 0; g < 3; ++g)
      for (int i = 0; i < 12; ++i) {
        const double x = generator.uniform();
        groups[g].push_back(x * x);
        moved[g].push_back(x * x + (g == 2 ? 0.5 : 0.0));
      }
    alike += kruskal_wallis(groups).pvalue <= 0.05 ? 1 : 0;
    shifted += kruskal_wallis(moved).pvalue <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(alike, times * 0.03);
  EXPECT_LT(alike, times * 0.06);
  EXPECT_GT(shifted, times * 0.9);
}

}  // namespace kruskal_wallis_test
