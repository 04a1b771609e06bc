// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/probability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "assay/base/sanitizer_for_test.hpp"
#include "assay/cohort.hpp"
#include "assay/metrics.hpp"

namespace assay::metrics::probability_test {

using Mask = std::vector<int>;

std::vector<std::uint64_t> bits_of(const Mask& mask) {
  std::vector<std::uint64_t> out((mask.size() + 63) / 64);
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 0) out[i / 64] |= std::uint64_t{1} << (i % 64);
  return out;
}

template <class Real>
ProbabilityEvidence evidence(const std::vector<Real>& map, const Mask& reference,
                             const Mask& ignored = {}) {
  const auto r = bits_of(reference), i = bits_of(ignored);
  return probability_evidence(
      {.prediction = {{}, std::span<const Real>(map)}, .reference = r, .ignored = i});
}

Score scored(std::string_view name, const ProbabilityEvidence& found) {
  const Evidence all = {.counts = {.tp = 1, .fp = 1, .fn = 1, .tn = 1}, .probability = found};
  return score(metric(name), all);
}

double number(std::string_view name, const ProbabilityEvidence& found) {
  return value(scored(name, found)).value();
}

/// Definitions, word by word and slowly.
template <class Real>
struct Oracle {
  std::vector<Real> map;
  Mask truth;

  double auroc() const {
    double won = 0, pairs = 0;
    for (std::size_t i = 0; i < map.size(); ++i)
      for (std::size_t j = 0; j < map.size(); ++j) {
        if (truth[i] == 0 || truth[j] != 0) continue;
        ++pairs;
        won += map[i] > map[j] ? 1 : map[i] == map[j] ? 0.5 : 0;
      }
    return won / pairs;
  }
  double precision_at(Real threshold) const { return called(threshold, 1) / called(threshold, 2); }
  double average_precision() const {
    std::vector<Real> thresholds = map;
    std::ranges::sort(thresholds, std::greater());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    double sum = 0, before = 0;
    const double positives = called(Real{0}, 1);
    for (const Real t : thresholds) {
      const double recall = called(t, 1) / positives;
      sum += (recall - before) * precision_at(t);
      before = recall;
    }
    return sum;
  }
  double brier() const {
    double sum = 0;
    for (std::size_t i = 0; i < map.size(); ++i) sum += std::pow(double{map[i]} - truth[i], 2);
    return sum / static_cast<double>(map.size());
  }
  double ece() const {
    double out = 0;
    for (int bin = 0; bin < 15; ++bin) {
      double difference = 0;
      for (std::size_t i = 0; i < map.size(); ++i) {
        const double p = map[i];
        const bool inside = (p > bin / 15.0 || bin == 0) && p <= (bin + 1) / 15.0;
        if (inside) difference += p - truth[i];
      }
      out += std::abs(difference);
    }
    return out / static_cast<double>(map.size());
  }
  /// Voxels of at least the threshold: those that are foreground (1), or all (2).
  double called(double threshold, int which) const {
    double count = 0;
    for (std::size_t i = 0; i < map.size(); ++i)
      if (double{map[i]} >= threshold && (which == 2 || truth[i] != 0)) ++count;
    return count;
  }
};

template <class Real>
void expect_equal(const std::vector<Real>& map, const Mask& truth) {
  const Oracle<Real> oracle = {map, truth};
  const ProbabilityEvidence found = evidence(map, truth);
  EXPECT_EQ(found.voxels, static_cast<std::int64_t>(map.size()));
  if (found.positives != 0) {
    EXPECT_NEAR(number("average_precision", found), oracle.average_precision(), 1e-12);
    if (found.negatives() != 0) EXPECT_NEAR(number("auroc", found), oracle.auroc(), 1e-12);
  }
  EXPECT_NEAR(number("brier", found), oracle.brier(), 1e-12);
  EXPECT_NEAR(number("ece", found), oracle.ece(), 1e-12);
  for (std::size_t t = 0; t < sweep_thresholds.size(); ++t) {
    const double hits = oracle.called(sweep_thresholds[t], 1);
    EXPECT_EQ(static_cast<double>(found.sweep[t].tp), hits) << sweep_thresholds[t];
    EXPECT_EQ(static_cast<double>(found.sweep[t].fp), oracle.called(sweep_thresholds[t], 2) - hits)
        << sweep_thresholds[t];
  }
}

/// Values as maps have them: many zeros, many ties, some next to each other, limits of bins.
template <class Real>
Real drawn(std::mt19937_64& rng) {
  const auto uniform = [&] {
    return static_cast<Real>(static_cast<double>(rng() >> 11) * 0x1p-53);
  };
  switch (rng() % 8) {
    case 0: return 0;
    case 1: return 1;
    case 2: return static_cast<Real>(static_cast<double>(rng() % 20) / 20);
    case 3: return static_cast<Real>(static_cast<double>(rng() % 16) / 15);
    case 4: return std::nextafter(static_cast<Real>(static_cast<double>(rng() % 15) / 15), Real{1});
    case 5: return Real{-0.0};
    case 6: return static_cast<Real>(std::pow(uniform(), Real{9}));
    default: return uniform();
  }
}

template <class Real>
void expect_equal_on_random_maps() {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 400; round += test::every(7)) {
    const std::size_t size = 1 + rng() % 150;
    const auto share = rng() % 5;
    std::vector<Real> map(size);
    Mask truth(size);
    for (std::size_t i = 0; i < size; ++i) {
      map[i] = drawn<Real>(rng);
      truth[i] = rng() % 5 < share ? 1 : 0;
    }
    expect_equal(map, truth);
  }
}

TEST(Probability, equals_the_definitions_on_random_maps) {
  expect_equal_on_random_maps<float>();
  expect_equal_on_random_maps<double>();
}

TEST(Probability, four_voxels_by_hand) {  // scikit-learn's own example
  const auto found = evidence(std::vector{0.1, 0.4, 0.35, 0.8}, {0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(number("auroc", found), 0.75);
  EXPECT_DOUBLE_EQ(number("average_precision", found), (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(number("brier", found), (0.01 + 0.16 + 0.65 * 0.65 + 0.04) / 4);
  // 0.35 and 0.4 share the bin up to 6/15: 0.75 expected, 1 found.
  EXPECT_DOUBLE_EQ(number("ece", found), (0.1 + 0.25 + 0.2) / 4);
}

TEST(Probability, a_threshold_is_met_by_its_own_value) {
  const auto found = evidence(std::vector{0.5F, 0.5F, std::nextafter(0.5F, 0.0F)}, {1, 0, 1});
  EXPECT_EQ(found.sweep[9], (SweepCounts{.tp = 1, .fp = 1}));
  EXPECT_EQ(found.sweep[8], (SweepCounts{.tp = 2, .fp = 1}));
}

TEST(Probability, without_foreground_there_is_no_order) {
  const auto none = evidence(std::vector{0.25F, 0.5F}, {0, 0});
  EXPECT_EQ(std::get<Undefined>(scored("auroc", none)), Undefined::reference_empty);
  EXPECT_EQ(std::get<Undefined>(scored("average_precision", none)), Undefined::reference_empty);
  EXPECT_DOUBLE_EQ(number("brier", none), (0.0625 + 0.25) / 2);
  const auto full = evidence(std::vector{0.25F, 0.5F}, {1, 1});
  EXPECT_EQ(std::get<Undefined>(scored("auroc", full)), Undefined::zero_denominator);
  EXPECT_EQ(number("average_precision", full), 1);
  const auto nothing = evidence(std::vector{0.5F}, {1}, {1});
  EXPECT_EQ(std::get<Undefined>(scored("brier", nothing)), Undefined::zero_denominator);
}

TEST(Probability, ignored_voxels_are_as_if_they_were_not_there) {
  std::mt19937_64 rng(6);
  std::vector<float> map(500), kept;
  Mask truth(500), ignored(500), kept_truth;
  for (std::size_t i = 0; i < map.size(); ++i) {
    map[i] = drawn<float>(rng);
    truth[i] = static_cast<int>(rng() % 2);
    ignored[i] = static_cast<int>(rng() % 2);
    if (ignored[i] != 0) continue;
    kept.push_back(map[i]);
    kept_truth.push_back(truth[i]);
  }
  const auto with = evidence(map, truth, ignored), without = evidence(kept, kept_truth);
  EXPECT_EQ(with.pairs_won, without.pairs_won);
  EXPECT_EQ(with.precision_sum, without.precision_sum);
  EXPECT_EQ(with.sweep, without.sweep);
  EXPECT_EQ(with.bins, without.bins);
}

TEST(Probability, large_maps_are_put_in_order_in_parts) {
  // Every bucket of the upper half has foreground, so that several chunks are needed.
  constexpr std::size_t size = std::size_t{9} << 20;
  std::vector<float> map(size);
  Mask truth(size);
  std::vector<std::uint32_t> order(size);
  for (std::size_t i = 0; i < size; ++i) {
    order[i] = static_cast<std::uint32_t>(i * 2654435761U % size);  // odd, so each number once
    map[i] = 0.5F + static_cast<float>(order[i]) * 0x1p-25F;
    truth[i] = i % 3 == 0 ? 1 : 0;
  }
  std::vector<int> by_value(size);
  for (std::size_t i = 0; i < size; ++i) by_value[order[i]] += truth[i];
  // Ranks: each pair of neighbours is one float where the step is below the precision.
  double won = 0, negatives = 0;
  for (std::size_t first = 0; first < size;) {
    std::size_t end = first + 1;
    const auto value = [](std::size_t n) { return 0.5F + static_cast<float>(n) * 0x1p-25F; };
    while (end < size && value(end) == value(first)) ++end;
    double positives = 0;
    for (std::size_t n = first; n < end; ++n) positives += by_value[n];
    const double others = static_cast<double>(end - first) - positives;
    won += positives * (negatives + others / 2);
    negatives += others;
    first = end;
  }
  EXPECT_EQ(evidence(map, truth).pairs_won, won);
}

TEST(Sweep, the_best_threshold_is_the_lowest_of_the_best) {
  const auto found = evidence(std::vector{0.9F, 0.6F, 0.3F, 0.0F}, {1, 1, 0, 0});
  std::vector<SweepMean> sweep;
  for (std::size_t t = 0; t < sweep_thresholds.size(); ++t) sweep.push_back(sweep_scores(found, t));
  const auto best = best_threshold(sweep);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->threshold, 0.35);
  EXPECT_EQ(best->dice, 1.0);
  EXPECT_EQ(best->recall, 1.0);
  EXPECT_DOUBLE_EQ(*sweep[0].precision, 2.0 / 3);
  EXPECT_FALSE(best_threshold({}));
}

TEST(RadixSort, sorts) {
  std::mt19937_64 rng(7);
  for (const std::size_t size : {0U, 1U, 2U, 1000U}) {
    std::vector<std::uint64_t> wide(size), scratch;
    for (auto& x : wide) x = rng() >> (rng() % 64);
    auto expected = wide;
    std::ranges::sort(expected);
    radix_sort(wide, scratch);
    EXPECT_EQ(wide, expected);
  }
}

}  // namespace assay::metrics::probability_test
