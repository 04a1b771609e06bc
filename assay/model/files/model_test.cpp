// SPDX-License-Identifier: Apache-2.0
#include "assay/model/files/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/model/engine/networks_for_test.hpp"

namespace assay::model::model_test {

using test::bytes_of;
using test::refusal;
using test::TemporaryFolder;
using ::testing::Each;
using ::testing::HasSubstr;

const std::filesystem::path corpus = ASSAY_SOURCE_DIR "/tests/fuzz/corpus";
const ModelOptions given = {.dilations = {2}, .activation = Activation::elu};

/// The numbers that tests/fuzz/make_corpus.py puts into its networks.
std::vector<float> made(std::size_t count) {
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back((static_cast<float>(i % 7) - 3) / 8);
  return out;
}

/// A tfjs seed as the two files that it stands for.
Model tfjs_seed(const std::string& seed, const std::string& weight_file = "a.bin") {
  const TemporaryFolder folder;
  const std::string all = read_text(corpus / "fuzz_tfjs" / seed);
  const std::size_t end = all.find('\0');
  write_atomically(folder / "model.json", all.substr(0, end));
  write_atomically(folder / weight_file, all.substr(end + 1));
  return read_model(folder / "model.json");
}

TEST(Model, checkpoint) {
  const Model model = read_model(corpus / "fuzz_checkpoint/bare", given);
  EXPECT_EQ(model.format, "pytorch");
  EXPECT_EQ(model.architecture, "options");
  EXPECT_EQ(model.network.hidden[0].weights, made(27));
  EXPECT_EQ(model.network.hidden[0].bias, made(1));
  EXPECT_EQ(model.network.hidden[0].dilation, 2U);
  EXPECT_EQ(model.network.hidden[0].activation, Activation::elu);
  EXPECT_EQ(model.network.classifier.weights, made(2));
  EXPECT_EQ(parameters(model.network), 32U);
}

TEST(Model, the_same_weights_hash_the_same_in_every_file) {
  const std::string bare =
      weights_sha256(read_model(corpus / "fuzz_checkpoint/bare", given).network);
  EXPECT_EQ(weights_sha256(read_model(corpus / "fuzz_checkpoint/model_state_dict", given).network),
            bare);
  const ModelOptions other = {.dilations = {1}, .activation = Activation::relu};
  const Network again = read_model(corpus / "fuzz_checkpoint/bare", other).network;
  EXPECT_EQ(weights_sha256(again), bare);
  EXPECT_NE(network_sha256(again),
            network_sha256(read_model(corpus / "fuzz_checkpoint/bare", given).network));
  Network changed = again;
  changed.classifier.bias[1] += 1;
  EXPECT_NE(weights_sha256(changed), bare);
}

TEST(Model, tfjs) {
  const Model model = tfjs_seed("whole");
  EXPECT_EQ(model.format, "tfjs");
  EXPECT_EQ(model.architecture, "file");
  EXPECT_EQ(model.network.hidden[0].dilation, 2U);
  EXPECT_EQ(model.network.hidden[0].activation, Activation::elu);
  EXPECT_EQ(tfjs_seed("whole", "model.bin").network.hidden[0].weights,
            model.network.hidden[0].weights);  // the only one, under another name
}

TEST(Model, tfjs_kernels_are_transposed) {
  const std::string json = R"({"modelTopology": {"model_config": {"config": {"layers": [
    {"class_name": "Conv3D", "config": {"name": "a", "use_bias": false, "activation": "relu"}},
    {"class_name": "Conv3D", "config": {"name": "b", "use_bias": false}}]}}},
    "weightsManifest": [{"paths": ["w"], "weights": [
    {"name": "a/kernel", "shape": [3, 3, 3, 1, 2], "dtype": "float32"},
    {"name": "b/kernel", "shape": [1, 1, 1, 2, 3], "dtype": "float32"}]}]})";
  std::vector<float> numbers(60);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const Network network = tfjs_network(json, std::as_bytes(std::span(numbers)), "m");
  EXPECT_EQ(network.hidden[0].weights[1], 2);        // output 0, tap 1
  EXPECT_EQ(network.hidden[0].weights[27 + 5], 11);  // output 1, tap 5
  EXPECT_THAT(network.classifier.weights, ::testing::ElementsAre(54, 57, 55, 58, 56, 59));
  EXPECT_THAT(network.hidden[0].bias, Each(0));
}

TEST(Model, onnx) {
  const Model model = read_model(corpus / "fuzz_onnx/whole");
  EXPECT_EQ(model.format, "onnx");
  EXPECT_EQ(model.network.hidden[0].weights, made(27));
  EXPECT_EQ(model.network.hidden[0].dilation, 2U);
  EXPECT_EQ(model.network.hidden[0].activation, Activation::relu);
  EXPECT_THAT(model.network.classifier.bias, ::testing::ElementsAre(0, 0));
  EXPECT_EQ(read_model(corpus / "fuzz_onnx/instance").network.hidden[0].normalisation,
            Normalisation::group);
}

struct Refusal {
  const char* seed;
  const char* sentence;
};

TEST(Model, refusals_name_file_and_fault) {
  const Refusal refusals[] = {
      {"fuzz_checkpoint/global", "it names os.system, which no file of weights needs"},
      {"fuzz_checkpoint/stack_global", "it names os.system"},
      {"fuzz_checkpoint/cut", "the file is cut off"},
      {"fuzz_checkpoint/damaged", "is damaged: its checksum does not match"},
      {"fuzz_checkpoint/compressed", "is compressed"},
      {"fuzz_checkpoint/script", "is a TorchScript program"},
      {"fuzz_checkpoint/big_endian", "big-endian machine"},
      {"fuzz_checkpoint/none", "does not contain a dictionary of tensors"},
      {"fuzz_checkpoint/memo", "it reads a value that is not in its memo"},
      {"fuzz_checkpoint/memo_bomb", "it stores a value wrongly in its memo"},
      {"fuzz_checkpoint/offset",
       "tensor '0.weight': of shape 1x1x3x3x3 needs more numbers than the 27"},
      {"fuzz_checkpoint/strides", "are not contiguous in memory"},
      {"fuzz_checkpoint/integers", "'0.weight' does not hold floating-point numbers"},
      {"fuzz_checkpoint/other_shapes", "'0.weight' has the shape 1x1x5x5x5"},
      {"fuzz_checkpoint/huge_shape", "needs more numbers than the 1 of its storage"},
      {"fuzz_checkpoint/batch_norm", "the variance of '1' is -0.375 for channel 0"},
      {"fuzz_checkpoint/no_pickle", "it has no data.pkl"},
      {"fuzz_safetensors/cut", "lie outside the file"},
      {"fuzz_safetensors/nan", "hidden layer 1: its weight holds"},
      {"fuzz_safetensors/header_cut", "its header should have"},
      {"fuzz_safetensors/half", "'0.weight' of shape 1x1x3x3x3 has 108 bytes"},
      {"fuzz_safetensors/shape_type", "must be whole numbers of 0 or more"},
      {"fuzz_safetensors/offsets", "lie outside the file"},
      {"fuzz_safetensors/overflow", "holds no 3x3x3 convolution"},
      {"fuzz_safetensors/other",
       "holds no 3x3x3 convolution, which a MeshNet consists of; found: attention"},
      {"fuzz_onnx/cut", "is damaged or cut off"},
      {"fuzz_onnx/cut_tensor", "'w' of shape 1x1x3x3x3 has 3 bytes"},
      {"fuzz_onnx/norm", "the variance of 'r' is"},
      {"fuzz_onnx/branch",
       "is not a plain chain of convolutions: Add 'r' cannot be part of one; the graph has 3 "
       "operations (Conv, Add)"},
      {"fuzz_onnx/gelu", "Div '1' cannot be part of one"},
      {"fuzz_onnx/pads", "Conv 'c': pads is not the same along all axes"},
      {"fuzz_onnx/two_inputs", "has 2 inputs and 1 output"},
      {"fuzz_onnx/no_tensor", "Conv 'c': its input 'w' is not a constant"},
      {"fuzz_onnx/external", "keeps its numbers in other files"},
      {"fuzz_onnx/wire_type", "is damaged or cut off"},
      {"fuzz_onnx/empty", "is empty"},
      {"fuzz_nifti/gz", "is an image (NIfTI), where a model is expected"},
      {"fuzz_csv/empty", "is empty"},
  };
  for (const Refusal& row : refusals) {
    SCOPED_TRACE(row.seed);
    const std::filesystem::path path = corpus / row.seed;
    const bool has_options = path.parent_path().filename() != "fuzz_onnx";
    const std::string said =
        refusal([&] { read_model(path, has_options ? given : ModelOptions{}); });
    EXPECT_THAT(said, HasSubstr(row.sentence));
    EXPECT_THAT(said, ::testing::StartsWith(path.string() + ": "));
  }
}

TEST(Model, what_is_compressed_and_no_image_must_be_unpacked) {
  const TemporaryFolder folder;
  const std::vector<std::byte> packed = deflate_gzip(std::as_bytes(std::span("weights")));
  write_atomically(folder / "model.gz", packed);
  EXPECT_THAT(refusal([&] { read_model(folder / "model.gz", {}); }),
              HasSubstr("is compressed; unpack it with gunzip first"));
}

TEST(Model, tfjs_refusals) {
  const Refusal refusals[] = {
      {"cut", "needs more than the 36 bytes that are left"},
      {"more", "bytes more than it lists"},
      {"no_weight", "layer 'c': the weight 'c/bias' is missing"},
      {"branch", "a layer takes its input from 'c', not from 'd' before it"},
      {"activation", "layer 'a': there is no activation 'swish'"},
      {"softmax", "layer 'a': there is no activation 'softmax'"},
      {"strides", "layer 'c': its strides are not 1"},
      {"pooling", "layer 'c': is a MaxPooling3D"},
      {"shape", "weight 'c/kernel': of shape 1099511627776x1099511627776 needs more"},
      {"paths", "'../../etc/passwd' is not the name of a weight file next to it"},
  };
  for (const Refusal& row : refusals)
    EXPECT_THAT(refusal([&] { tfjs_seed(row.seed); }), HasSubstr(row.sentence)) << row.seed;
}

TEST(Model, what_weights_do_not_say_must_be_given) {
  const auto said = [](const ModelOptions& options) {
    return refusal([&] { read_model(corpus / "fuzz_checkpoint/bare", options); });
  };
  EXPECT_THAT(said({}), HasSubstr("(1 hidden layer, 1 channels, 2 classes) match no known model"));
  EXPECT_THAT(said({.dilations = {1, 2}}),
              HasSubstr("has 1 hidden layer, but --dilations names 2"));
  EXPECT_THAT(said({.dilations = {1}}), HasSubstr("give the activation, too"));
  EXPECT_THAT(refusal([] { read_model(corpus / "fuzz_onnx/whole", given); }),
              HasSubstr("already states its dilations and activations"));
}

TEST(Model, strangers) {
  const TemporaryFolder folder;
  for (const auto& [start, sentence] :
       {std::pair("\x89HDF\r\n", "is a Keras file"), std::pair("\x80\x02}q", "is a pickle"),
        std::pair("hello, world", "this one starts with 68 65 6c 6c 6f")}) {
    write_atomically(folder / "a", start);
    EXPECT_THAT(refusal([&] { read_model(folder / "a"); }), HasSubstr(sentence));
  }
  EXPECT_THAT(refusal([&] { read_model(folder / "absent"); }), HasSubstr("does not exist"));
  write_atomically(folder / "a.json", "{}");
  EXPECT_THAT(refusal([&] { read_model(folder / "a.json"); }),
              HasSubstr("it has no weightsManifest"));
}

/// Tensors as a state dict would hold them; `numbers` must outlive them.
std::vector<StoredTensor> tensors(
    const std::vector<std::pair<std::string, std::vector<std::size_t>>>& shapes,
    const std::vector<float>& numbers) {
  std::vector<StoredTensor> out;
  for (const auto& [name, shape] : shapes)
    out.push_back({.name = name,
                   .shape = shape,
                   .bytes = std::as_bytes(std::span(numbers).first(element_count(shape)))});
  return out;
}

TEST(StateDict, modules_follow_each_other_by_number_not_by_letter) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> shapes = {
      {"m.10.weight", {2, 3, 1, 1, 1}}};
  for (std::size_t i = 0; i < 10; ++i)
    shapes.push_back({"m." + std::to_string(i) + ".weight", {3, i == 0 ? 1UL : 3UL, 3, 3, 3}});
  const std::vector<float> numbers(243, 0.5F);
  const ModelOptions options = {.dilations = std::vector<std::size_t>(10, 1),
                                .activation = Activation::relu};
  EXPECT_EQ(state_dict_model(tensors(shapes, numbers), options, "m").network.hidden.size(), 10U);
}

TEST(StateDict, batch_normalisation_is_folded) {
  const std::vector<float> numbers(27, 2.0F);
  const Network network = state_dict_model(tensors({{"a.0.conv.weight", {1, 1, 3, 3, 3}},
                                                    {"a.0.conv.bias", {1}},
                                                    {"a.0.bn.weight", {1}},
                                                    {"a.0.bn.bias", {1}},
                                                    {"a.0.bn.running_mean", {1}},
                                                    {"a.0.bn.running_var", {1}},
                                                    {"a.1.weight", {2, 1, 1, 1, 1}},
                                                    {"a.1.bias", {2}}},
                                                   numbers),
                                           given, "m")
                              .network;
  const double factor = 2 / std::sqrt(2 + 1e-5);
  EXPECT_THAT(network.hidden[0].weights, Each(static_cast<float>(2 * factor)));
  EXPECT_THAT(network.hidden[0].bias, Each(2.0F));  // (2 - 2) * factor + 2
  EXPECT_EQ(network.hidden[0].trainable, 30U);
  EXPECT_TRUE(network.hidden[0].has_folded_norm);
}

TEST(StateDict, what_is_missing_is_named) {
  const std::vector<float> numbers(27, 2.0F);
  const auto said =
      [&](const std::vector<std::pair<std::string, std::vector<std::size_t>>>& shapes) {
        return refusal([&] { state_dict_model(tensors(shapes, numbers), given, "m.pt"); });
      };
  const std::pair<std::string, std::vector<std::size_t>> conv = {"0.weight", {1, 1, 3, 3, 3}},
                                                         last = {"2.weight", {2, 1, 1, 1, 1}};
  EXPECT_THAT(said({conv, {"1.running_mean", {1}}, last}),
              HasSubstr("m.pt: lacks the tensor '1.running_var'"));
  EXPECT_THAT(said({conv, {"1.bias", {1}}, last}), HasSubstr("lacks the tensor '1.weight'"));
  EXPECT_THAT(said({conv, {"1.weight", {1}}, last}),
              HasSubstr("'1' has tensors that no known MeshNet has"));
  EXPECT_THAT(said({conv}), HasSubstr("there is no final 1x1x1 convolution"));
  EXPECT_THAT(said({conv, {"2.weight", {2, 4, 1, 1, 1}}}),
              HasSubstr("the classifier takes 4 channels, but gets 1"));
  EXPECT_THAT(said({{"0.weight", {1, 1, 3, 3, 1}}, last}),
              HasSubstr("'0.weight' has the shape 1x1x3x3x1"));
}

TEST(Model, json_says_what_it_is_and_costs) {
  const Model model = read_model(corpus / "fuzz_onnx/whole");
  const std::string text = model_text(model, {10, 10, 10});
  EXPECT_THAT(text, HasSubstr("\"schema\": \"assay.model/1\""));
  EXPECT_THAT(text, HasSubstr("\"receptive_field\": 5"));
  EXPECT_THAT(text, HasSubstr("\"operations\": 58000.0"));  // 2 * 1000 * (27 + 2)
}

}  // namespace assay::model::model_test
