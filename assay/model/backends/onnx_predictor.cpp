// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/half.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/model/backends/onnx_output.hpp"
#include "assay/model/backends/onnx_runtime.hpp"
#include "assay/model/files/onnx.hpp"

namespace assay::model {
namespace {

/// Owns a handle of the library.
template <class Handle>
using OrtOwned = std::unique_ptr<Handle, void (*)(Handle*)>;

/// The type and shape that a model declares for its input; dynamic sides are negative.
struct OnnxInput {
  std::int32_t type = 0;
  std::vector<std::int64_t> shape = {};
};

/// A tensor that the library made, and its content.
struct OnnxResult {
  OrtOwned<OrtValue> value;
  OnnxTensor tensor;
};

/// A model that is loaded into ONNX Runtime. Errors of the library are reported in our words.
class OnnxSession {
 public:
  /// Throws Error::input when the model cannot be loaded or does not have exactly one input.
  /// `threads` 0: as many as there are cores.
  OnnxSession(OnnxRuntime runtime, const std::filesystem::path& model, unsigned threads);

  const OnnxInput& input() const { return input_; }
  const std::string& version() const { return runtime_.version; }

  /// The first output for an input of that shape; `numbers` have the input's element type.
  OnnxResult run(std::span<const std::byte> numbers, const std::vector<std::int64_t>& shape);

 private:
  void check(OrtStatus* status, const std::string& failure) const;
  void open(const std::filesystem::path& model, unsigned threads);
  OnnxInput declared_input() const;
  std::string owned_text(char* text) const;
  OnnxTensor content(OrtValue* value) const;

  OnnxRuntime runtime_;
  OrtOwned<OrtEnvironment> environment_;
  OrtOwned<OrtMemory> memory_;
  OrtOwned<OrtSession> session_;
  OrtAllocator* allocator_ = nullptr;  ///< the library's own
  OnnxInput input_ = {};
  std::string input_name_ = {}, output_name_ = {};
};

constexpr int fatal_messages_only =
    4;  ///< the library would print the rest to standard error itself
constexpr int arena_allocator = 1, default_memory = 0;
constexpr std::size_t longest_detail = 400;

/// What the library says, in one line.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  if (text.size() > longest_detail) text.replace(longest_detail, std::string::npos, " ...");
  return text;
}

OnnxSession::OnnxSession(OnnxRuntime runtime, const std::filesystem::path& model, unsigned threads)
    : runtime_(std::move(runtime)),
      environment_(nullptr, runtime_.release_environment),
      memory_(nullptr, runtime_.release_memory),
      session_(nullptr, runtime_.release_session) {
  open(model, threads);
  std::size_t inputs = 0, outputs = 0;
  check(runtime_.input_count(session_.get(), &inputs), "its inputs cannot be read");
  check(runtime_.output_count(session_.get(), &outputs), "its outputs cannot be read");
  if (inputs != 1 || outputs == 0)
    throw Error(Error::Kind::input,
                "the model has " + std::to_string(inputs) + " inputs and " +
                    std::to_string(outputs) +
                    " outputs; it must take one image and give at least one output");
  char* text = nullptr;
  check(runtime_.input_name(session_.get(), 0, allocator_, &text), "its input has no name");
  input_name_ = owned_text(text);
  check(runtime_.output_name(session_.get(), 0, allocator_, &text), "its output has no name");
  output_name_ = owned_text(text);
  input_ = declared_input();
}

void OnnxSession::check(OrtStatus* status, const std::string& failure) const {
  if (status == nullptr) return;
  const std::string detail = one_line(runtime_.error_message(status));
  runtime_.release_status(status);
  throw Error(Error::Kind::input,
              failure + " (ONNX Runtime " + runtime_.version + " says: " + detail + ")");
}

/// Memory patterns are off: from the second volume on they would hold each volume's memory twice.
void OnnxSession::open(const std::filesystem::path& model, unsigned threads) {
  const std::string failure = "ONNX Runtime could not be set up";
  OrtEnvironment* environment = nullptr;
  check(runtime_.create_environment(fatal_messages_only, "assay", &environment), failure);
  environment_.reset(environment);
  OrtMemory* memory = nullptr;
  check(runtime_.create_memory(arena_allocator, default_memory, &memory), failure);
  memory_.reset(memory);
  check(runtime_.default_allocator(&allocator_), failure);
  OrtOptions* made = nullptr;
  check(runtime_.create_options(&made), failure);
  const OrtOwned<OrtOptions> options(made, runtime_.release_options);
  check(runtime_.disable_memory_pattern(options.get()), failure);
  check(runtime_.set_threads(options.get(), static_cast<int>(threads)), failure);
  check(runtime_.set_graph_threads(options.get(), 1), failure);
  OrtSession* session = nullptr;
  check(runtime_.create_session(environment_.get(), model.c_str(), options.get(), &session),
        "the model cannot be loaded");
  session_.reset(session);
}

std::string OnnxSession::owned_text(char* text) const {
  std::string out = text;
  check(runtime_.release_memory_of(allocator_, text), "memory could not be released");
  return out;
}

OnnxInput OnnxSession::declared_input() const {
  const std::string failure = "the type of its input cannot be read";
  OrtType* made = nullptr;
  check(runtime_.input_type(session_.get(), 0, &made), failure);
  const OrtOwned<OrtType> type(made, runtime_.release_type);
  const OrtTensorInfo* info = nullptr;
  check(runtime_.tensor_info(type.get(), &info), failure);
  if (info == nullptr) throw Error(Error::Kind::input, "the model's input is not a tensor");
  OnnxInput out;
  std::size_t rank = 0;
  check(runtime_.element_type(info, &out.type), failure);
  check(runtime_.rank(info, &rank), failure);
  out.shape.resize(rank);
  check(runtime_.shape(info, out.shape.data(), rank), failure);
  return out;
}

OnnxTensor OnnxSession::content(OrtValue* value) const {
  const std::string failure = "the model's first output cannot be read";
  int is_tensor = 0;
  check(runtime_.is_tensor(value, &is_tensor), failure);
  if (is_tensor == 0) throw Error(Error::Kind::input, "the model's first output is not a tensor");
  OrtTensorInfo* made = nullptr;
  check(runtime_.value_info(value, &made), failure);
  const OrtOwned<OrtTensorInfo> info(made, runtime_.release_info);
  OnnxTensor out;
  std::size_t rank = 0;
  check(runtime_.element_type(info.get(), &out.type), failure);
  check(runtime_.rank(info.get(), &rank), failure);
  out.shape.resize(rank);
  check(runtime_.shape(info.get(), out.shape.data(), rank), failure);
  void* data = nullptr;
  check(runtime_.tensor_data(value, &data), failure);
  out.data = data;
  return out;
}

/// The library only reads its inputs, although its interface takes them as writable.
OnnxResult OnnxSession::run(std::span<const std::byte> numbers,
                            const std::vector<std::int64_t>& shape) {
  OrtValue* made = nullptr;
  check(runtime_.create_tensor(memory_.get(), const_cast<std::byte*>(numbers.data()),
                               numbers.size(), shape.data(), shape.size(), input_.type, &made),
        "the image cannot be passed to the model");
  const OrtOwned<OrtValue> given(made, runtime_.release_value);
  const char *input_name = input_name_.c_str(), *output_name = output_name_.c_str();
  const OrtValue* inputs = given.get();
  OrtValue* output = nullptr;
  OrtStatus* status =
      runtime_.run(session_.get(), nullptr, &input_name, &inputs, 1, &output_name, 1, &output);
  OrtOwned<OrtValue> value(output, runtime_.release_value);
  check(status, "the model could not be run on a volume of " + onnx_shape_text(shape));
  const OnnxTensor tensor = content(value.get());
  return {std::move(value), tensor};
}

/// Swaps x and z; applied twice, it gives the original order back.
constexpr AxisMap turned_around = {.source = {2, 1, 0}, .flipped = {}};

void require_finite(View<float> image) {
  if (image.voxels.empty()) throw Error(Error::Kind::input, "the image has no voxels");
  const auto bad = std::ranges::find_if(image.voxels, [](float v) { return !std::isfinite(v); });
  if (bad == image.voxels.end()) return;
  const auto at = static_cast<std::size_t>(bad - image.voxels.begin());
  const Shape& shape = image.grid.shape;
  throw Error(Error::Kind::input,
              fmt::format("voxel ({}, {}, {}) is {}; a network needs finite numbers", at % shape[0],
                          at / shape[0] % shape[1], at / shape[0] / shape[1], *bad));
}

/// Covers the library as well as the model, because other versions of the library round
/// differently.
std::string hash_of(const OnnxSettings& settings, const std::string& version,
                    const std::set<std::string>& files) {
  std::string text = fmt::format("onnx\nruntime={}\naxes={}\n", version,
                                 settings.axes == TensorAxes::zyx ? "zyx" : "xyz");
  text += "model=" + sha256_of_file(settings.model) + "\n";
  for (const std::string& file : files)
    text += fmt::format("file={} {}\n", file, sha256_of_file(settings.model.parent_path() / file));
  return sha256(text);
}

class OnnxPredictor : public Predictor {
 public:
  explicit OnnxPredictor(const OnnxSettings& settings)
      : axes_(settings.axes),
        session_(load_onnx_runtime(settings.library), settings.model, settings.jobs) {
    const OnnxOutline outline =
        onnx_outline(read_bytes(settings.model).bytes(), settings.model.string());
    gives_probabilities_ = outline.gives_probabilities;
    sha256_ = hash_of(settings, session_.version(), outline.files);
    require_image_input();
  }

  std::string backend() const override { return "onnx"; }
  std::string sha256() const override { return sha256_; }

  std::size_t channels() const override {
    const std::int64_t declared = session_.input().shape[1];
    return declared < 0 ? 0 : static_cast<std::size_t>(declared);
  }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override {
    require_channels(*this, input.channels.size());
    for (const View<float>& channel : input.channels) require_finite(channel);
    if (axes_ == TensorAxes::zyx) return run(input, settings);
    return turned_back(run(input, settings), input.grid());
  }

 private:
  void require_image_input() const;
  void require_shape(const Shape& shape) const;
  std::vector<float> tensor_of(const PredictorInput& input) const;
  OnnxResult run_tensor(std::span<const float> numbers, const std::vector<std::int64_t>& shape);
  Prediction run(const PredictorInput& input, const PredictionSettings& settings);
  static Prediction turned_back(const Prediction& found, const Grid& grid);

  TensorAxes axes_;
  OnnxSession session_;
  bool gives_probabilities_ = false;
  std::string sha256_ = {};
};

void OnnxPredictor::require_image_input() const {
  const std::int32_t type = session_.input().type;
  const std::vector<std::int64_t>& shape = session_.input().shape;
  const bool is_number = type == onnx_float32 || type == onnx_float16;
  const auto is_batch = [&] { return shape[0] == 1 || shape[0] < 0; };
  if (!is_number || shape.size() != 5 || !is_batch() || shape[1] == 0)
    throw Error(Error::Kind::input,
                fmt::format("the model's input is {} of {}; one image is given: float32 or float16 "
                            "of 1 x channels x depth x height x width",
                            onnx_type_name(type), onnx_shape_text(shape)));
}

/// A side that the model fixes is one of the tensor's: depth, height or width, where width is the
/// image's x.
void OnnxPredictor::require_shape(const Shape& shape) const {
  const std::vector<std::int64_t>& declared = session_.input().shape;
  Shape wanted = shape;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (declared[4 - axis] >= 0) wanted[axis] = static_cast<std::size_t>(declared[4 - axis]);
  if (wanted == shape) return;
  const auto text = [&](Shape of) {
    if (axes_ == TensorAxes::xyz) std::swap(of[0], of[2]);
    return fmt::format("{}x{}x{}", of[0], of[1], of[2]);
  };
  throw Error(Error::Kind::input,
              fmt::format("the model takes volumes of {0} voxels only, and this one has {1}; use a "
                          "recipe with the shape {0}, a window of that size (--window {2}), or "
                          "export the model with dynamic axes",
                          text(wanted), text(shape), replaced(text(wanted), "x", ",")));
}

/// Channel by channel, each in the order of the tensor's axes.
std::vector<float> OnnxPredictor::tensor_of(const PredictorInput& input) const {
  const std::size_t voxels = input.grid().size();
  const AxisMap map = axes_ == TensorAxes::zyx ? AxisMap{} : turned_around;
  std::vector<float> out(input.channels.size() * voxels);
  for (std::size_t c = 0; c < input.channels.size(); ++c)
    reorient(input.channels[c], map, std::span(out).subspan(c * voxels, voxels));
  return out;
}

OnnxResult OnnxPredictor::run_tensor(std::span<const float> numbers,
                                     const std::vector<std::int64_t>& shape) {
  if (session_.input().type == onnx_float32) return session_.run(std::as_bytes(numbers), shape);
  std::vector<Half> halves(numbers.size());
  std::ranges::transform(numbers, halves.begin(), to_half);
  return session_.run(std::as_bytes(std::span(halves)), shape);
}

/// A single channel whose axes are already the tensor's is passed on without a copy.
Prediction OnnxPredictor::run(const PredictorInput& input, const PredictionSettings& settings) {
  const bool as_is = input.channels.size() == 1 && axes_ == TensorAxes::zyx;
  const Grid grid =
      axes_ == TensorAxes::zyx ? input.grid() : reoriented(input.grid(), turned_around);
  require_shape(grid.shape);
  const std::vector<float> copy = as_is ? std::vector<float>() : tensor_of(input);
  const auto side = [&](std::size_t axis) { return static_cast<std::int64_t>(grid.shape[axis]); };
  const OnnxResult result =
      run_tensor(as_is ? input.channels.front().voxels : std::span<const float>(copy),
                 {1, static_cast<std::int64_t>(input.channels.size()), side(2), side(1), side(0)});
  return decoded(result.tensor, {.grid = grid,
                                 .probabilities = gives_probabilities_,
                                 .logits = settings.logits,
                                 .labels = settings.labels,
                                 .executor = settings.executor});
}

Prediction OnnxPredictor::turned_back(const Prediction& found, const Grid& grid) {
  const Grid turned = reoriented(grid, turned_around);
  const View<std::uint8_t> labels = found.labels.view();
  Prediction out = {.labels = Volume<std::uint8_t>(labels.voxels.empty() ? Grid{} : grid),
                    .logits = {},
                    .probabilities = found.probabilities};
  if (!labels.voxels.empty()) reorient(labels, turned_around, out.labels.voxels());
  out.logits.resize(found.logits.size());
  for (std::size_t at = 0; at < out.logits.size(); at += grid.size())
    reorient(View<float>{turned, std::span(found.logits).subspan(at, grid.size())}, turned_around,
             std::span(out.logits).subspan(at, grid.size()));
  return out;
}

}  // namespace

std::unique_ptr<Predictor> onnx_predictor(const OnnxSettings& settings) try {
  return std::make_unique<OnnxPredictor>(settings);
} catch (const Error& e) {
  if (e.kind() == Error::Kind::unsupported) throw;  // about ONNX Runtime, not about the model
  throw e.about(settings.model.string());
}

}  // namespace assay::model
