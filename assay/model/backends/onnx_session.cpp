// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_session.hpp"

#include <algorithm>
#include <utility>

#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr int fatal_messages_only = 4;  ///< the rest would go to standard error on its own
constexpr int arena_allocator = 1, default_memory = 0;
constexpr std::size_t longest_detail = 400;

/// What the library says, in one line.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  if (text.size() > longest_detail) text.replace(longest_detail, std::string::npos, " ...");
  return text;
}

}  // namespace

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

/// Memory patterns would hold every volume's memory twice from the second one on.
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

/// The library reads its inputs only, though it takes them as if it wrote.
OnnxResult OnnxSession::run(std::span<const float> numbers,
                            const std::vector<std::int64_t>& shape) {
  OrtValue* made = nullptr;
  check(
      runtime_.create_tensor(memory_.get(), const_cast<float*>(numbers.data()),
                             numbers.size_bytes(), shape.data(), shape.size(), onnx_float32, &made),
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

}  // namespace assay::model
