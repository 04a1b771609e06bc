// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/compare.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/random.hpp"

namespace ranking_test {

using namespace assay;
using namespace assay::compare;
using testing::ElementsAre;
using testing::HasSubstr;

using Scores = std::vector<std::vector<double>>;

std::vector<double> ranks_by_tests(const Ranking& found) {
  std::vector<double> out;
  for (const ModelRank& model : found.models) out.push_back(model.by_tests->rank);
  return out;
}

std::vector<std::size_t> wins(const Ranking& found) {
  std::vector<std::size_t> out;
  for (const ModelRank& model : found.models) out.push_back(model.by_tests->wins);
  return out;
}

/// By the definition: exact tests of all ordered pairs.
std::vector<std::size_t> exact_wins(const Scores& scores) {
  std::vector<double> pvalues;
  std::vector<std::size_t> winners, out(scores.size());
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (a == b) continue;
      pvalues.push_back(
          stats::wilcoxon(scores[a], scores[b], {.alternative = stats::Alternative::greater})
              .pvalue);
      winners.push_back(a);
    }
  const std::vector<bool> reject = stats::holm(pvalues).reject;
  for (std::size_t k = 0; k < winners.size(); ++k) out[winners[k]] += reject[k] ? 1U : 0U;
  return out;
}

double normal(stats::Generator& chance) {
  return stats::normal_quantile((std::floor(chance.uniform() * 1e12) + 0.5) / 1e12);
}

/// `steps` apart, the same noise for all: whatever is drawn, the order stays.
Scores in_order(std::size_t models, std::size_t cases) {
  stats::Generator chance(5);
  Scores scores(models);
  for (std::size_t i = 0; i < cases; ++i) {
    const double common = chance.uniform();
    for (std::size_t m = 0; m < models; ++m)
      scores[m].push_back(common - static_cast<double>(m) + 0.1 * chance.uniform());
  }
  return scores;
}

std::vector<std::size_t> clusters_of(std::size_t clusters, std::size_t cases_each) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < clusters * cases_each; ++i) out.push_back(i / cases_each);
  return out;
}

/// Equal models whose scores depend on the subject: each is a bit better or worse on all cases of
/// it.
Scores equal_models(std::size_t models, const std::vector<std::size_t>& clusters,
                    stats::Generator& chance) {
  Scores scores(models);
  for (auto& row : scores) {
    std::vector<double> taste;
    for (std::size_t c = 0; c <= clusters.back(); ++c) taste.push_back(normal(chance));
    for (const std::size_t cluster : clusters) row.push_back(taste[cluster] + normal(chance));
  }
  return scores;
}

TEST(Ranking, rank_then_aggregate_by_hand) {
  // One very bad case gives a the worst mean, though it is first in three cases of four:
  // means 0.675, 0.8, 0.7; ranks (1, 1, 1, 3), (2, 2, 2, 1), (3, 3, 3, 2).
  const Scores scores = {{0.9, 0.9, 0.9, 0.0}, {0.8, 0.8, 0.8, 0.8}, {0.7, 0.7, 0.7, 0.7}};
  const Ranking found = ranking(scores, {});
  const auto of = [&](auto member) {
    std::vector<double> out;
    for (const ModelRank& model : found.models) out.push_back(model.*member);
    return out;
  };
  EXPECT_THAT(of(&ModelRank::rank), ElementsAre(3, 1, 2));
  EXPECT_THAT(of(&ModelRank::mean_rank), ElementsAre(1.5, 1.75, 2.75));
  EXPECT_THAT(of(&ModelRank::rank_of_mean_rank), ElementsAre(1, 2, 3));
  EXPECT_EQ(found.models[0].by_tests, std::nullopt);  // there are no tests for four cases
}

TEST(Ranking, by_tests_by_hand) {
  // Eight cases, all differences of one sign: one-sided p = 1 / 2^8, times six tests 0.023.
  // b and c differ in 4 cases either way, so neither beats the other, and both beat d.
  Scores scores(4);
  for (int i = 0; i < 8; ++i) {
    const double x = 0.1 * i, turn = i % 2 == 0 ? 0.01 : -0.01;
    scores[0].push_back(x + 0.5 + 0.001 * i);
    scores[1].push_back(x + turn);
    scores[2].push_back(x - turn);
    scores[3].push_back(x - 0.5);
  }
  const Scores three = {scores[0], scores[1], scores[3]};
  EXPECT_THAT(wins(ranking(three, {})), ElementsAre(2, 1, 0));
  EXPECT_THAT(ranks_by_tests(ranking(three, {})), ElementsAre(1, 2, 3));
  // Four models have twelve tests: 12 / 256 = 0.047 for the first, so at 0.04 none.
  EXPECT_THAT(wins(ranking(scores, {})), ElementsAre(3, 1, 1, 0));
  EXPECT_THAT(ranks_by_tests(ranking(scores, {})), ElementsAre(1, 2.5, 2.5, 4));
  EXPECT_THAT(wins(ranking(scores, {.alpha = 0.04})), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(ranks_by_tests(ranking(scores, {.alpha = 0.04})), ElementsAre(2.5, 2.5, 2.5, 2.5));
}

TEST(Ranking, wins_are_those_of_exact_tests) {
  // With many cases most pairs are settled by the normal curve: the wins must stay the same.
  for (const std::size_t cases : {30U, 60U, 150U})
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      stats::Generator chance(seed);
      Scores scores = equal_models(5, clusters_of(cases, 1), chance);
      for (std::size_t m = 0; m < scores.size(); ++m)
        for (double& x : scores[m]) {
          x += 0.2 * static_cast<double>(m);
          if (seed % 2 == 0) x = std::round(4 * x) / 4;  // ties and zeros
        }
      EXPECT_EQ(wins(ranking(scores, {.replicates = 1})), exact_wins(scores)) << seed;
    }
}

TEST(Ranking, equal_models_share_every_rank) {
  const std::vector<double> row(12, 0.5);
  const Ranking found = ranking(Scores{row, row, row}, {});
  for (const ModelRank& model : found.models) {
    EXPECT_EQ(model.rank, 2);
    EXPECT_EQ(model.rank_of_mean_rank, 2);
    EXPECT_EQ(model.by_tests->rank, 2);
  }
  EXPECT_EQ(found.kendall_tau, std::nullopt);  // there is no order to agree with
}

TEST(Ranking, tau_is_one_where_the_order_is_beyond_doubt) {
  const Ranking found = ranking(in_order(5, 20), {.replicates = 200});
  EXPECT_EQ(found.kendall_tau->mean, 1);
  EXPECT_EQ(found.kendall_tau->low, 1);
  EXPECT_EQ(found.kendall_tau->high, 1);
  EXPECT_EQ(found.models[4].stability->rank_low, 5U);
}

TEST(Ranking, tau_is_low_for_equal_models) {
  stats::Generator chance(3);
  const Ranking found = ranking(equal_models(5, clusters_of(40, 1), chance), {.replicates = 500});
  EXPECT_LT(found.kendall_tau->mean, 0.8);
  EXPECT_LT(found.kendall_tau->low, 0.3);
  EXPECT_LE(found.kendall_tau->high, 1);
}

TEST(Ranking, two_models_and_few_cases_say_nothing_of_stability) {
  for (const auto& [models, cases, why] :
       {std::tuple(2, 40, "with two models"), std::tuple(5, 9, "fewer than ten cases")}) {
    const Ranking found = ranking(in_order(std::size_t(models), std::size_t(cases)), {});
    EXPECT_THAT(stability_gap(found), HasSubstr(why));
    EXPECT_EQ(found.kendall_tau, std::nullopt);
    EXPECT_EQ(found.models[0].rank, 1);
    for (const ModelRank& model : found.models) EXPECT_FALSE(model.stability.has_value());
  }
  const Ranking enough = ranking(in_order(3, 10), {});
  EXPECT_EQ(stability_gap(enough), "");
  EXPECT_TRUE(enough.models[0].stability.has_value());
  const std::vector<std::size_t> clusters = clusters_of(9, 4);
  const Ranking clustered = ranking(in_order(3, 36), {.clusters = clusters});
  EXPECT_THAT(stability_gap(clustered), HasSubstr("fewer than ten clusters"));
  EXPECT_FALSE(clustered.models[0].stability.has_value());
}

TEST(Ranking, blocks_are_the_means_of_clusters) {
  // Cluster means (2, 1, 0), (1, 2, 0), (2, 1, 0), of 1, 2 and 3 cases.
  const Scores scores = {{2, 0, 2, 1, 2, 3}, {1, 2, 2, 0, 0, 3}, {0, 0, 0, 0, 0, 0}};
  const std::vector<std::size_t> clusters = {0, 1, 1, 2, 2, 2};
  const Ranking found = ranking(scores, {.clusters = clusters});
  EXPECT_EQ(found.n, 6U);
  EXPECT_EQ(found.blocks, 3U);
  EXPECT_EQ(block_note(found), "blocks are the 3 clusters, each the mean of its cases");
  EXPECT_FALSE(found.friedman.has_value());  // three rows would agree by chance
  EXPECT_NEAR(found.models[0].mean_rank, 4.0 / 3, 1e-15);
  EXPECT_NEAR(found.models[1].mean_rank, 5.0 / 3, 1e-15);
}

TEST(Ranking, friedman_is_of_the_means_of_clusters) {
  const Scores scores = in_order(3, 24);
  const std::vector<std::size_t> clusters = clusters_of(6, 4);
  Scores means(3);
  for (std::size_t m = 0; m < 3; ++m) means[m] = stats::cluster_means(scores[m], clusters);
  const Ranking found = ranking(scores, {.clusters = clusters}), of_means = ranking(means, {});
  EXPECT_EQ(found.friedman->statistic, of_means.friedman->statistic);
  EXPECT_EQ(found.critical_difference, of_means.critical_difference);
}

TEST(Ranking, equal_models_on_few_subjects_are_seldom_called_different) {
  // Six subjects of twenty cases: over cases Friedman's test rejected in more than half.
  const std::vector<std::size_t> clusters = clusters_of(6, 20);
  stats::Generator chance(11);
  constexpr int studies = 400;
  int by_case = 0, by_cluster = 0;
  for (int s = 0; s < studies; ++s) {
    const Scores scores = equal_models(4, clusters, chance);
    by_case += ranking(scores, {.replicates = 1}).friedman->f_pvalue <= 0.05 ? 1 : 0;
    by_cluster +=
        ranking(scores, {.replicates = 1, .clusters = clusters}).friedman->f_pvalue <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(by_case, studies / 2);
  EXPECT_LT(by_cluster, studies * 9 / 100);  // 5 % of 400 is 20, and 36 nearly four errors away
}

}  // namespace ranking_test
