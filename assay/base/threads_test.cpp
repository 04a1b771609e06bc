// SPDX-License-Identifier: Apache-2.0
#include "assay/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "assay/base/own_threads.hpp"
#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/stats/random.hpp"

namespace threads_test {

using namespace assay;

TEST(Executor, runs_every_task_once) {
  for (const unsigned jobs : {0U, 1U, 2U, 5U}) {
    std::vector<int> calls(1000);
    run_tasks(thread_executor(jobs), calls.size(), [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(1000, 1)) << jobs;
  }
  EXPECT_FALSE(thread_executor(1));
}

TEST(Executor, hands_on_what_a_task_throws) {
  const auto fail = [](std::size_t i) {
    if (i == 7) throw Error(Error::Kind::input, "seven");
  };
  EXPECT_THROW(run_tasks(thread_executor(2), 10, fail), Error);
}

TEST(Executor, goes_on_after_a_failure_and_begins_nothing_more) {
  const Executor executor = thread_executor(3);
  std::atomic<int> begun = 0;
  const auto fail = [&](std::size_t) {
    ++begun;
    throw Error(Error::Kind::input, "each");
  };
  EXPECT_THROW(run_tasks(executor, 100'000, fail), Error);
  EXPECT_LE(begun, 3);
  std::atomic<int> calls = 0;
  run_tasks(executor, 100, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 100);
}

TEST(Executor, a_task_may_run_tasks_of_its_own) {
  for (const unsigned jobs : {2U, 4U}) {
    const Executor executor = thread_executor(jobs);
    std::vector<int> calls(8 * 8 * 8);
    run_tasks(executor, 8, [&](std::size_t i) {
      run_tasks(executor, 8, [&](std::size_t j) {
        run_tasks(executor, 8, [&](std::size_t k) { ++calls[(i * 8 + j) * 8 + k]; });
      });
    });
    EXPECT_EQ(calls, std::vector<int>(8 * 8 * 8, 1)) << jobs;
  }
}

TEST(Executor, several_threads_may_use_it_at_once) {
  const Executor executor = thread_executor(3);
  std::vector<std::vector<int>> calls(4, std::vector<int>(500));
  std::atomic<std::size_t> next = 0;
  on_own_threads(4, [&] {
    std::vector<int>& own = calls[next.fetch_add(1)];
    for (int round = 0; round < 20; ++round)
      run_tasks(executor, own.size(), [&](std::size_t i) { ++own[i]; });
  });
  for (const auto& own : calls) EXPECT_EQ(own, std::vector<int>(500, 20));
}

TEST(Executor, a_bootstrap_is_the_same_on_any_number_of_threads) {
  stats::Generator generator(1);
  std::vector<std::int64_t> truths(935), predictions(935);
  for (auto& label : truths) label = static_cast<std::int64_t>(generator.below(5));
  for (auto& label : predictions) label = static_cast<std::int64_t>(generator.below(5));
  const auto replicates = [&](unsigned jobs) {
    return stats::bootstrap_metric(predictions, truths,
                                   stats::ClassificationMetric::balanced_accuracy,
                                   {.executor = thread_executor(jobs)})
        .replicates;
  };
  EXPECT_EQ(replicates(2), replicates(1));
  EXPECT_EQ(replicates(7), replicates(1));
}

}  // namespace threads_test
