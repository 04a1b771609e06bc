// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/base/test_files.hpp"
#include "assay/model/engine/networks_for_test.hpp"
#include "assay/stats/executors_for_test.hpp"

namespace assay::model::engine_test {

using networks::random_network;
using networks::random_volume;
using networks::Style;
using testing::HasSubstr;

constexpr double tolerance = 2e-6;

Prediction predicted(const Network& network, const Volume<float>& volume,
                     const EngineSettings& engine = {}, const Executor& executor = {}) {
  PredictionWorkspace workspace;
  return MeshNetEngine(network, engine)
      .predict(volume.view(), workspace, {.executor = executor, .logits = true});
}

/// Every set of kernels against the direct sum in double precision.
void expect_true(const Style& style, const Shape& shape, unsigned seed) {
  const Network network = random_network(style, seed);
  const Volume<float> volume = random_volume(shape, seed);
  const networks::Channels truth = networks::true_logits(network, volume.view());
  for (const Kernels* kernels : runnable_kernels()) {
    SCOPED_TRACE(kernels->name);
    const Prediction found = predicted(network, volume, {.kernels = kernels});
    EXPECT_LT(networks::relative_difference(found.logits, truth), tolerance);
    const auto labels = found.labels.view().voxels;
    for (std::size_t i = 0; i < labels.size(); ++i)
      for (std::size_t k = 0; k < truth.size(); ++k)
        ASSERT_LE(found.logits[k * labels.size() + i], found.logits[labels[i] * labels.size() + i]);
  }
}

TEST(Engine, sizes) {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{7, 5, 9}, Shape{19, 6, 3}, Shape{33, 8, 12}, Shape{2, 17, 1},
        Shape{70, 4, 5}, Shape{300, 3, 2}, Shape{5, 33, 34}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    expect_true({.dilations = {1, 2}}, shape, 1);
  }
}

TEST(Engine, dilations) {
  for (const std::size_t dilation :
       std::vector<std::size_t>{1, 2, 3, 4, 5, 7, 8, 13, 16, 19, 31, 32, 33, 40}) {
    SCOPED_TRACE(dilation);
    expect_true({.dilations = {dilation, dilation}, .channels = 2}, {37, 21, 19}, 2);
  }
}

TEST(Engine, channels) {
  for (const std::size_t channels : std::vector<std::size_t>{1, 2, 5, 6, 7, 13, 14, 15, 26, 29}) {
    SCOPED_TRACE(channels);
    expect_true({.dilations = {1, 3}, .channels = channels}, {9, 7, 6}, 3);
  }
}

TEST(Engine, classes) {
  for (const std::size_t classes : std::vector<std::size_t>{2, 3, 4, 5, 18, 104, 256}) {
    SCOPED_TRACE(classes);
    expect_true({.dilations = {1}, .classes = classes}, {9, 4, 3}, 4);
  }
}

TEST(Engine, activations_and_normalisations) {
  for (const Activation activation :
       {Activation::none, Activation::relu, Activation::elu, Activation::gelu})
    for (const Normalisation normalisation :
         {Normalisation::none, Normalisation::instance, Normalisation::group}) {
      SCOPED_TRACE(std::string(name(activation)) + ", " + std::string(name(normalisation)));
      expect_true({.dilations = {1, 2, 4, 3},
                   .channels = 6,
                   .activation = activation,
                   .normalisation = normalisation,
                   .groups = 3},
                  {21, 10, 13}, 5);
    }
}

TEST(Engine, layers_of_different_width) {
  std::mt19937 random(6);
  Network network = random_network({.dilations = {1}, .channels = 4});
  network.hidden.push_back(networks::random_layer(4, 9, 2, random));
  network.hidden.push_back(networks::random_layer(9, 4, 1, random));
  const Volume<float> volume = random_volume({18, 11, 10}, 6);
  EXPECT_LT(networks::relative_difference(predicted(network, volume).logits,
                                          networks::true_logits(network, volume.view())),
            tolerance);
}

TEST(Engine, a_tie_goes_to_the_lower_class) {
  Network network = random_network({.classes = 5});
  network.classifier.weights.assign(network.classifier.weights.size(), 0);
  network.classifier.bias = {0, 7, 7, 7, 1};
  const Prediction found = predicted(network, random_volume({9, 9, 9}, 1));
  EXPECT_THAT(found.labels.view().voxels, testing::Each(1));
}

/// A filter that moves the volume by one voxel along the tensor's first axis.
TEST(Engine, the_first_axis_of_tensors_can_be_z_or_x) {
  Network network = random_network({.dilations = {1}, .channels = 1, .classes = 2});
  network.hidden[0].weights.assign(27, 0);
  network.hidden[0].weights[4] = 1;  // depth 0, height 1, width 1: takes the voxel before
  network.hidden[0].bias = {0};
  network.classifier.weights = {0, 1};
  network.classifier.bias = {0.5, 0};
  Volume<float> volume(Grid{{3, 3, 3}});
  volume.voxels()[13] = 1;  // the middle
  const auto where = [&](TensorAxes axes) {
    const Prediction found = predicted(network, volume, {.axes = axes});
    return std::ranges::find(found.labels.view().voxels, 1) - found.labels.view().voxels.begin();
  };
  EXPECT_EQ(where(TensorAxes::zyx), 13 + 9);
  EXPECT_EQ(where(TensorAxes::xyz), 13 + 1);
}

TEST(Engine, any_executor_and_any_earlier_volume_give_the_same_bits) {
  for (const Normalisation normalisation : {Normalisation::none, Normalisation::group}) {
    const MeshNetEngine engine(random_network({.dilations = {1, 2, 4, 8, 3},
                                               .channels = 7,
                                               .activation = Activation::gelu,
                                               .normalisation = normalisation}));
    const Volume<float> volume = random_volume({40, 31, 37}, 7),
                        other = random_volume({9, 50, 8}, 8);
    PredictionWorkspace workspace;
    const Prediction first = engine.predict(volume.view(), workspace, {.logits = true});
    for (const Executor& executor : {executors::backwards, executors::three_threads}) {
      engine.predict(other.view(), workspace, {.executor = executor});
      const Prediction again =
          engine.predict(volume.view(), workspace, {.executor = executor, .logits = true});
      EXPECT_EQ(again.logits, first.logits);
      EXPECT_THAT(again.labels.view().voxels,
                  testing::ElementsAreArray(first.labels.view().voxels));
    }
  }
}

TEST(Engine, logits_only_when_asked) {
  PredictionWorkspace workspace;
  const Volume<float> volume = random_volume({5, 5, 5}, 1);
  EXPECT_TRUE(MeshNetEngine(random_network({})).predict(volume.view(), workspace).logits.empty());
}

TEST(Engine, memory_is_one_volume_of_activations_and_a_little) {
  const Network network =
      random_network({.dilations = {1, 2, 4, 8, 16, 16, 8, 4, 2}, .channels = 26});
  const double volume = 26.0 * 256 * 256 * 256 * sizeof(float);
  EXPECT_LT(static_cast<double>(prediction_bytes(network, {256, 256, 256})), 1.1 * volume);
  EXPECT_LT(prediction_bytes(network, {256, 256, 256}), std::size_t{2'000'000'000});
}

TEST(Engine, refuses_what_is_no_volume) {
  PredictionWorkspace workspace;
  const MeshNetEngine engine(random_network({}));
  const auto message = [&](const Volume<float>& volume) {
    return test::refusal([&] { engine.predict(volume.view(), workspace); });
  };
  EXPECT_THAT(message(Volume<float>(Grid{{4, 0, 4}})), HasSubstr("no voxels"));
  Volume<float> volume(Grid{{4, 3, 2}});
  volume.voxels()[4 + 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(volume), HasSubstr("voxel (1, 1, 0) is nan"));
}

}  // namespace assay::model::engine_test
