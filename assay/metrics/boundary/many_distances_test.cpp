// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/many_distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "assay/metrics/boundary/distance_tally.hpp"

namespace assay::metrics::many_distances_test {

using Counts = std::map<double, double>;

Counts counts_of(const ManyDistances& many) {
  Counts out;
  double last = 0;
  many.for_each([&](double squared, double count) {
    EXPECT_GT(squared, last);
    out[last = squared] = count;
    return true;
  });
  return out;
}

/// Distances of a lattice whose spacings are not round numbers.
double some_distance(std::mt19937_64& rng) {
  const auto square = [&](double mm) { return std::pow(static_cast<double>(rng() % 300) * mm, 2); };
  return square(0.7) + square(0.71) + square(1.3) + 0.25;
}

TEST(ManyDistances, come_back_in_order_and_counted) {
  std::mt19937_64 rng(3);
  ManyDistances many;
  Counts expected;
  for (int i = 0; i < 200000; ++i) {
    const double squared = some_distance(rng);
    many.add(squared);
    ++expected[squared];
  }
  many.sort();
  EXPECT_EQ(counts_of(many), expected);
}

TEST(ManyDistances, any_positive_number_may_be_one_however_close_to_others) {
  ManyDistances many;
  Counts expected;
  const auto add = [&](double squared) {
    many.add(squared);
    ++expected[squared];
  };
  for (const double squared : {5e-324, 1e-310, 1e-3, 1.0, 3.7e9, 1e300, 1.7e308}) add(squared);
  double close = 1000;
  for (int i = 0; i < 30000; ++i) add(close = std::nextafter(close, 0));
  many.sort();
  EXPECT_EQ(counts_of(many), expected);
}

TEST(ManyDistances, one_may_be_there_more_often_than_a_word_counts) {
  ManyDistances many;
  for (int i = 0; i < 600000; ++i) many.add(0.5);
  many.sort();
  EXPECT_EQ(counts_of(many), (Counts{{0.5, 600000}}));
}

TEST(DirectedDistances, are_the_same_whether_they_fit_into_a_table_or_not) {
  std::mt19937_64 rng(4);
  for (const int voxels : {1000, 400000}) {
    DistanceTally tally;
    Counts expected;
    for (int i = 0; i < voxels; ++i) {
      const double squared = i % 3 == 0 ? static_cast<double>(rng() % 1000) : some_distance(rng);
      tally.add_voxel(squared);
      ++expected[squared];
    }
    tally.add(0.3, 17);  // after the table was full
    expected[0.3] += 17;
    const DirectedDistances found(std::move(tally));
    std::vector<double> list;
    double sum = 0, within = 0;
    for (const auto& [squared, count] : expected) {
      list.insert(list.end(), static_cast<std::size_t>(count), std::sqrt(squared));
      sum += std::sqrt(squared) * count;
      within += std::sqrt(squared) <= 20 ? count : 0;
    }
    EXPECT_EQ(found.weight(), static_cast<double>(list.size()));
    EXPECT_EQ(found.weighted_sum(), sum);
    EXPECT_EQ(found.greatest(), list.back());
    EXPECT_EQ(found.within(20), within);
    for (double percent = 0; percent < 100; percent += 0.37) {
      const double place = static_cast<double>(list.size() - 1) * (percent / 100);
      const auto below = static_cast<std::size_t>(place);
      EXPECT_DOUBLE_EQ(found.percentile(percent),
                       std::lerp(list[below], list[below + 1], place - std::floor(place)));
    }
    EXPECT_EQ(DirectedDistances::pooled(found, found).weight(), 2 * found.weight());
  }
}

}  // namespace assay::metrics::many_distances_test
