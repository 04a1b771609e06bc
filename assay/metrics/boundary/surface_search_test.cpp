// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/surface_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "assay/base/sanitizer_for_test.hpp"
#include "assay/metrics/boundary/distance_transform.hpp"
#include "assay/metrics/volumes_for_test.hpp"

namespace surface_search_test {

using namespace assay;
using namespace assay::metrics;
using namespace assay::test;

/// Every pair: the slow oracle.
double nearest_squared(const Place& from, const std::vector<Place>& to, const Point& spacing) {
  double best = std::numeric_limits<double>::infinity();
  for (const Place& place : to) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double length = static_cast<double>(std::abs(place[k] - from[k])) * spacing[k];
      sum += length * length;
    }
    best = std::min(best, sum);
  }
  return best;
}

/// Every distance with its weight.
std::map<double, double> slow_tally(const BitVolume& to, const BitVolume& from,
                                    const Point& spacing) {
  const auto targets = places(to);
  std::map<double, double> out;
  for (const Place& place : places(from)) out[nearest_squared(place, targets, spacing)] += 1;
  return out;
}

BitVolume random_bits(std::mt19937_64& rng, const Place& size, double share) {
  BitVolume out(size);
  for (Index z = 1; z + 1 < size[2]; ++z)
    for (Index y = 1; y + 1 < size[1]; ++y)
      for (Index x = 1; x + 1 < size[0]; ++x)
        if (std::generate_canonical<double, 53>(rng) < share) out.set(x, y, z);
  return out;
}

Place random_size(std::mt19937_64& rng, std::size_t longest) {
  const auto length = [&] { return static_cast<Index>(3 + rng() % longest); };
  return {length(), length(), length()};
}

void expect_equal(const DistanceTally& tally, const std::map<double, double>& expected) {
  const auto found = tally.sorted();
  ASSERT_EQ(found.size(), expected.size());
  auto at = expected.begin();
  for (const auto& entry : found) {
    EXPECT_EQ(entry.squared, at->first);
    EXPECT_EQ(entry.weight, at->second);
    ++at;
  }
}

TEST(SurfaceSearch, equals_the_oracle_on_random_sets_of_any_density_and_spacing) {
  std::mt19937_64 rng(11);
  for (int i = 0; i < 3000; i += every(7)) {
    const Place size = random_size(rng, 14);
    const Point spacing = random_spacing(rng);
    const BitVolume from = random_bits(rng, size, std::pow(0.5, static_cast<double>(rng() % 7)));
    const BitVolume to = random_bits(rng, size, std::pow(0.4, static_cast<double>(rng() % 7)));
    if (to.count() == 0) continue;
    expect_equal(distances_to(to, from, spacing), slow_tally(to, from, spacing));
  }
}

TEST(SurfaceSearch, equals_the_oracle_far_away_where_searches_are_put_off) {
  std::mt19937_64 rng(12);
  for (int i = 0; i < 12; ++i) {
    BitVolume from({150, 90, 40}), to(from.size());
    for (int n = 0; n < 400; ++n) {
      from.set(1 + static_cast<Index>(rng() % 8), 1 + static_cast<Index>(rng() % 88),
               1 + static_cast<Index>(rng() % 38));
      if (n % (1 + 40 * (i % 3)) == 0)
        to.set(120 + static_cast<Index>(rng() % 25), 1 + static_cast<Index>(rng() % 88),
               1 + static_cast<Index>(rng() % 38));
    }
    for (const Point spacing : {Point{1, 1, 1}, Point{1, 2, 3}})
      expect_equal(distances_to(to, from, spacing), slow_tally(to, from, spacing));
  }
}

TEST(SurfaceSearch, equals_the_oracle_in_rows_of_any_width) {
  std::mt19937_64 rng(14);
  for (int i = 0; i < 400; ++i) {
    const Place size = {static_cast<Index>(3 + rng() % 600), static_cast<Index>(3 + rng() % 6),
                        static_cast<Index>(3 + rng() % 4)};
    const Point spacing = random_spacing(rng);
    const BitVolume from = random_bits(rng, size, 0.05);
    const BitVolume to = random_bits(rng, size, std::pow(0.25, static_cast<double>(rng() % 6)));
    if (to.count() == 0) continue;
    expect_equal(distances_to(to, from, spacing), slow_tally(to, from, spacing));
  }
}

TEST(SurfaceSearch, weights_are_summed_by_distance) {
  BitVolume from({5, 3, 3}), to(from.size());
  for (const Index x : {1, 2, 3}) from.set(x, 1, 1);
  to.set(1, 1, 1);
  const auto found =
      distances_to(to, from, {2, 1, 1}, [](const Voxel& v) { return 0.5 * v.x; }).sorted();
  const std::vector<DistanceTally::Entry> expected = {{0, 0.5}, {4, 1}, {16, 1.5}};
  EXPECT_EQ(found, expected);
}

TEST(DistanceTransform, equals_the_oracle_to_the_bit) {
  std::mt19937_64 rng(13);
  for (int i = 0; i < 2000; i += every(7)) {
    const Place size = random_size(rng, i % 50 == 0 ? 90 : 20);
    const Point spacing = random_spacing(rng);
    const BitVolume from = random_bits(rng, size, i % 50 == 0 ? 0.001 : 0.1);
    const BitVolume to = random_bits(rng, size, std::pow(0.4, static_cast<double>(rng() % 7)));
    if (to.count() == 0) continue;
    const Squares squares = squares_mm2(size, spacing);
    const FilledRows filled(to);
    const auto targets = places(to);
    std::int64_t settled = 0;
    transform_distances(from, {to, filled, squares}, [&](const SettledVoxels& some) {
      some.for_each([&](const Voxel& v, double found) {
        ++settled;
        ASSERT_TRUE(from.at(v.x, v.y, v.z));
        EXPECT_EQ(found, nearest_squared({v.x, v.y, v.z}, targets, spacing));
      });
    });
    EXPECT_EQ(settled, from.count());
  }
}

TEST(DirectedDistances, percentiles_are_those_of_the_list_that_the_weights_stand_for) {
  DistanceTally tally;
  for (const double x : {1.0, 2.0, 2.0, 3.0, 10.0}) tally.add(x * x, 1);
  const DirectedDistances d(std::move(tally));
  EXPECT_EQ(d.percentile(0), 1);
  EXPECT_EQ(d.percentile(50), 2);
  EXPECT_DOUBLE_EQ(d.percentile(95), 8.6);  // numpy.percentile([1, 2, 2, 3, 10], 95)
  EXPECT_EQ(d.percentile(100), 10);
  EXPECT_EQ(d.percentile_step(80), 3);
  EXPECT_EQ(d.percentile_step(81), 10);
  EXPECT_EQ(d.within(2), 3);
  EXPECT_EQ(d.weighted_sum(), 18);
}

TEST(DirectedDistances, a_share_that_is_the_percentile_but_for_rounding_has_reached_it) {
  // 19 of 20 equal areas lie at 0, the last at 1: exactly 95 %, however the sum is rounded.
  for (int k = 1; k <= 1000; ++k) {
    const double area = std::sqrt(static_cast<double>(k)) / 8;
    DistanceTally tally;
    for (int i = 0; i < 19; ++i) tally.add(0, area);
    tally.add(1, area);
    const DirectedDistances d(std::move(tally));
    EXPECT_EQ(d.percentile_step(95), 0) << area;
    EXPECT_EQ(d.percentile_step(95.000001), 1) << area;
  }
}

}  // namespace surface_search_test
