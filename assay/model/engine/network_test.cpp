// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "assay/base/test_files.hpp"
#include "assay/model/engine/networks_for_test.hpp"

namespace assay::model::network_test {

using networks::random_network;
using testing::HasSubstr;

constexpr std::size_t voxels = std::size_t{256} * 256 * 256;

/// As the paper's networks are trained: bias, gamma and beta in every hidden layer.
Network paper_network(std::size_t channels) {
  Network out = random_network(
      {.dilations = {1, 2, 4, 8, 16, 16, 8, 4, 2}, .channels = channels, .classes = 2});
  for (HiddenLayer& layer : out.hidden) layer.trainable += 2 * channels;
  return out;
}

TEST(Network, the_three_of_the_paper_are_recognised) {
  EXPECT_EQ(parameters(paper_network(26)), 147474U);
  EXPECT_EQ(published_name(paper_network(26)), "MeshNet-26");
  EXPECT_EQ(published_name(paper_network(16)), "MeshNet-16");
  EXPECT_EQ(published_name(paper_network(5)), "MeshNet-5");
  EXPECT_EQ(published_name(paper_network(6)), "");
  Network folded = paper_network(16);
  for (HiddenLayer& layer : folded.hidden) layer.trainable -= 32;
  EXPECT_EQ(published_name(folded), "MeshNet-16");
  folded.hidden[2].trainable -= 16;
  EXPECT_EQ(published_name(folded), "");
  Network other = paper_network(5);
  other.hidden[3].dilation = 4;
  EXPECT_EQ(published_name(other), "");
}

TEST(Network, costs) {
  const Network network = paper_network(26);
  EXPECT_EQ(receptive_field(network), 123U);
  const double c = 26;
  EXPECT_EQ(operations(network, voxels), 2.0 * voxels * (27 * c + 216 * c * c + 2 * c));
  EXPECT_EQ(widest(network), 26U);
}

struct Flaw {
  const char* sentence;
  std::function<void(Network&)> make;
};

TEST(Network, flaws_are_named) {
  const Flaw flaws[] = {
      {"no 3x3x3 convolution", [](Network& n) { n.hidden.clear(); }},
      {"hidden layer 2 takes 4 channels, but gets 3", [](Network& n) { n.hidden[1].inputs = 4; }},
      {"hidden layer 1: its weight has 80 numbers, but its shape needs 81",
       [](Network& n) { n.hidden[0].weights.pop_back(); }},
      {"hidden layer 2: its bias holds nan at position 1",
       [](Network& n) { n.hidden[1].bias[1] = std::numeric_limits<float>::quiet_NaN(); }},
      {"hidden layer 3: its dilation is 0", [](Network& n) { n.hidden[2].dilation = 0; }},
      {"hidden layer 1: 3 channels cannot be divided into 2 groups",
       [](Network& n) {
         n.hidden[0].normalisation = Normalisation::group;
         n.hidden[0].groups = 2;
       }},
      {"hidden layer 1: the norm's scale has 1 numbers",
       [](Network& n) {
         n.hidden[0].normalisation = Normalisation::group;
         n.hidden[0].scale = {1};
       }},
      {"epsilon of its normalisation is -1",
       [](Network& n) {
         n.hidden[0].normalisation = Normalisation::instance;
         n.hidden[0].epsilon = -1;
       }},
      {"the classifier takes 2 channels, but gets 3", [](Network& n) { n.classifier.inputs = 2; }},
      {"the classifier has 1 classes", [](Network& n) { n.classifier.classes = 1; }},
      {"the classifier's bias holds inf",
       [](Network& n) { n.classifier.bias[0] = std::numeric_limits<float>::infinity(); }},
  };
  for (const Flaw& flaw : flaws) {
    Network network = random_network({});
    require_valid(network);
    flaw.make(network);
    EXPECT_THAT(test::refusal([&] { require_valid(network); }), HasSubstr(flaw.sentence));
  }
}

TEST(Network, activations_have_names) {
  for (const Activation one :
       {Activation::none, Activation::relu, Activation::elu, Activation::gelu})
    EXPECT_EQ(activation(name(one)), one);
  EXPECT_THAT(test::refusal([&] { activation("rellu"); }), HasSubstr("did you mean 'relu'?"));
}

}  // namespace assay::model::network_test
