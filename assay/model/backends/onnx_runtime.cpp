// SPDX-License-Identifier: Apache-2.0
/// ONNX Runtime provides its functions as a table of pointers without names. The slots of the first
/// version (0 to 101) have stayed the same in every version since. The ones used here are named
/// below.
#include "assay/model/backends/onnx_runtime.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t first_version = 1;

/// Slots of OrtApi.
enum Slot : std::size_t {
  get_error_message = 2,
  create_env = 3,
  create_session = 7,
  run = 9,
  create_session_options = 10,
  disable_mem_pattern = 17,
  set_intra_op_num_threads = 24,
  set_inter_op_num_threads = 25,
  session_get_input_count = 30,
  session_get_output_count = 31,
  session_get_input_type_info = 33,
  session_get_input_name = 36,
  session_get_output_name = 37,
  create_tensor_with_data_as_ort_value = 49,
  is_tensor = 50,
  get_tensor_mutable_data = 51,
  cast_type_info_to_tensor_info = 55,
  get_tensor_element_type = 60,
  get_dimensions_count = 61,
  get_dimensions = 62,
  get_tensor_type_and_shape = 65,
  create_cpu_memory_info = 69,
  allocator_free = 76,
  get_allocator_with_default_options = 78,
  release_env = 92,
  release_status = 93,
  release_memory_info = 94,
  release_session = 95,
  release_value = 96,
  release_type_info = 98,
  release_tensor_type_and_shape_info = 99,
  release_session_options = 100,
};

/// OrtApiBase: what the library's only exported function returns.
struct ApiBase {
  void* const* (*api)(std::uint32_t version);
  const char* (*version)();
};

template <class Function>
void take(void* const* slots, Slot slot, Function*& function) {
  function = reinterpret_cast<Function*>(slots[slot]);
}

void take_session_functions(void* const* slots, OnnxRuntime& out) {
  take(slots, create_env, out.create_environment);
  take(slots, create_session, out.create_session);
  take(slots, run, out.run);
  take(slots, create_session_options, out.create_options);
  take(slots, disable_mem_pattern, out.disable_memory_pattern);
  take(slots, set_intra_op_num_threads, out.set_threads);
  take(slots, set_inter_op_num_threads, out.set_graph_threads);
  take(slots, session_get_input_count, out.input_count);
  take(slots, session_get_output_count, out.output_count);
  take(slots, session_get_input_type_info, out.input_type);
  take(slots, session_get_input_name, out.input_name);
  take(slots, session_get_output_name, out.output_name);
}

void take_tensor_functions(void* const* slots, OnnxRuntime& out) {
  take(slots, create_tensor_with_data_as_ort_value, out.create_tensor);
  take(slots, is_tensor, out.is_tensor);
  take(slots, get_tensor_mutable_data, out.tensor_data);
  take(slots, cast_type_info_to_tensor_info, out.tensor_info);
  take(slots, get_tensor_element_type, out.element_type);
  take(slots, get_dimensions_count, out.rank);
  take(slots, get_dimensions, out.shape);
  take(slots, get_tensor_type_and_shape, out.value_info);
}

void take_ownership_functions(void* const* slots, OnnxRuntime& out) {
  take(slots, get_error_message, out.error_message);
  take(slots, create_cpu_memory_info, out.create_memory);
  take(slots, allocator_free, out.release_memory_of);
  take(slots, get_allocator_with_default_options, out.default_allocator);
  take(slots, release_env, out.release_environment);
  take(slots, release_status, out.release_status);
  take(slots, release_memory_info, out.release_memory);
  take(slots, release_session, out.release_session);
  take(slots, release_value, out.release_value);
  take(slots, release_type_info, out.release_type);
  take(slots, release_tensor_type_and_shape_info, out.release_info);
  take(slots, release_session_options, out.release_options);
}

fs::path environment_path(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

fs::path config_file() {
  const fs::path home = environment_path("HOME");
  fs::path folder = environment_path("XDG_CONFIG_HOME");
  if (folder.empty() && !home.empty()) folder = home / ".config";
  return folder.empty() ? folder : folder / "assay/config.json";
}

/// The library that the user's configuration names.
fs::path configured() {
  const fs::path file = config_file();
  std::error_code ignored;
  if (file.empty() || !fs::is_regular_file(file, ignored)) return {};
  const Json config = parse_json(read_text(file), file.string());
  if (!config.is_object()) throw Error(Error::Kind::input, file, "must be a JSON object");
  const auto found = config.find("onnxruntime");
  if (found == config.end()) return {};
  if (!found->is_string())
    throw Error(Error::Kind::input, file,
                "\"onnxruntime\" must be the path of a library, in quotes");
  return found->get<std::string>();
}

std::vector<std::string> candidates(const fs::path& named) {
  if (!named.empty()) return {named.string()};
  if (const fs::path set = environment_path("ASSAY_ONNXRUNTIME"); !set.empty())
    return {set.string()};
  if (const fs::path set = configured(); !set.empty()) return {set.string()};
  return {"libonnxruntime.so.1", "libonnxruntime.so"};
}

/// Why the last call of the dynamic loader failed, in one line.
std::string loader_reason() {
  const char* text = dlerror();
  std::string reason = text != nullptr ? text : "not found";
  std::ranges::replace(reason, '\n', ' ');
  return reason;
}

struct Attempt {
  std::optional<OnnxRuntime> runtime = {};
  std::string reason = {};
};

/// The library stays loaded: its threads may outlive any owner we could give it.
Attempt attempt(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {.reason = loader_reason()};
  auto* base = reinterpret_cast<const ApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  if (base == nullptr) return {.reason = name + " is a library, but not ONNX Runtime"};
  void* const* slots = base()->api(first_version);
  if (slots == nullptr) return {.reason = name + " does not offer version 1 of its functions"};
  OnnxRuntime out{};
  out.version = base()->version();
  take_session_functions(slots, out);
  take_tensor_functions(slots, out);
  take_ownership_functions(slots, out);
  return {.runtime = std::move(out)};
}

}  // namespace

OnnxRuntime load_onnx_runtime(const fs::path& named) {
  std::vector<std::string> reasons;
  for (const std::string& name : candidates(named)) {
    Attempt found = attempt(name);
    if (found.runtime) return std::move(*found.runtime);
    reasons.push_back(found.reason);
  }
  throw Error(
      Error::Kind::unsupported,
      "ONNX Runtime could not be loaded (" + joined(reasons, "; ") +
          "); get it (npm install onnxruntime-node, or an archive of its releases) and name "
          "its libonnxruntime.so with --onnxruntime, ASSAY_ONNXRUNTIME, or \"onnxruntime\" "
          "in ~/.config/assay/config.json");
}

}  // namespace assay::model
