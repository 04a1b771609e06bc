// SPDX-License-Identifier: Apache-2.0
/// Windows and flips against a plain loop over the whole image in double precision;
/// tests/test_windows.py does the same through the program, and tests/peers against MONAI.
#include "assay/model/backends/score_predictor.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/model/backends/window.hpp"

namespace assay::model::score_predictor_test {

using assay::test::refusal;
using ::testing::HasSubstr;

/// Two scores that depend on where a voxel lies in its window, so that nothing cancels.
double score(std::size_t k, double a, double b, const Shape& at) {
  const double place = 0.3 * static_cast<double>(at[0]) - 0.2 * static_cast<double>(at[1]) +
                       0.1 * static_cast<double>(at[2]);
  return k == 0 ? a - place : b + place * a;
}

class Places : public Predictor {
 public:
  std::string backend() const override { return "places"; }
  std::string sha256() const override { return "places"; }
  std::size_t channels() const override { return 2; }
  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override {
    EXPECT_TRUE(settings.logits);
    EXPECT_FALSE(settings.labels);
    const Shape& shape = input.grid().shape;
    greatest = std::max(greatest, input.grid().size());
    Prediction out = {.labels = Volume<std::uint8_t>(Grid{}),
                      .logits = std::vector<float>(2 * input.grid().size())};
    for (std::size_t z = 0, i = 0; z < shape[2]; ++z)
      for (std::size_t y = 0; y < shape[1]; ++y)
        for (std::size_t x = 0; x < shape[0]; ++x, ++i)
          for (std::size_t k = 0; k < 2; ++k)
            out.logits[k * input.grid().size() + i] = static_cast<float>(
                score(k, input.channels[0].voxels[i], input.channels[1].voxels[i], {x, y, z}));
    return out;
  }
  std::size_t greatest = 0;
};

struct Pair {
  Volume<float> a, b;
};

Pair image_of(const Shape& shape) {
  const Grid grid = {.shape = shape};
  Pair out = {Volume<float>(grid), Volume<float>(grid)};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    out.a.voxels()[i] = static_cast<float>(i * 2654435761U % 97) / 97;
    out.b.voxels()[i] = static_cast<float>(i * 40503U % 89) / 89;
  }
  return out;
}

/// Voxel by voxel: every window and flip that covers it.
std::vector<double> expected_scores(const Pair& image, const ScoreRules& rules) {
  const Shape& shape = image.a.grid().shape;
  const WindowPlan plan = window_plan(shape, rules);
  const std::vector<float> weights = window_weights(plan.window, rules.weights);
  std::vector<double> out;
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t z = 0, i = 0; z < shape[2]; ++z)
      for (std::size_t y = 0; y < shape[1]; ++y)
        for (std::size_t x = 0; x < shape[0]; ++x, ++i) {
          double sum = 0, count = 0;
          const Shape at = {x + plan.before[0], y + plan.before[1], z + plan.before[2]};
          for (const std::size_t sz : plan.starts[2])
            for (const std::size_t sy : plan.starts[1])
              for (const std::size_t sx : plan.starts[0]) {
                const Shape start = {sx, sy, sz};
                Shape in{};
                bool covers = true;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                  covers = covers && at[axis] >= start[axis] &&
                           at[axis] < start[axis] + plan.window[axis];
                  in[axis] = at[axis] - start[axis];
                }
                if (!covers) continue;
                const double weight =
                    weights[in[0] + plan.window[0] * (in[1] + plan.window[1] * in[2])];
                double mean = 0, flips = 0;
                for (unsigned bits = 0; bits < 8; ++bits) {
                  Shape seen = in;
                  bool wanted = true;
                  for (std::size_t axis = 0; axis < 3; ++axis)
                    if ((bits >> axis & 1U) != 0) {
                      wanted = wanted && rules.mirror[axis];
                      seen[axis] = plan.window[axis] - 1 - in[axis];
                    }
                  if (!wanted) continue;
                  mean += score(k, image.a.view().voxels[i], image.b.view().voxels[i], seen);
                  ++flips;
                }
                sum += weight * mean / flips;
                count += weight;
              }
          out.push_back(sum / count);
        }
  return out;
}

Prediction predicted(const Pair& image, const ScoreRules& rules, const Executor& executor = {}) {
  return score_predictor(std::make_unique<Places>(), rules)
      ->predict({.channels = {image.a.view(), image.b.view()}},
                {.executor = executor, .logits = true});
}

const std::vector<ScoreRules> many_rules = {
    {},
    {.window = Shape{4, 4, 4}},
    {.window = Shape{4, 3, 5}, .overlap = 0},
    {.window = Shape{5, 4, 2}, .overlap = 0.6, .weights = WindowWeights::constant},
    {.window = Shape{16, 3, 9}, .overlap = 0.25},
    {.window = Shape{4, 4, 4}, .mirror = {true, true, true}},
    {.window = Shape{4, 12, 4}, .overlap = 0.3, .mirror = {true, false, false}},
};

TEST(ScorePredictor, means_are_those_of_a_plain_loop) {
  const Pair image = image_of({9, 7, 8});
  for (std::size_t r = 0; r < many_rules.size(); ++r) {
    const Prediction found = predicted(image, many_rules[r]);
    const std::vector<double> truth = expected_scores(image, many_rules[r]);
    ASSERT_EQ(found.logits.size(), truth.size());
    const std::size_t voxels = truth.size() / 2;
    for (std::size_t i = 0; i < truth.size(); ++i)
      ASSERT_NEAR(found.logits[i], truth[i], 2e-6) << r << ' ' << i;
    for (std::size_t i = 0; i < voxels; ++i)
      if (std::abs(truth[i] - truth[voxels + i]) > 1e-5)
        ASSERT_EQ(found.labels.view().voxels[i], truth[voxels + i] > truth[i]) << r << ' ' << i;
  }
}

TEST(ScorePredictor, threads_do_not_change_a_bit) {
  const Executor threads = [](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < tasks; ++i) all.emplace_back([&task, i] { task(i); });
  };
  const Pair image = image_of({9, 7, 8});
  for (const ScoreRules& rules : many_rules)
    EXPECT_EQ(predicted(image, rules, threads).logits, predicted(image, rules).logits);
}

TEST(ScorePredictor, the_network_never_sees_more_than_a_window) {
  auto network = std::make_unique<Places>();
  const Places& seen = *network;
  const auto predictor = score_predictor(std::move(network), {.window = Shape{4, 3, 2}});
  const Pair image = image_of({9, 7, 8});
  predictor->predict({.channels = {image.a.view(), image.b.view()}}, {});
  EXPECT_EQ(seen.greatest, 24U);
  EXPECT_EQ(predictor->channels(), 2U);
  EXPECT_THAT(refusal([&] { predictor->predict({.channels = {image.a.view()}}, {}); }),
              HasSubstr("the image has 1 channel, but the model takes 2 channels"));
}

TEST(ScorePredictor, regions_overlap_and_the_smallest_names_the_voxel) {
  const Pair image = image_of({9, 7, 8});
  const ScoreRules rules = {.regions = {{"core", {1}}, {"whole", {2, 1}}}, .threshold = 0.6};
  const Prediction found = predicted(image, rules);
  const double limit = std::log(0.6 / 0.4);
  const std::size_t voxels = image.a.grid().size();
  for (std::size_t i = 0; i < voxels; ++i) {
    const int label = found.logits[i] > limit ? 1 : found.logits[voxels + i] > limit ? 2 : 0;
    ASSERT_EQ(int{found.labels.view().voxels[i]}, label) << i;
  }
  EXPECT_THAT(refusal([&] {
                predicted(image, {.regions = {{"only", {1}}}});
              }),
              HasSubstr("has 2 channels, but the recipe names 1 regions"));
}

TEST(ScorePredictor, the_hash_follows_every_rule) {
  std::set<std::string> hashes;
  for (const ScoreRules& rules : many_rules)
    hashes.insert(score_predictor(std::make_unique<Places>(), rules)->sha256());
  EXPECT_EQ(hashes.size(), many_rules.size());
}

}  // namespace assay::model::score_predictor_test
