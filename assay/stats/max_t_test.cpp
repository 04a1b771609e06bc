// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/max_t.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace max_t_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
using Rows = std::vector<Values>;

Values signed_rank_scores(const Values& differences) {
  Values magnitudes;
  for (const double d : differences) magnitudes.push_back(std::fabs(d));
  Values scores = mid_ranks(magnitudes).ranks;
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = std::copysign(scores[i], differences[i]);
  return scores;
}

double statistic(const Values& row, unsigned flips) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += (flips >> i) & 1U ? -row[i] : row[i];
    squares += row[i] * row[i];
  }
  return squares == 0 ? 0 : std::fabs(sum) / std::sqrt(squares);
}

/// The definition: for the hypothesis with the k-th largest statistic, the share of assignments in
/// which the largest statistic among it and all smaller ones reaches its own; then a running
/// maximum.
Values oracle(const Rows& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](auto a, auto b) { return statistic(rows[a], 0) > statistic(rows[b], 0); });
  Values out(rows.size());
  double running = 0;
  const unsigned all = 1U << rows.front().size();
  for (std::size_t k = 0; k < order.size(); ++k) {
    unsigned count = 0;
    for (unsigned flips = 0; flips < all; ++flips) {
      double greatest = 0;
      for (std::size_t j = k; j < order.size(); ++j)
        greatest = std::max(greatest, statistic(rows[order[j]], flips));
      if (greatest >= statistic(rows[order[k]], 0) - 1e-9) ++count;
    }
    running = std::max(running, static_cast<double>(count) / all);
    out[order[k]] = running;
  }
  return out;
}

Rows random_rows(std::uint64_t seed, std::size_t hypotheses, std::size_t cases) {
  Generator random(seed);
  Rows rows(hypotheses, Values(cases));
  for (std::size_t i = 0; i < cases; ++i) {
    const double shared = random.uniform() - 0.5;
    for (auto& row : rows) row[i] = shared + random.uniform() - 0.4;
  }
  return rows;
}

TEST(MaxT, one_hypothesis_is_the_exact_signed_rank_test) {
  const Values differences = {1, -2, 3, 4, 5, -1.5, 6, 7.25};
  const MaxT found = max_t(Rows{signed_rank_scores(differences)});
  EXPECT_TRUE(found.is_exact);
  EXPECT_EQ(found.flips, 256U);
  EXPECT_DOUBLE_EQ(found.pvalues[0], wilcoxon(differences).pvalue);
}

TEST(MaxT, equals_its_definition_by_enumeration) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rows rows = random_rows(seed, 1 + seed % 5, 5 + seed % 5);
    const Values want = oracle(rows), found = max_t(rows).pvalues;
    for (std::size_t h = 0; h < want.size(); ++h) EXPECT_DOUBLE_EQ(found[h], want[h]) << seed;
  }
}

TEST(MaxT, adjusted_values_are_never_below_the_single_ones) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rows rows = random_rows(seed, 4, 9);
    const Values joint = max_t(rows).pvalues;
    for (std::size_t h = 0; h < rows.size(); ++h)
      EXPECT_GE(joint[h], max_t(Rows{rows[h]}).pvalues[0]);
  }
}

TEST(MaxT, a_copy_of_a_hypothesis_costs_nothing) {
  const Values one = random_rows(3, 1, 10)[0];
  EXPECT_DOUBLE_EQ(max_t(Rows{one, one, one}).pvalues[1], max_t(Rows{one}).pvalues[0]);
}

TEST(MaxT, draws_agree_with_the_enumeration) {
  const Rows rows = random_rows(7, 3, 12);
  const Values exact = max_t(rows).pvalues;
  const MaxT drawn = max_t(rows, {.replicates = 4000});  // 2^12 = 4096 are more than that
  EXPECT_FALSE(drawn.is_exact);
  for (std::size_t h = 0; h < rows.size(); ++h) EXPECT_NEAR(drawn.pvalues[h], exact[h], 0.04);
}

TEST(MaxT, does_not_depend_on_the_number_of_threads) {
  const Rows rows = random_rows(11, 6, 70);
  const MaxT alone = max_t(rows, {.replicates = 3000});
  const MaxT together = max_t(rows, {.replicates = 3000, .executor = executors::three_threads});
  EXPECT_EQ(alone.pvalues, together.pvalues);
  EXPECT_EQ(alone.critical, together.critical);
}

TEST(MaxT, the_critical_value_separates) {
  const Rows rows = random_rows(5, 3, 10);
  const MaxT found = max_t(rows, {.alpha = 0.1});
  const unsigned all = 1U << 10U;
  unsigned at_least = 0, above_limit = 0;
  for (unsigned flips = 0; flips < all; ++flips) {
    double greatest = 0;
    for (const auto& row : rows) greatest = std::max(greatest, statistic(row, flips));
    at_least += greatest >= found.critical - 1e-9;
    above_limit += greatest >= found.critical * 0.98;
  }
  EXPECT_LE(at_least, all / 10);
  EXPECT_GT(above_limit, all / 10);
}

TEST(MaxT, too_few_cases_have_no_critical_value) {
  EXPECT_EQ(max_t(Rows{{1, 2, 3}}).critical, std::numeric_limits<double>::infinity());
}

TEST(MaxT, hypotheses_without_scores_prove_nothing) {
  const MaxT found = max_t(Rows{{0, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(found.pvalues[0], 1);
  EXPECT_DOUBLE_EQ(found.pvalues[1], 2.0 / 64);
  EXPECT_TRUE(max_t({}).pvalues.empty());
  EXPECT_THROW(max_t(Rows{{1, 2}, {1}}), Error);
}

}  // namespace max_t_test
