// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_output.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <thread>

#include "assay/base/half.hpp"
#include "assay/base/test_files.hpp"

namespace assay::model::onnx_output_test {

using assay::test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Grid line = {.shape = {4, 1, 1}};

template <class T>
OnnxTensor tensor(const std::vector<T>& values, std::int32_t type,
                  const std::vector<std::int64_t>& shape) {
  return {.type = type, .shape = shape, .data = values.data()};
}

std::vector<std::uint8_t> labels_in(const OnnxTensor& given,
                                    const OutputRules& rules = {.grid = line}) {
  const Prediction found = decoded(given, rules);
  const auto voxels = found.labels.view().voxels;
  return {voxels.begin(), voxels.end()};
}

std::vector<std::uint8_t> labels_of(const std::vector<float>& values,
                                    const std::vector<std::int64_t>& shape,
                                    const OutputRules& rules = {.grid = line}) {
  return labels_in(tensor(values, onnx_float32, shape), rules);
}

TEST(OnnxOutput, the_largest_of_the_classes_wins_and_ties_go_to_the_lower) {
  const std::vector<float> scores = {0, 5, 1, -3, 1, 5, 1, -2, 2, 4, 1, -1};
  EXPECT_THAT(labels_of(scores, {1, 3, 1, 1, 4}), ElementsAre(2, 0, 0, 2));
  EXPECT_THAT(labels_of(scores, {3, 1, 1, 4}), ElementsAre(2, 0, 0, 2));
}

TEST(OnnxOutput, logits_are_kept_as_the_model_gives_them_when_asked_for) {
  const std::vector<float> scores = {0, 5, 1, -3, 1, 5, 1, -2};
  const auto given = tensor(scores, onnx_float32, {1, 2, 1, 1, 4});
  EXPECT_EQ(decoded(given, {.grid = line, .logits = true}).logits, scores);
  EXPECT_TRUE(decoded(given, {.grid = line}).logits.empty());
}

TEST(OnnxOutput, a_single_channel_is_a_logit_unless_the_model_gives_probabilities) {
  const std::vector<float> logits = {-1, 0, 0.25F, 3};
  EXPECT_THAT(labels_of(logits, {1, 1, 1, 1, 4}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(labels_of(logits, {1, 1, 4}), ElementsAre(0, 0, 1, 1));
  const std::vector<float> chances = {0, 0.5F, 0.75F, 1};
  EXPECT_THAT(labels_of(chances, {1, 1, 1, 1, 4}, {.grid = line, .probabilities = true}),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(refusal([&] {
                labels_of(chances, {1, 1, 1, 1, 4});
              }),
              HasSubstr("so it is unclear whether these are probabilities or logits"));
}

TEST(OnnxOutput, half_precision_is_read_as_the_same_numbers) {
  const std::vector<float> scores = {0, 5, 1, -3, 0.5F, 5, 1, -2};
  std::vector<std::uint16_t> halves;
  for (const float score : scores) halves.push_back(to_half(score).bits);
  const auto given = tensor(halves, onnx_float16, {1, 2, 1, 1, 4});
  EXPECT_THAT(labels_in(given), ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(decoded(given, {.grid = line, .logits = true}).logits, scores);
}

TEST(OnnxOutput, labels_alone_are_no_scores) {
  const std::vector<std::uint8_t> labels = {0, 1, 0, 1};
  EXPECT_THAT(refusal([&] {
                decoded(tensor(labels, onnx_uint8, {1, 1, 4}),
                        {.grid = line, .logits = true, .labels = false});
              }),
              HasSubstr("export the model without its argmax"));
}

TEST(OnnxOutput, whole_numbers_are_labels) {
  const std::vector<std::int64_t> wide = {0, 255, 7, 1};
  const std::vector<std::uint8_t> narrow = {0, 255, 7, 1};
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1, 1, 1, 1, 4}, {1, 1, 1, 4}, {1, 1, 4}}) {
    EXPECT_THAT(labels_in(tensor(wide, onnx_int64, shape)), ElementsAre(0, 255, 7, 1));
    EXPECT_THAT(labels_in(tensor(narrow, onnx_uint8, shape)), ElementsAre(0, 255, 7, 1));
  }
  const std::vector<std::int32_t> low = {0, -1, 0, 0}, high = {0, 0, 256, 0};
  EXPECT_THAT(refusal([&] {
                decoded(tensor(low, onnx_int32, {1, 1, 4}), {.grid = line});
              }),
              HasSubstr("has the label -1; labels are 0 to 255"));
  EXPECT_THAT(refusal([&] {
                decoded(tensor(high, onnx_int32, {1, 1, 4}), {.grid = line});
              }),
              HasSubstr("has the label 256"));
  EXPECT_THAT(refusal([&] {
                decoded(tensor(wide, onnx_int64, {2, 1, 1, 4}), {.grid = line});
              }),
              HasSubstr("labels have one channel"));
}

TEST(OnnxOutput, what_is_no_volume_of_classes_is_refused_by_its_shape) {
  const std::vector<float> scores(512 * 4);
  EXPECT_THAT(refusal([&] {
                labels_of(scores, {2, 2, 1, 1, 4});
              }),
              HasSubstr("has the shape 2x2x1x1x4; 1 x classes"));
  EXPECT_THAT(refusal([&] { labels_of(scores, {1, 4}); }), HasSubstr("has the shape 1x4"));
  EXPECT_THAT(
      refusal([&] {
        labels_of(scores, {1, 2, 1, 1, 2});
      }),
      HasSubstr("1x2x1x1x2 for a volume of 1x1x4 (depth, height, width); a model must keep"));
  EXPECT_THAT(refusal([&] { labels_of(scores, {1, 512, 1, 1, 4}); }), HasSubstr("has 512 classes"));
  EXPECT_THAT(refusal([&] {
                decoded(tensor(scores, 16, {1, 2, 1, 1, 4}), {.grid = line});
              }),
              HasSubstr("has elements of bfloat16"));
  EXPECT_THAT(refusal([&] {
                decoded(tensor(scores, 99, {1, 2, 1, 1, 4}), {.grid = line});
              }),
              HasSubstr("has elements of type 99"));
}

TEST(OnnxOutput, nan_is_refused_in_every_channel_and_infinity_is_a_number) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t at = 0; at < 8; ++at) {
    std::vector<float> scores(8, 1);
    scores[at] = nan;
    EXPECT_THAT(refusal([&] { labels_of(scores, {1, 2, 1, 1, 4}); }), HasSubstr("NaN")) << at;
    if (at < 4) EXPECT_THAT(refusal([&] { labels_of(scores, {1, 1, 4}); }), HasSubstr("NaN"));
  }
  EXPECT_THAT(labels_of({0, 0, 0, 0, infinity, -infinity, 0, 0}, {1, 2, 1, 1, 4}),
              ElementsAre(1, 0, 0, 0));
}

/// Several blocks of voxels on threads, against the plain loop.
TEST(OnnxOutput, any_executor_gives_the_labels_of_a_plain_loop) {
  const Grid grid = {.shape = {70, 50, 60}};
  std::vector<float> scores(3 * grid.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>(i * 2654435761U % 1000);
  const Executor threads = [](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < tasks; ++i) all.emplace_back([&task, i] { task(i); });
  };
  const auto found = labels_of(scores, {1, 3, 60, 50, 70}, {.grid = grid, .executor = threads});
  for (std::size_t v = 0; v < grid.size(); ++v) {
    std::uint8_t best = 0;
    for (std::uint8_t k = 1; k < 3; ++k)
      if (scores[k * grid.size() + v] > scores[best * grid.size() + v]) best = k;
    ASSERT_EQ(found[v], best) << v;
  }
}

}  // namespace assay::model::onnx_output_test
