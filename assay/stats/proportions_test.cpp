// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/proportions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/vectors_for_test.hpp"

using namespace assay;
using namespace assay::stats;

TEST(Proportions, mirror_and_contain_the_estimate) {
  for (std::uint64_t count = 0; count <= 7; ++count) {
    const Interval found = proportion_interval(count, 7, 0.9);
    const Interval mirrored = proportion_interval(7 - count, 7, 0.9);
    EXPECT_NEAR(found.lower, 1 - mirrored.upper, 1e-14);
    EXPECT_GE(found.lower, 0);
    EXPECT_LE(found.lower, found.upper);
    EXPECT_EQ(found.estimate, static_cast<double>(count) / 7);
  }
}

TEST(Proportions, refuse_impossible_counts) {
  EXPECT_THROW(proportion_interval(0, 0), Error);
  EXPECT_THROW(proportion_interval(3, 2), Error);
  EXPECT_THROW(proportion_interval(1, 2, 1), Error);
}

TEST(Proportions, vectors) {
  const auto cases = vectors::cases("proportion_ci");
  for (const auto& item : cases) {
    const Interval found =
        proportion_interval(item.at("count"), item.at("nobs"), 1 - item.at("alpha").get<double>());
    const auto& want = vectors::expected(item, "scipy-1.15.3")->at("ci");
    vectors::expect_near(found.lower, want[0], item.at("rtol"), item.at("id"));
    vectors::expect_near(found.upper, want[1], item.at("rtol"), item.at("id"));
  }
}

namespace assay::stats::proportions_test {

using Ids = std::vector<std::size_t>;
using Bits = std::vector<int>;

CodedItems coded(const Ids& classes, const Bits& right) {
  CodedItems out;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    out.codes.push_back(static_cast<std::uint32_t>(2 * classes[i] + (right[i] != 0 ? 1 : 0)));
    out.classes = std::max(out.classes, classes[i] + 1);
  }
  return out;
}

CodedItems one_class(const Bits& right) {
  return coded(Ids(right.size()), right);
}

Bits first_right(std::size_t right, std::size_t items) {
  Bits out(items);
  for (std::size_t i = 0; i < right; ++i) out[i] = 1;
  return out;
}

TEST(ScoreInterval, accuracy_has_wilsons) {
  for (const auto& [right, items] : {std::pair{0U, 12U}, {11U, 12U}, {12U, 12U}, {60U, 128U}}) {
    const ScoreInterval got = score_interval(one_class(first_right(right, items)), {});
    const Interval want = proportion_interval(right, items);
    EXPECT_NEAR(got.interval.lower, want.lower, 1e-12) << right;
    EXPECT_NEAR(got.interval.upper, want.upper, 1e-12) << right;
    EXPECT_NEAR(got.effective_items, items, 1e-9);
  }
}

TEST(ScoreInterval, clusters_that_answer_as_one_are_single_items) {
  // Ten slides of four questions, each all right or all wrong: as ten items, with Student's t.
  Bits right;
  Ids slides;
  for (std::size_t slide = 0; slide < 10; ++slide)
    for (int question = 0; question < 4; ++question) {
      right.push_back(slide < 7 ? 1 : 0);
      slides.push_back(slide);
    }
  const ScoreInterval got = score_interval(one_class(right), slides);
  EXPECT_NEAR(got.effective_items, 10, 1e-9);
  EXPECT_NEAR(got.design_effect, 4, 1e-9);
  EXPECT_EQ(got.clusters, 10U);
  const double t = student_t_quantile(0.975, 9);  // Wilson's formula by hand
  EXPECT_NEAR(got.interval.lower,
              (0.7 + t * t / 20 - t * std::sqrt(0.021 + t * t / 400)) / (1 + t * t / 10), 1e-12);
  const ScoreInterval all = score_interval(one_class(Bits(40, 1)), slides);
  EXPECT_NEAR(all.effective_items, 10, 1e-9);
  EXPECT_EQ(all.interval.upper, 1);
  EXPECT_LT(all.interval.lower, 0.7);
}

TEST(ScoreInterval, the_robust_variance_is_that_of_clustered_means) {
  Generator chance(4);
  Bits right;
  Ids slides;
  std::vector<double> values;
  for (std::size_t i = 0; i < 90; ++i) {
    slides.push_back(chance.below(25));
    right.push_back(chance.below(25) < 5 + slides.back() ? 1 : 0);
    values.push_back(right.back());
  }
  const ScoreInterval got = score_interval(one_class(right), slides);
  const ClusteredMean want = clustered_mean(values, slides);
  const double share = want.interval.estimate;
  ASSERT_GT(want.design_effect, 1);
  EXPECT_NEAR(got.effective_items, 1 + share * (1 - share) / std::pow(want.standard_error, 2),
              1e-9);
}

TEST(ScoreInterval, classes_worked_by_hand) {
  // Recalls 3/4, 1/2 and 1/1; unbiased variances 3/16/3, 1/4/1 and, alone, p (1 - p).
  const Ids classes = {0, 0, 0, 0, 1, 1, 2};
  const Bits right = {1, 1, 1, 0, 1, 0, 1};
  const ScoreInterval got = score_interval(coded(classes, right), {});
  const double p = 0.75, variance = (1.0 / 16 + 1.0 / 4 + p * (1 - p)) / 9;
  EXPECT_DOUBLE_EQ(got.interval.estimate, p);
  EXPECT_NEAR(got.effective_items, 1 + p * (1 - p) / variance, 1e-9);
  // No class has a right and a wrong answer: as if all recalls were the same.
  const ScoreInterval extreme = score_interval(coded({0, 0, 1, 1, 1}, {1, 1, 0, 0, 0}), {});
  EXPECT_NEAR(extreme.effective_items, 4 / (1.0 / 2 + 1.0 / 3), 1e-9);
}

TEST(ScoreInterval, refusals) {
  EXPECT_THROW(score_interval({}, {}), Error);
  EXPECT_THROW(score_interval(one_class({1, 0}), Ids{0, 0}), Error);
  EXPECT_THROW(score_interval(one_class({1, 0}), Ids{0, 1, 2}), Error);
  EXPECT_THROW(score_difference(one_class({1, 0}), coded({0, 1}, {1, 0}), {}), Error);
}

TEST(ScoreDifference, accuracy_is_mcnemar) {
  Bits first(100), second(100);
  for (std::size_t i = 0; i < 20; ++i) second[i] = 1;
  for (std::size_t i = 20; i < 27; ++i) first[i] = 1;
  const ScoreDifference got = score_difference(one_class(first), one_class(second), {});
  EXPECT_NEAR(got.test.pvalue, mcnemar(7, 20).pvalue, 1e-12);
  EXPECT_DOUBLE_EQ(got.interval.estimate, 0.13);
  // Bonett and Price: 13/102 -+ 1.96 sqrt((29/102 - (13/102)^2) / 102), n - 1 aside.
  const double reach = 1.959964 * std::sqrt((29.0 / 102 - std::pow(13.0 / 102, 2)) / 102);
  EXPECT_NEAR(got.interval.lower, 13.0 / 102 - reach, 1e-3);
  EXPECT_NEAR(got.interval.upper, 13.0 / 102 + reach, 1e-3);
}

/// All flips of clusters, on the score itself.
double enumerated(const CodedItems& first, const CodedItems& second, const Ids& clusters) {
  const auto members = cluster_members(clusters);
  const auto score = [](const CodedItems& items) {
    std::vector<std::uint32_t> counts(2 * items.classes);
    for (const std::uint32_t code : items.codes) ++counts[code];
    return balanced_accuracy_of_counts(counts);
  };
  const double observed = std::fabs(score(second) - score(first));
  std::size_t far = 0;
  for (std::size_t flips = 0; flips < std::size_t{1} << members.size(); ++flips) {
    CodedItems a = first, b = second;
    for (std::size_t c = 0; c < members.size(); ++c)
      if (((flips >> c) & 1U) != 0)
        for (const std::size_t i : members[c]) std::swap(a.codes[i], b.codes[i]);
    if (std::fabs(score(b) - score(a)) >= observed - 1e-12) ++far;
  }
  return static_cast<double>(far) / static_cast<double>(std::size_t{1} << members.size());
}

TEST(ScoreDifference, equals_exchanging_the_models_in_every_way) {
  Generator chance(5);
  for (int trial = 0; trial < 60; ++trial) {
    Ids classes = {0, 1, 2}, clusters;
    Bits first, second;
    while (classes.size() < 22) classes.push_back(chance.below(3));
    for (std::size_t i = 0; i < classes.size(); ++i) {
      clusters.push_back(i < 2 ? i : chance.below(8));
      first.push_back(static_cast<int>(chance.below(2)));
      second.push_back(static_cast<int>(chance.below(trial % 2 == 0 ? 2 : 4)) != 0 ? 1 : 0);
    }
    const CodedItems a = coded(classes, first), b = coded(classes, second);
    EXPECT_NEAR(score_difference(a, b, clusters).test.pvalue, enumerated(a, b, clusters), 1e-12);
    Ids alone;  // ten items, each for itself
    CodedItems a10 = a, b10 = b;
    a10.codes.resize(10);
    b10.codes.resize(10);
    for (std::size_t i = 0; i < 10; ++i) alone.push_back(i);
    EXPECT_NEAR(score_difference(a10, b10, {}).test.pvalue, enumerated(a10, b10, alone), 1e-12);
  }
}

TEST(ScoreDifference, classes_without_a_small_common_multiple) {
  // Counts of 2, 3, 5 ... 43 have a common multiple above 2^40: weights are rounded.
  Ids classes;
  Bits first, second;
  Generator chance(6);
  const std::size_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
  for (std::size_t k = 0; k < std::size(primes); ++k)
    for (std::size_t i = 0; i < primes[k]; ++i) {
      classes.push_back(k);
      first.push_back(chance.below(10) < 6 ? 1 : 0);
      second.push_back(chance.below(10) < 7 ? 1 : 0);
    }
  const ScoreDifference got = score_difference(coded(classes, first), coded(classes, second), {});
  EXPECT_FALSE(got.test.exact);
  const double z = got.interval.estimate / got.standard_error;
  EXPECT_NEAR(got.test.pvalue, 2 * normal_sf(std::fabs(z)), 0.04);
}

TEST(ScoreDifference, interval_and_test_agree) {
  Generator chance(8);
  for (int trial = 0; trial < 200; ++trial) {
    Bits first, second;
    const std::size_t items = 10 + chance.below(40);
    for (std::size_t i = 0; i < items; ++i) {
      first.push_back(chance.below(10) < 5 ? 1 : 0);
      second.push_back(chance.below(10) < 8 ? 1 : 0);
    }
    const ScoreDifference got = score_difference(one_class(first), one_class(second), {});
    const auto [estimate, lower, upper] = got.interval;
    EXPECT_LE(lower, estimate);
    EXPECT_GE(upper, estimate);
    if (got.test.pvalue <= 0.05)
      EXPECT_TRUE(lower >= 0 || upper <= 0);
    else
      EXPECT_TRUE(lower <= 0 && upper >= 0);
  }
}

// ---- Simulations
// ---------------------------------------------------------------------------------

/// Items of slides whose difficulty is shared, by class; the second model is `better` by that much.
struct World {
  Ids classes{}, slides{};
  double shared = 0, better = 0;  ///< share of slides with one fate, and the true difference
  double right = 0.7;

  /// Both models on new items.
  std::pair<CodedItems, CodedItems> sample(Generator& chance) const {
    std::vector<double> slide_luck[2];
    std::vector<bool> one_fate;
    for (std::size_t s = 0; s < 200; ++s) {
      one_fate.push_back(chance.uniform() < shared);
      for (auto& luck : slide_luck) luck.push_back(chance.uniform());
    }
    Bits answers[2];
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const double common = chance.uniform();
      for (std::size_t m = 0; m < 2; ++m) {
        const double own = chance.uniform() < 0.5 ? common : chance.uniform();
        const double luck = one_fate[slides[i]] ? slide_luck[m][slides[i]] : own;
        answers[m].push_back(luck < right + (m == 0 ? 0 : better) ? 1 : 0);
      }
    }
    return {coded(classes, answers[0]), coded(classes, answers[1])};
  }
};

struct Rates {
  double covered = 0, covered_difference = 0, rejected = 0;
};

Rates simulated(const World& world, bool by_slide, std::size_t samples) {
  Generator chance(11);
  Rates out;
  const Clusters clusters = by_slide ? Clusters(world.slides) : Clusters();
  const double one = 1 / static_cast<double>(samples);
  for (std::size_t s = 0; s < samples; ++s) {
    const auto [first, second] = world.sample(chance);
    const Interval score = score_interval(first, clusters).interval;
    const ScoreDifference found = score_difference(first, second, clusters);
    if (score.lower <= world.right && world.right <= score.upper) out.covered += one;
    if (found.interval.lower <= world.better && world.better <= found.interval.upper)
      out.covered_difference += one;
    if (found.test.pvalue <= 0.05) out.rejected += one;
  }
  return out;
}

World questions_of_slides(std::size_t slides, double shared, double better) {
  World out = {.shared = shared, .better = better};
  for (std::size_t i = 0; i < 4 * slides; ++i) {
    out.classes.push_back(0);
    out.slides.push_back(i % slides);
  }
  return out;
}

// 2000 samples: a rate of 0.95 or 0.05 has a standard error of 0.005. Bounds are five of these or
// more from the rates that many more samples give, and the seed is fixed.
TEST(ScoreSimulation, questions_that_share_slides) {
  const Rates by_slide = simulated(questions_of_slides(20, 0.5, 0), true, 2000);
  EXPECT_GT(by_slide.covered, 0.92);
  EXPECT_GT(by_slide.covered_difference, 0.92);
  EXPECT_LT(by_slide.rejected, 0.07);
  const Rates by_item = simulated(questions_of_slides(20, 0.5, 0), false, 2000);
  EXPECT_LT(by_item.covered, 0.88);   // what ignoring slides costs
  EXPECT_GT(by_item.rejected, 0.12);  // differences that are not there
  const Rates few = simulated(questions_of_slides(5, 0.5, 0.15), true, 2000);
  EXPECT_GT(few.covered, 0.90);
  EXPECT_GT(few.covered_difference, 0.92);
  EXPECT_EQ(few.rejected, 0);  // five slides cannot be significant
}

TEST(ScoreSimulation, balanced_accuracy_of_rare_classes) {
  World world = {.better = 0.1};
  for (std::size_t k = 0; k < 30; ++k)
    for (std::size_t i = 0; i < 3 * (1 + k % 3); ++i) {  // few different sums: exact and fast
      world.classes.push_back(k);
      world.slides.push_back(world.slides.size() % 200);
    }
  const Rates better = simulated(world, false, 1000);
  EXPECT_GT(better.covered, 0.91);
  EXPECT_GT(better.covered_difference, 0.91);
  EXPECT_GT(better.rejected, 0.5);
  world.better = 0;
  EXPECT_LT(simulated(world, false, 1000).rejected, 0.09);
}

}  // namespace assay::stats::proportions_test
