// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace effects_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;

/// All Walsh means, stored and sorted.
Values walsh_means(const Values& d) {
  Values means;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = i; j < d.size(); ++j) means.push_back((d[i] + d[j]) / 2);
  std::sort(means.begin(), means.end());
  return means;
}

TEST(Effects, worked_by_hand) {
  const Values d = {1, -2, 3, 4, 0};
  EXPECT_EQ(rank_biserial(d), (8.0 - 2) / 10);
  EXPECT_EQ(probability_of_superiority(d), 0.7);
  EXPECT_EQ(cohens_dz(Values{1, 2, 3}), 2);
  EXPECT_EQ(rank_biserial(Values{0, 0}), 0);
  EXPECT_TRUE(std::isnan(probability_of_superiority(Values{})));
  EXPECT_TRUE(std::isnan(cohens_dz(Values{0, 0})));
}

TEST(HodgesLehmann, worked_by_hand) {
  // 1, 2, 6: means 1, 1.5, 2, 3.5, 4, 6. With three differences the interval is all of them.
  const Interval found = hodges_lehmann(Values{6, 1, 2});
  EXPECT_EQ(found.estimate, 2.75);
  EXPECT_EQ(found.lower, 1);
  EXPECT_EQ(found.upper, 6);
  EXPECT_EQ(hodges_lehmann(Values{-3}).estimate, -3);
}

TEST(HodgesLehmann, selects_what_sorting_all_means_selects) {
  Generator generator(9);
  for (std::size_t n = 1; n < 60; n += 3) {
    Values d(n);
    for (double& value : d) value = generator.uniform() - 0.5;
    if (n % 2 == 0)
      for (double& value : d) value = std::round(value * 10);
    const Values means = walsh_means(d);
    const Interval found = hodges_lehmann(d, 0.9);
    EXPECT_DOUBLE_EQ(found.estimate, median(means));
    for (const double limit : {found.lower, found.upper})
      EXPECT_TRUE(std::binary_search(means.begin(), means.end(), limit));
  }
}

TEST(HodgesLehmann, moves_with_the_data_and_flips_with_its_sign) {
  Generator generator(10);
  Values d(700), moved(700), flipped(700);
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = std::round(generator.uniform() * 1024);
    moved[i] = d[i] + 512;
    flipped[i] = -d[i];
  }
  const Interval found = hodges_lehmann(d), far = hodges_lehmann(moved);
  const Interval other = hodges_lehmann(flipped);
  EXPECT_EQ(far.estimate, found.estimate + 512);
  EXPECT_EQ(far.lower, found.lower + 512);
  EXPECT_EQ(other.estimate, -found.estimate);
  EXPECT_EQ(other.lower, -found.upper);
}

TEST(HodgesLehmann, refuses_what_it_cannot_rank) {
  EXPECT_THROW(hodges_lehmann(Values{}), Error);
  EXPECT_THROW(hodges_lehmann(Values{1, NAN}), Error);
  EXPECT_THROW(hodges_lehmann(Values{1}, 1.5), Error);
}

TEST(HodgesLehmann, vectors_of_r) {
  const auto cases = vectors::cases("r_wilcox");
  std::size_t compared = 0;
  for (const auto& item : cases) {
    // With ties exactRankTests ranks |d - m| at every Walsh mean m in floating point, where equal
    // magnitudes come apart by rounding; above 49 pairs R searches a root to 1e-4.
    if (item.at("kind") != "noties") continue;
    const Values d = vectors::numbers(item.at("d"));
    const double level = item.at("conf");
    for (const char* side : {"two.sided", "less", "greater"}) {
      const auto& all = item.at("expected").at("R-4.2.2");
      const std::string key = std::string("exactRankTests_") + side;
      if (!all.contains(key) || !all.at(key).contains("lo")) continue;
      const auto& want = all.at(key);
      const bool both = side == std::string("two.sided");
      const Interval found = hodges_lehmann(d, both ? level : 1 - 2 * (1 - level));
      const std::string where = item.at("id").get<std::string>() + " " + key;
      if (side != std::string("less"))
        vectors::expect_near(found.lower, vectors::number(want.at("lo")), 1e-12, where + " lo");
      if (side != std::string("greater"))
        vectors::expect_near(found.upper, vectors::number(want.at("hi")), 1e-12, where + " hi");
      vectors::expect_near(found.estimate, vectors::number(want.at("est")), 1e-12, where);
      ++compared;
    }
  }
  EXPECT_GE(compared, 12U);
}

TEST(Effects, vectors) {
  const auto cases = vectors::cases("effect_size");
  for (const auto& item : cases) {
    const Values d = vectors::numbers(item.at("d"));
    const auto& want = *vectors::expected(item, "all");
    const double rtol = item.at("rtol");
    vectors::expect_near(rank_biserial(d), want.at("rank_biserial"), rtol, "rank biserial");
    vectors::expect_near(probability_of_superiority(d), want.at("prob_superiority"), rtol, "ps");
    vectors::expect_near(hodges_lehmann(d).estimate, want.at("hodges_lehmann_all"), rtol, "hl");
  }
}

}  // namespace effects_test
