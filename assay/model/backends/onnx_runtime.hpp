// SPDX-License-Identifier: Apache-2.0
/// The functions of ONNX Runtime that are used, found in the library at run time: the program also
/// starts without the library, and works with a newer version than it was built with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace assay::model {

// Handles of the library; only pointers to them pass through here.
struct OrtStatus;
struct OrtEnvironment;
struct OrtOptions;
struct OrtSession;
struct OrtValue;
struct OrtType;
struct OrtTensorInfo;
struct OrtMemory;
struct OrtAllocator;
struct OrtRunOptions;

/// Functions that return a status return null when they succeed, and put their result into the last
/// argument.
struct OnnxRuntime {
  std::string version = {};  ///< "1.30.0"
  const char* (*error_message)(const OrtStatus* status);
  OrtStatus* (*create_environment)(int least_severity, const char* name, OrtEnvironment** out);
  OrtStatus* (*create_session)(const OrtEnvironment* environment, const char* path,
                               const OrtOptions* options, OrtSession** out);
  OrtStatus* (*run)(OrtSession* session, const OrtRunOptions* options,
                    const char* const* input_names, const OrtValue* const* inputs,
                    std::size_t input_count, const char* const* output_names,
                    std::size_t output_count, OrtValue** outputs);
  OrtStatus* (*create_options)(OrtOptions** out);
  OrtStatus* (*disable_memory_pattern)(OrtOptions* options);
  OrtStatus* (*set_threads)(OrtOptions* options, int count);
  OrtStatus* (*set_graph_threads)(OrtOptions* options, int count);
  OrtStatus* (*input_count)(const OrtSession* session, std::size_t* out);
  OrtStatus* (*output_count)(const OrtSession* session, std::size_t* out);
  OrtStatus* (*input_type)(const OrtSession* session, std::size_t index, OrtType** out);
  OrtStatus* (*input_name)(const OrtSession* session, std::size_t index, OrtAllocator* allocator,
                           char** out);
  OrtStatus* (*output_name)(const OrtSession* session, std::size_t index, OrtAllocator* allocator,
                            char** out);
  OrtStatus* (*create_tensor)(const OrtMemory* memory, void* data, std::size_t bytes,
                              const std::int64_t* shape, std::size_t rank, int type,
                              OrtValue** out);
  OrtStatus* (*is_tensor)(const OrtValue* value, int* out);
  OrtStatus* (*tensor_data)(OrtValue* value, void** out);
  /// Gives null when the type is not a tensor. The result belongs to the type.
  OrtStatus* (*tensor_info)(const OrtType* type, const OrtTensorInfo** out);
  OrtStatus* (*element_type)(const OrtTensorInfo* info, int* out);
  OrtStatus* (*rank)(const OrtTensorInfo* info, std::size_t* out);
  OrtStatus* (*shape)(const OrtTensorInfo* info, std::int64_t* sides, std::size_t rank);
  OrtStatus* (*value_info)(const OrtValue* value, OrtTensorInfo** out);
  OrtStatus* (*create_memory)(int allocator, int kind, OrtMemory** out);
  OrtStatus* (*release_memory_of)(OrtAllocator* allocator, void* memory);
  OrtStatus* (*default_allocator)(OrtAllocator** out);
  void (*release_environment)(OrtEnvironment* environment);
  void (*release_status)(OrtStatus* status);
  void (*release_memory)(OrtMemory* memory);
  void (*release_session)(OrtSession* session);
  void (*release_value)(OrtValue* value);
  void (*release_type)(OrtType* type);
  void (*release_info)(OrtTensorInfo* info);
  void (*release_options)(OrtOptions* options);
};

/// Loads the library: `named` if it is not "", else $ASSAY_ONNXRUNTIME, else "onnxruntime" of
/// ~/.config/assay/config.json, else the names that systems give it. Throws an Error::unsupported
/// that says where it was looked for and how to get it.
OnnxRuntime load_onnx_runtime(const std::filesystem::path& named = {});

}  // namespace assay::model
