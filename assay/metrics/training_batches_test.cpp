// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/training_batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace training_batches_test {

using namespace assay;
using namespace assay::metrics;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;
using vectors::Json;

using Masks = std::vector<std::uint8_t>;

template <class T>
BatchView<T> view(const std::vector<T>& values, std::size_t batch, std::size_t classes) {
  return {values.data(), batch, classes, values.size() / (batch * classes)};
}

template <class T>
std::vector<T> noise(std::size_t size, std::uint32_t seed) {
  stats::Generator generator(stats::SeedSequence(std::vector<std::uint32_t>{seed}));
  std::vector<T> values(size);
  for (T& value : values) {
    if constexpr (std::is_same_v<T, Half>)
      value = to_half(static_cast<float>(generator.uniform()));
    else
      value = static_cast<T>(generator.uniform());
  }
  return values;
}

/// Threads in a random order.
void run_on_threads(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([=, &task] {
      for (std::size_t i = tasks; i-- > 0;)
        if (i % 3 == t) task(i);
    });
}

/// 1 where `id` is the class.
std::vector<float> one_hot(const std::vector<std::size_t>& ids, std::size_t batch,
                           std::size_t classes) {
  const std::size_t voxels = ids.size() / batch;
  std::vector<float> values(ids.size() * classes);
  for (std::size_t i = 0; i < ids.size(); ++i)
    values[(i / voxels * classes + ids[i]) * voxels + i % voxels] = 1;
  return values;
}

template <class T>
void flatten(const Json& json, std::vector<T>& out) {
  if (!json.is_array()) {
    out.push_back(static_cast<T>(vectors::number(json)));
    return;
  }
  for (const Json& each : json) flatten(each, out);
}

template <class T>
std::vector<T> flat(const Json& json) {
  std::vector<T> out;
  flatten(json, out);
  return out;
}

TEST(BinaryDice, the_documentation_s_example) {
  // 4 and 6 voxels, 4 in common: 0.8; the second sample is empty on both sides.
  Masks outputs(32), labels(32);
  for (const unsigned i : {0U, 1U, 4U, 5U}) outputs[i] = labels[i] = 1;
  labels[8] = labels[9] = 1;
  const BatchScores scores = binary_dice(view(outputs, 2, 1), view(labels, 2, 1));
  EXPECT_THAT(scores.values, ElementsAre(0.8, 1.0));
  EXPECT_THAT(scores.shape, ElementsAre(2, 1));
  EXPECT_DOUBLE_EQ(reduced(scores, Reduction::mean).values[0], 0.9);
  EXPECT_EQ(binary_dice(view(outputs, 2, 1), view(labels, 2, 1), {.if_empty = 0}).values[1], 0);
  const auto documented =
      binary_dice(view(outputs, 2, 1), view(labels, 2, 1), {.policy = DicePolicy::mipcandy_doc});
  EXPECT_TRUE(std::isnan(documented.values[1]));  // "only when all samples are empty"
  EXPECT_THROW(
      binary_dice(view(outputs, 2, 1), view(labels, 2, 1), {.policy = DicePolicy::mipcandy_1_1_1}),
      Error);
  EXPECT_THROW(binary_dice(view(outputs, 2, 2), view(labels, 2, 2)), Error);
  EXPECT_THROW(binary_dice(view(outputs, 2, 1), view(labels, 1, 1)), Error);
}

TEST(Reduction, the_documentation_s_example) {
  const BatchScores scores = {{0.8, 0.9, 0.7, 0.85}, {4}};
  EXPECT_DOUBLE_EQ(reduced(scores, Reduction::mean).values[0], 0.8125);
  EXPECT_DOUBLE_EQ(reduced(scores, Reduction::median).values[0], 0.825);
  EXPECT_DOUBLE_EQ(reduced(scores, Reduction::median, DicePolicy::mipcandy_1_1_2).values[0], 0.8);
  EXPECT_DOUBLE_EQ(reduced(scores, Reduction::sum).values[0], 3.25);
  EXPECT_EQ(reduced(scores, Reduction::none).values, scores.values);
  EXPECT_TRUE(std::isnan(reduced({{}, {0}}, Reduction::mean).values[0]));
  EXPECT_TRUE(std::isnan(reduced({{1, NAN}, {2}}, Reduction::median).values[0]));
}

TEST(DiceSimilarity, empty_classes_by_policy) {
  // Class 0 agrees, class 1 overlaps by half, class 2 is empty on both sides.
  const std::vector<float> outputs = {1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0};
  const std::vector<float> labels = {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  const auto by = [&](DicePolicy policy, double if_empty) {
    return dice_similarity_coefficient(view(outputs, 1, 3), view(labels, 1, 3),
                                       {.if_empty = if_empty, .policy = policy});
  };
  EXPECT_THAT(by(DicePolicy::assay, 1).values, ElementsAre(1, 0.5, 1));
  EXPECT_THAT(by(DicePolicy::assay, 0).values, ElementsAre(1, 0.5, 0));
  EXPECT_THAT(by(DicePolicy::mipcandy_doc, 1).values, ElementsAre(1));
  EXPECT_TRUE(by(DicePolicy::mipcandy_1_1_1, 1).shape.empty());
  EXPECT_THAT(by(DicePolicy::mipcandy_1_1_2, 1).values, ElementsAre(1, 0.5, 0));
  EXPECT_TRUE(std::isnan(by(DicePolicy::mipcandy_1_1_2, 0).values[2]));
}

TEST(SoftDice, worked_by_hand) {
  const std::vector<double> p = {0.5, 0.5, 1, 0, 0.2, 0.8, 0, 0}, g = {1, 0, 1, 0, 0, 1, 0, 0};
  const auto by = [&](bool batch, DicePolicy policy = DicePolicy::assay) {
    return soft_dice(view(p, 2, 2), view(g, 2, 2), {.batch_dice = batch, .policy = policy});
  };
  // Sums per entry (pg, p, g): (0.5, 1, 1) (1, 1, 1) (0.8, 1, 1) (0, 0, 0).
  EXPECT_THAT(by(false).values, ElementsAre(2.0 / 3, 1, 2.6 / 3, 1));
  EXPECT_THAT(by(true).values, ElementsAre(DoubleNear(3.6 / 5, 1e-15), 1));
  EXPECT_THAT(by(true).shape, ElementsAre(2));
  EXPECT_THAT(by(true, DicePolicy::mipcandy_doc).values, ElementsAre(DoubleNear(5.6 / 7, 1e-15)));
  EXPECT_TRUE(by(true, DicePolicy::mipcandy_doc).shape.empty());
}

template <class T>
class SoftDiceOf : public testing::Test {};
using Types = testing::Types<Half, float, double>;
TYPED_TEST_SUITE(SoftDiceOf, Types);

TYPED_TEST(SoftDiceOf, long_sums_equal_a_plain_loop_and_do_not_depend_on_threads) {
  const std::size_t voxels = 200003;  // several blocks and an odd end
  const auto p = noise<TypeParam>(2 * voxels, 1), g = noise<TypeParam>(2 * voxels, 2);
  const auto wide = [](TypeParam x) {
    if constexpr (std::is_same_v<TypeParam, Half>)
      return double{to_float(x)};
    else
      return double{x};
  };
  const auto one = soft_dice(view(p, 1, 2), view(g, 1, 2), {.batch_dice = false});
  const auto many =
      soft_dice(view(p, 1, 2), view(g, 1, 2), {.batch_dice = false, .executor = run_on_threads});
  EXPECT_EQ(one.values, many.values);
  for (std::size_t c = 0; c < 2; ++c) {
    double both = 0, sum = 0;
    for (std::size_t i = c * voxels; i < (c + 1) * voxels; ++i) {
      both += wide(p[i]) * wide(g[i]);
      sum += wide(p[i]) + wide(g[i]);
    }
    const double tolerance = std::is_same_v<TypeParam, double> ? 1e-13 : 2e-7;
    EXPECT_NEAR(one.values[c], (2 * both + 1) / (sum + 1), tolerance);
  }
}

TEST(SoftDiceGradient, is_the_slope) {
  const auto p = noise<double>(2 * 3 * 5, 1), g = noise<double>(2 * 3 * 5, 2);
  for (const Reduction reduction : {Reduction::mean, Reduction::median, Reduction::sum})
    for (const DicePolicy policy : {DicePolicy::assay, DicePolicy::mipcandy_doc})
      for (const bool batch : {true, false}) {
        const SoftDiceOptions options = {.smooth = 0.7, .batch_dice = batch, .policy = policy};
        std::vector<double> gradient(p.size());
        const double upstream[] = {2.0};
        soft_dice_gradient(view(p, 2, 3), view(g, 2, 3), {reduction, upstream}, std::span(gradient),
                           options);
        const auto value = [&](const std::vector<double>& at) {
          return 2 * reduced(soft_dice(view(at, 2, 3), view(g, 2, 3), options), reduction, policy)
                         .values[0];
        };
        for (std::size_t i = 0; i < p.size(); ++i) {
          constexpr double step = 1e-6;
          auto more = p, less = p;
          more[i] += step;
          less[i] -= step;
          EXPECT_NEAR(gradient[i], (value(more) - value(less)) / (2 * step), 1e-8);
        }
      }
}

TEST(SoftDiceGradient, of_each_score_by_its_own_weight) {
  const auto p = noise<float>(2 * 2 * 3, 1), g = noise<float>(2 * 2 * 3, 2);
  std::vector<float> first(12), second(12), both(12);
  const auto with = [&](std::vector<double> upstream, std::vector<float>& out) {
    soft_dice_gradient(view(p, 2, 2), view(g, 2, 2), {Reduction::none, upstream}, std::span(out));
  };
  with({1, 0}, first);
  with({0, 1}, second);
  with({2, 3}, both);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_FLOAT_EQ(both[i], 2 * first[i] + 3 * second[i]);
  EXPECT_THROW(with({1, 2, 3}, both), Error);
}

TEST(SoftDiceGradient, by_the_labels_is_that_of_the_swapped_pair) {
  const auto p = noise<double>(2 * 2 * 5, 1), g = noise<double>(2 * 2 * 5, 2);
  const double upstream[] = {1.5};
  std::vector<double> once(20), swapped(20);
  const SoftDiceSums sums = soft_dice_sums(view(p, 2, 2), view(g, 2, 2));
  soft_dice_gradient(sums, view(p, 2, 2), {Reduction::mean, upstream}, std::span(once));
  soft_dice_gradient(view(g, 2, 2), view(p, 2, 2), {Reduction::mean, upstream}, std::span(swapped));
  EXPECT_EQ(once, swapped);
  EXPECT_THROW(
      soft_dice_gradient(sums, view(p, 1, 2), {Reduction::mean, upstream}, std::span(once)), Error);
}

TEST(DiceFamily, vectors) {
  const Json section = vectors::reference("mipcandy");
  const std::pair<const char*, DicePolicy> releases[] = {
      {"37a3cf4_doc", DicePolicy::mipcandy_doc},
      {"e9251e8_v1.1.1", DicePolicy::mipcandy_1_1_1},
      {"f33bce9_v1.1.2plus", DicePolicy::mipcandy_1_1_2}};
  for (const Json& item : section.at("cases")) {
    const std::size_t batch = item.at("B"), classes = item.at("C");
    const auto hard = one_hot(flat<std::size_t>(item.at("pred_ids")), batch, classes);
    const auto truth = one_hot(flat<std::size_t>(item.at("label_ids")), batch, classes);
    const auto soft = flat<float>(item.at("soft_outputs"));
    const auto h = view(hard, batch, classes), t = view(truth, batch, classes);
    EXPECT_THAT(
        dice_similarity_coefficient(h, t).values,
        Pointwise(DoubleNear(1e-6), flat<double>(item.at("per_sample_per_class_if_empty1"))));
    for (const auto& [release, policy] : releases)
      for (const auto& [name, reduction] : reductions()) {
        const Json& wanted = item.at(release);
        const auto check = [&, of = release, how = policy, as = name, by = reduction](
                               const std::string& key, const BatchScores& scores) {
          EXPECT_THAT(reduced(scores, by, how).values,
                      Pointwise(testing::NanSensitiveDoubleNear(1e-6),
                                flat<double>(wanted.at(key + "_" + std::string(as)))))
              << of << " " << key << " " << as;
        };
        check("dsc", dice_similarity_coefficient(h, t, {.policy = policy}));
        const auto s = view(soft, batch, classes);
        check("soft_batch", soft_dice(s, t, {.policy = policy}));
        check("soft_sample", soft_dice(s, t, {.batch_dice = false, .policy = policy}));
      }
  }
}

}  // namespace training_batches_test
