// SPDX-License-Identifier: Apache-2.0
/// A model that is loaded into ONNX Runtime, with the errors of the library in our words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/model/backends/onnx_output.hpp"
#include "assay/model/backends/onnx_runtime.hpp"

namespace assay::model {

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

class OnnxSession {
 public:
  /// Throws Error::input when the model cannot be loaded or does not have exactly one input.
  /// `threads` 0: as many as there are cores.
  OnnxSession(OnnxRuntime runtime, const std::filesystem::path& model, unsigned threads);

  const OnnxInput& input() const { return input_; }
  const std::string& version() const { return runtime_.version; }

  /// The first output for float32 numbers of that shape.
  OnnxResult run(std::span<const float> numbers, const std::vector<std::int64_t>& shape);

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

}  // namespace assay::model
