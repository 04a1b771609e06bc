// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/resampler.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "assay/error.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/random.hpp"

namespace resampler_test {

using namespace assay;
using namespace assay::stats;

using Rows = std::vector<std::vector<std::uint32_t>>;

struct Found {
  Rows rows;
  std::size_t tasks = 0, replicates = 0;  ///< how often called, and for how many replicates
};

struct Plan {
  std::uint32_t bound;
  std::size_t size, replicates;
  std::uint64_t seed = 1;
};

Found found(const Plan& plan, const Executor& executor) {
  const ReplicateDraws draws(Pcg64(SeedSequence(seed_words(plan.seed))), plan.bound, plan.size);
  Found result;
  result.rows.resize(plan.replicates);
  std::atomic<std::size_t> tasks = 0, replicates = 0;
  const BlockTask task = [&](std::size_t first, std::size_t last, ReplicateDraws& own) {
    ++tasks;
    replicates += last - first;
    for (std::size_t b = first; b < last; ++b) {
      const auto row = own.next();
      result.rows[b].assign(row.begin(), row.end());
    }
  };
  draw_in_blocks(draws, plan.replicates, executor, task);
  result.tasks = tasks;
  result.replicates = replicates;
  return result;
}

/// One draw after the other from one generator.
Rows oracle(const Plan& plan) {
  Generator generator(plan.seed);
  Rows rows(plan.replicates, std::vector<std::uint32_t>(plan.size));
  for (auto& row : rows)
    for (auto& index : row) index = static_cast<std::uint32_t>(generator.below(plan.bound));
  return rows;
}

TEST(DrawBlocks, any_executor_draws_what_one_walk_draws) {
  const Plan plans[] = {
      {934, 934, 200},        {935, 935, 200},         // even and odd: half a word may wait
      {1, 1, 1000},           {2, 70'001, 3},          // nothing is drawn; few large replicates
      {60'000, 60'000, 12},   {0xC0000000, 301, 500},  // about 8 rejections; every fourth draw
      {0x80000001, 300, 500}, {5, 5, 1},
  };
  for (const Plan& plan : plans) {
    SCOPED_TRACE(testing::Message() << plan.bound << " x " << plan.replicates);
    const Rows want = oracle(plan);
    const Found serial = found(plan, {});
    EXPECT_EQ(serial.tasks, 1U);
    EXPECT_TRUE(serial.rows == want);
    EXPECT_TRUE(found(plan, executors::backwards).rows == want);
    EXPECT_TRUE(found(plan, executors::three_threads).rows == want);
  }
}

TEST(DrawBlocks, many_rejections_need_more_than_one_round) {
  const Plan plan = {0xC0000000, 301, 500};
  const Found blocks = found(plan, executors::three_threads);
  EXPECT_GT(blocks.tasks, 1U);
  EXPECT_GT(blocks.replicates, plan.replicates);  // some were drawn at a wrong place first
}

TEST(DrawBlocks, a_rejection_that_nobody_expected_is_found) {
  // 2^32 mod 10,000 = 7,296: 200,000 draws expect 0.34 of them, so that blocks are not measured
  // beforehand. Seeds that meet one before the last block are drawn in two rounds.
  std::size_t again = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Plan plan = {10'000, 10'000, 20, seed};
    const Found blocks = found(plan, executors::backwards);
    EXPECT_TRUE(blocks.rows == oracle(plan)) << seed;
    again += blocks.replicates > plan.replicates ? 1 : 0;
  }
  EXPECT_GT(again, 0U);
  EXPECT_LT(again, 12U);
}

TEST(DrawBlocks, expected_rejections_are_those_of_lemires_method) {
  const Pcg64 bits(SeedSequence(seed_words(1U)));
  EXPECT_EQ(ReplicateDraws(bits, 1, 1).expected_rejections(1000), 0);
  EXPECT_EQ(ReplicateDraws(bits, 1, 1).least_halves(1000), 0U);
  EXPECT_EQ(ReplicateDraws(bits, 4096, 10).expected_rejections(1000), 0);  // divides 2^32
  EXPECT_DOUBLE_EQ(ReplicateDraws(bits, 0xC0000000, 10).expected_rejections(4), 10);
}

TEST(CaseMeans, are_plain_sums_bit_for_bit) {
  Generator generator(5);
  for (std::size_t models = 1; models <= 19; ++models) {
    std::vector<std::vector<double>> scores(models, std::vector<double>(31));
    for (auto& row : scores)
      for (double& score : row) score = generator.uniform();
    std::vector<std::uint32_t> indices(77);
    generator.fill_below(31, std::span(indices));
    const CaseMeans means(scores);
    EXPECT_EQ(means.models(), models);
    EXPECT_EQ(means.cases(), 31U);
    std::vector<double> found(models);
    means(indices, found);
    for (std::size_t m = 0; m < models; ++m) {
      double sum = 0;
      for (const std::uint32_t i : indices) sum += scores[m][i];
      EXPECT_EQ(found[m], sum / 77) << m << " of " << models;
    }
  }
}

TEST(CaseMeans, refuse_rows_of_different_lengths) {
  EXPECT_THROW(CaseMeans(std::vector<std::vector<double>>{{1, 2}, {1}}), Error);
}

}  // namespace resampler_test
