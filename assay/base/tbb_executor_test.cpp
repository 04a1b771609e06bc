// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/stats/random.hpp"
#include "assay/threads.hpp"

using namespace assay;

TEST(Executor, runs_every_task_once) {
  for (const unsigned jobs : {0U, 1U, 2U, 5U}) {
    std::vector<int> calls(1000);
    run_tasks(tbb_executor(jobs), calls.size(), [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(1000, 1)) << jobs;
  }
  EXPECT_FALSE(tbb_executor(1));
}

TEST(Executor, hands_on_what_a_task_throws) {
  const auto fail = [](std::size_t i) {
    if (i == 7) throw Error(Error::Kind::input, "seven");
  };
  EXPECT_THROW(run_tasks(tbb_executor(2), 10, fail), Error);
}

TEST(Executor, a_bootstrap_is_the_same_on_any_number_of_threads) {
  stats::Generator generator(1);
  std::vector<std::int64_t> truths(935), predictions(935);
  for (auto& label : truths) label = static_cast<std::int64_t>(generator.below(5));
  for (auto& label : predictions) label = static_cast<std::int64_t>(generator.below(5));
  const auto replicates = [&](unsigned jobs) {
    return stats::bootstrap_metric(predictions, truths,
                                   stats::ClassificationMetric::balanced_accuracy,
                                   {.executor = tbb_executor(jobs)})
        .replicates;
  };
  EXPECT_EQ(replicates(2), replicates(1));
  EXPECT_EQ(replicates(7), replicates(1));
}
