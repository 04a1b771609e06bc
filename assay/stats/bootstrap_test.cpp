// SPDX-License-Identifier: Apache-2.0
#include "assay/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/stats/executors_for_test.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace bootstrap_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;
using Ids = std::vector<std::int64_t>;
using vectors::Json;

const std::map<std::string, Statistic> statistics = {
    {"mean", mean},
    {"median", median},
    {"std", [](std::span<const double> values) { return standard_deviation(values, 0); }},
};

BootstrapOptions options_of(const Json& item) {
  BootstrapOptions options;
  options.replicates = item.at("B");
  options.seed = seed_words(item.at("seed").get<std::uint64_t>());
  options.method = value_in(bootstrap_methods(), item.value("method", "percentile"), "method");
  options.level = item.value("confidence_level", 0.95);
  options.alternative =
      value_in(alternatives(), item.value("alternative", "two-sided"), "alternative");
  return options;
}

void expect_interval(const BootstrapResult& found, const Json& item) {
  const Json& want = *vectors::expected(item, "scipy-1.15.3");
  const double rtol = item.at("rtol");
  const std::string where = item.at("id");
  vectors::expect_near(found.ci_lower, vectors::number(want.at("low")), rtol, where + " low");
  vectors::expect_near(found.ci_upper, vectors::number(want.at("high")), rtol, where + " high");
  vectors::expect_near(found.std, vectors::number(want.at("se")), rtol, where + " se");
}

Ids random_labels(Generator& generator, std::size_t size, std::uint64_t classes) {
  Ids labels(size);
  for (auto& label : labels) label = static_cast<std::int64_t>(generator.below(classes));
  return labels;
}

TEST(Bootstrap, of_a_constant_has_no_width) {
  const BootstrapResult found = bootstrap(Values{2, 2, 2}, mean);
  EXPECT_EQ(found.point, 2);
  EXPECT_EQ(found.mean, 2);
  EXPECT_EQ(found.std, 0);
  EXPECT_EQ(found.ci_lower, 2);
  EXPECT_EQ(found.ci_upper, 2);
  EXPECT_EQ(found.n_replicates, 1000U);
}

TEST(Bootstrap, refuses_what_has_no_answer) {
  EXPECT_THROW(bootstrap(Values{}, mean), Error);
  EXPECT_THROW(bootstrap(Values{1}, mean, {.replicates = 0}), Error);
  EXPECT_THROW(bootstrap(Values{1}, mean, {.level = 1}), Error);
  EXPECT_THROW(bootstrap(Values{1, 2}, mean, {.clusters = {1}}), Error);
  EXPECT_THROW(bootstrap_metric(Ids{}, Ids{}, ClassificationMetric::accuracy), Error);
}

TEST(Bootstrap, degenerate_bca_is_nan_and_not_a_guess) {
  const BootstrapResult found = bootstrap(Values{1, 1, 1}, mean, {.method = BootstrapMethod::bca});
  EXPECT_TRUE(std::isnan(found.ci_lower));
  EXPECT_TRUE(std::isnan(bootstrap(Values{1, NAN, 3}, mean).ci_lower));
}

TEST(Bootstrap, counting_equals_scoring_each_resample) {
  Generator generator(4);
  const Ids truths = random_labels(generator, 57, 5), predictions = random_labels(generator, 57, 6);
  for (const auto& row : classification_metrics()) {
    const IndexStatistic slow = [&](std::span<const std::uint32_t> indices) {
      Ids p, t;
      for (const std::uint32_t i : indices) {
        p.push_back(predictions[i]);
        t.push_back(truths[i]);
      }
      return classification_score(row.value, p, t);
    };
    for (const auto method : {BootstrapMethod::percentile, BootstrapMethod::bca}) {
      const BootstrapOptions options = {.replicates = 50, .method = method};
      const BootstrapResult fast = bootstrap_metric(predictions, truths, row.value, options);
      const BootstrapResult wanted = bootstrap_indices(57, slow, options);
      for (std::size_t b = 0; b < 50; ++b)
        EXPECT_DOUBLE_EQ(fast.replicates[b], wanted.replicates[b]) << row.name;
      EXPECT_DOUBLE_EQ(fast.ci_lower, wanted.ci_lower) << row.name;
      EXPECT_DOUBLE_EQ(fast.ci_upper, wanted.ci_upper) << row.name;
    }
  }
}

TEST(Bootstrap, clusters_move_together) {
  // Two clusters of equal values: a replicate mean is 0, 1/2 or 1.
  const Values values = {0, 0, 1, 1};
  const BootstrapResult found = bootstrap(values, mean, {.clusters = {8, 8, 3, 3}});
  for (const double replicate : found.replicates)
    EXPECT_TRUE(replicate == 0 || replicate == 0.5 || replicate == 1);
  EXPECT_GT(found.std, bootstrap(values, mean).std);
  // Clusters of one are items.
  EXPECT_EQ(bootstrap(values, mean, {.clusters = {0, 1, 2, 3}}).replicates,
            bootstrap(values, mean).replicates);
}

TEST(Bootstrap, is_the_same_with_any_executor) {
  Generator generator(8);
  const std::size_t n = 301;
  const Ids truths = random_labels(generator, n, 4), predictions = random_labels(generator, n, 4);
  std::vector<std::size_t> clusters(n);
  for (std::size_t i = 0; i < n; ++i) clusters[i] = i / 2;
  std::vector<Values> scores(9, Values(n));
  for (Values& row : scores)
    for (double& score : row) score = generator.uniform();
  for (const auto& grouping : {std::vector<std::size_t>{}, clusters}) {
    BootstrapOptions options = {
        .replicates = 700, .method = BootstrapMethod::bca, .clusters = grouping};
    const auto metric = ClassificationMetric::balanced_accuracy;
    const auto labels = bootstrap_metric(predictions, truths, metric, options);
    const auto joint = joint_bootstrap_means(scores, options);
    const auto median_of = bootstrap(scores[0], median, options);
    for (const Executor& executor : {executors::backwards, executors::three_threads}) {
      options.executor = executor;
      const auto again = bootstrap_metric(predictions, truths, metric, options);
      EXPECT_EQ(again.replicates, labels.replicates);
      EXPECT_EQ(again.ci_lower, labels.ci_lower);
      EXPECT_EQ(joint_bootstrap_means(scores, options).ranks, joint.ranks);
      EXPECT_EQ(joint_bootstrap_means(scores, options).models[8].replicates,
                joint.models[8].replicates);
      EXPECT_EQ(bootstrap(scores[0], median, options).replicates, median_of.replicates);
    }
  }
  const Ids one = {1};
  const BootstrapOptions options = {.executor = executors::three_threads};
  EXPECT_EQ(bootstrap_metric(one, one, ClassificationMetric::accuracy, options).mean, 1);
}

TEST(JointBootstrap, ranks_can_be_had_alone) {
  Generator generator(6);
  std::vector<Values> scores(5, Values(40));
  for (Values& row : scores)
    for (double& score : row) score = generator.uniform();
  EXPECT_EQ(bootstrap_ranks_of_means(scores), joint_bootstrap_means(scores).ranks);
}

TEST(JointBootstrap, shares_resamples_between_models) {
  const std::vector<Values> scores = {
      {0.1, 0.5, 0.9, 0.4}, {0.2, 0.6, 1.0, 0.5}, {0.1, 0.5, 0.9, 0.4}};
  const JointBootstrap found = joint_bootstrap_means(scores);
  // Model 1 is better by 0.1 on every case, so on every resample too.
  EXPECT_NEAR(found.differences[1].ci_lower, 0.1, 1e-12);
  EXPECT_NEAR(found.differences[1].std, 0, 1e-12);
  EXPECT_EQ(found.differences[2].point, 0);
  EXPECT_EQ(found.probability_best, (Values{0, 1, 0}));
  EXPECT_NEAR(found.ranks[0][1], 0.5, 1e-12);  // shares places 2 and 3 with its copy
  EXPECT_NEAR(found.ranks[0][2], 0.5, 1e-12);
  EXPECT_THROW(joint_bootstrap_means(std::vector<Values>{{1, 2}, {1}}), Error);
}

TEST(Bootstrap, vectors_of_scipy) {
  const auto cases = vectors::cases("scipy_bootstrap");
  for (const auto& item : cases)
    expect_interval(
        bootstrap(vectors::numbers(item.at("a")),
                  statistics.at(item.at("statistic").get<std::string>()), options_of(item)),
        item);
  for (const auto& item : vectors::cases("scipy_bootstrap_paired")) {
    const Values a = vectors::numbers(item.at("a")), b = vectors::numbers(item.at("b"));
    EXPECT_EQ(item.at("statistic"), "mean_diff");
    const IndexStatistic mean_difference = [&](std::span<const std::uint32_t> indices) {
      Values x, y;
      for (const std::uint32_t i : indices) {
        x.push_back(a[i]);
        y.push_back(b[i]);
      }
      return mean(x) - mean(y);
    };
    expect_interval(bootstrap_indices(a.size(), mean_difference, options_of(item)), item);
  }
}

TEST(Bootstrap, vectors_of_classification) {
  const auto cases = vectors::cases("spec_bootstrap");
  for (const auto& item : cases) {
    const auto metric =
        value_in(classification_metrics(), item.at("metric").get<std::string>(), "metric");
    const BootstrapResult found = bootstrap_metric(
        item.at("y_pred").get<Ids>(), item.at("y_true").get<Ids>(), metric, options_of(item));
    const Json& want = *vectors::expected(item, "scipy-1.10.1");
    const double rtol = item.at("rtol");
    const std::string where = item.at("id");
    vectors::expect_near(found.point, want.at("point"), rtol, where + " point");
    vectors::expect_near(found.mean, want.at("mean"), rtol, where + " mean");
    vectors::expect_near(found.std, want.at("std"), rtol, where + " std");
    vectors::expect_near(found.ci_lower, want.at("ci_lower"), rtol, where + " lower");
    vectors::expect_near(found.ci_upper, want.at("ci_upper"), rtol, where + " upper");
    for (std::size_t i = 0; i < 5; ++i)
      vectors::expect_near(found.replicates[i], want.at("first5")[i], rtol, where + " replicate");
  }
}

TEST(Bootstrap, vectors_of_the_specification) {
  const auto cases = vectors::reference("bootstrap");
  for (const auto& item : cases) {
    const auto metric =
        value_in(classification_metrics(), item.at("metric").get<std::string>(), "metric");
    const BootstrapOptions options = {.replicates = item.at("n_replicates"),
                                      .seed = seed_words(item.at("seed").get<std::uint64_t>())};
    const BootstrapResult found = bootstrap_metric(item.at("predictions").get<Ids>(),
                                                   item.at("truths").get<Ids>(), metric, options);
    vectors::expect_near(found.point, item.at("point"), 2e-15, "point");
    vectors::expect_near(found.mean, item.at("mean"), 2e-15, "mean");
    vectors::expect_near(found.std, item.at("std_ddof1"), 2e-15, "std");
    vectors::expect_near(found.ci_lower, item.at("ci_lower"), 2e-15, "lower");
    vectors::expect_near(found.ci_upper, item.at("ci_upper"), 2e-15, "upper");
  }
}

}  // namespace bootstrap_test
