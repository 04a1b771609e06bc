// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "assay/base/named.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/model.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/engine/networks_for_test.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/onnx.hpp"

namespace assay::model::predictors_test {

using test::bytes_of;
using test::refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path corpus = ASSAY_SOURCE_DIR "/tests/fuzz/corpus";
const std::string greeting = R"(read line; echo '{"protocol":1,"name":"t"}'; cat)";

TEST(Predictors, names_of_back_ends_go_both_ways) {
  for (const Backend each : {Backend::automatic, Backend::meshnet, Backend::onnx, Backend::command})
    EXPECT_EQ(value_in(backends(), name(each), "back-end"), each);
  EXPECT_EQ(name(Backend::automatic), "auto");
}

TEST(Predictors, files_that_the_engine_can_run_go_to_it_and_predict_as_it_does) {
  const ModelOptions options = {.dilations = {2}, .activation = Activation::elu};
  const auto predictor =
      open_predictor({.model = corpus / "fuzz_checkpoint/bare", .options = options});
  EXPECT_EQ(predictor->backend(), "meshnet");
  EXPECT_EQ(open_predictor({.model = corpus / "fuzz_onnx/whole"})->backend(), "meshnet");
  const Volume<float> image = networks::random_volume({5, 6, 7}, 3);
  const MeshNetEngine engine(read_model(corpus / "fuzz_checkpoint/bare", options).network);
  PredictionWorkspace workspace;
  const Prediction truth = engine.predict(image.view(), workspace, {.logits = true});
  const Prediction found = predictor->predict({.channels = {image.view()}}, {.logits = true});
  EXPECT_EQ(found.logits, truth.logits);
  EXPECT_TRUE(std::ranges::equal(found.labels.view().voxels, truth.labels.view().voxels));
}

TEST(Predictors, the_hash_is_of_network_and_axes) {
  const std::filesystem::path whole = corpus / "fuzz_onnx/whole";
  const std::string hash = open_predictor({.model = whole})->sha256();
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(open_predictor({.model = whole, .backend = Backend::meshnet})->sha256(), hash);
  EXPECT_NE(open_predictor({.model = whole, .axes = TensorAxes::xyz})->sha256(), hash);
  EXPECT_NE(open_predictor({.model = corpus / "fuzz_onnx/instance"})->sha256(), hash);
}

TEST(Predictors, an_onnx_graph_that_is_no_chain_needs_the_runtime_and_says_why) {
  EXPECT_THAT(refusal([] {
                open_predictor({.model = corpus / "fuzz_onnx/branch", .onnxruntime = "/no/ort.so"});
              }),
              AllOf(HasSubstr("fuzz_onnx/branch: "),
                    HasSubstr("; ONNX Runtime could not be loaded"), HasSubstr("/no/ort.so")));
}

TEST(Predictors, other_files_are_refused_with_what_was_found) {
  EXPECT_THAT(refusal([] { open_predictor({.model = corpus / "fuzz_checkpoint/script"}); }),
              HasSubstr("fuzz_checkpoint/script: "));
  EXPECT_THAT(refusal([] { open_predictor({.model = ASSAY_SOURCE_DIR "/README.md"}); }),
              HasSubstr("is not a model"));
  EXPECT_THAT(refusal([] { open_predictor({.model = "/nowhere/model.onnx"}); }),
              HasSubstr("/nowhere/model.onnx"));
}

TEST(Predictors, exactly_one_of_model_and_command_is_needed) {
  EXPECT_EQ(open_predictor({.command = {"sh", "-c", greeting}})->backend(), "command");
  EXPECT_THAT(refusal([] { open_predictor({}); }), HasSubstr("neither a model file nor a command"));
  EXPECT_THAT(refusal([] { open_predictor({.model = "a", .command = {"b"}}); }),
              HasSubstr("give one of them"));
}

TEST(Predictors, windows_are_for_networks_and_not_for_programs) {
  const std::filesystem::path whole = corpus / "fuzz_onnx/whole";
  const ScoreRules windows = {.window = Shape{4, 4, 4}};
  const auto plain = open_predictor({.model = whole}),
             windowed = open_predictor({.model = whole, .scores = windows});
  EXPECT_NE(plain->sha256(), windowed->sha256());
  EXPECT_EQ(windowed->backend(), "meshnet");
  EXPECT_EQ(windowed->channels(), 1U);
  EXPECT_THAT(refusal([&] {
                open_predictor({.command = {"sh", "-c", greeting}, .scores = windows});
              }),
              HasSubstr("a program gives labels"));
  EXPECT_THAT(refusal([&] { open_predictor({.model = whole, .scores = {.overlap = 1}}); }),
              HasSubstr("overlap must be 0 or more, and below 1"));
}

TEST(Predictors, options_of_weights_do_not_go_with_the_runtime) {
  EXPECT_THAT(refusal([] {
                open_predictor({.model = corpus / "fuzz_onnx/branch",
                                .options = {.dilations = {1}},
                                .backend = Backend::onnx});
              }),
              HasSubstr("leave out --dilations"));
}

TEST(OnnxOutline, files_of_numbers_are_found_and_damage_is_refused) {
  const auto outline = [](const std::string& seed) {
    const Buffer file = read_bytes(corpus / "fuzz_onnx" / seed);
    return onnx_outline(file.bytes(), seed);
  };
  EXPECT_TRUE(outline("whole").files.empty());
  EXPECT_FALSE(outline("whole").gives_probabilities);
  EXPECT_THAT(refusal([&] { outline("cut"); }), HasSubstr("cut"));
  EXPECT_FALSE(onnx_outline(bytes_of(""), "empty").gives_probabilities);
}

/// A message of protocol buffers: a field of bytes.
std::string field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} +
         content;
}

std::string node(const std::string& operation, const std::string& from, const std::string& to) {
  return field(1, field(1, from) + field(2, to) + field(4, operation));
}

TEST(OnnxOutline, tells_what_the_first_output_comes_out_of) {
  const auto probabilities = [](const std::string& nodes) {
    const auto bytes = bytes_of(field(7, nodes + field(12, field(1, "y"))));
    return onnx_outline(bytes, "a").gives_probabilities;
  };
  EXPECT_TRUE(probabilities(node("Sigmoid", "x", "y")));
  EXPECT_TRUE(probabilities(node("Softmax", "x", "a") + node("Slice", "a", "y")));
  EXPECT_FALSE(probabilities(node("Sigmoid", "x", "a") + node("Conv", "a", "y")));
  EXPECT_FALSE(probabilities(node("Identity", "y", "y")));
}

TEST(OnnxOutline, numbers_in_other_files_are_named_wherever_they_are) {
  const std::string tensor = field(13, field(1, "location") + field(2, "w.bin")) +
                             field(13, field(1, "offset") + field(2, "0"));
  const auto files = [](const std::string& graph) {
    const auto bytes = bytes_of(field(7, graph));
    return onnx_outline(bytes, "a").files;
  };
  EXPECT_THAT(files(field(5, tensor)), ::testing::ElementsAre("w.bin"));
  EXPECT_THAT(files(field(1, field(5, field(5, tensor)))), ::testing::ElementsAre("w.bin"));
  EXPECT_THAT(files(field(1, field(5, field(6, field(5, tensor))))),
              ::testing::ElementsAre("w.bin"));
}

}  // namespace assay::model::predictors_test
