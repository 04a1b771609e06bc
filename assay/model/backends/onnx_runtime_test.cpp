// SPDX-License-Identifier: Apache-2.0
/// How the library is looked for; tests/oracle/test_onnxruntime.py runs models in it.
#include "assay/model/backends/onnx_runtime.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "assay/base/test_files.hpp"

namespace assay::model::onnx_runtime_test {

using assay::test::refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sets a variable of the environment and puts it back.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    had_ = before != nullptr;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (had_)
      ::setenv(name_, before_.c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::string before_ = {};
  bool had_ = false;
};

TEST(OnnxRuntime, a_library_that_is_absent_is_named_with_what_can_be_done) {
  EXPECT_THAT(refusal([] { load_onnx_runtime("/nowhere/libonnxruntime.so"); }),
              AllOf(HasSubstr("ONNX Runtime could not be loaded (/nowhere/libonnxruntime.so"),
                    HasSubstr("--onnxruntime, ASSAY_ONNXRUNTIME"), Not(HasSubstr("\n"))));
}

TEST(OnnxRuntime, a_library_of_something_else_is_told) {
  EXPECT_THAT(refusal([] { load_onnx_runtime("libm.so.6"); }),
              HasSubstr("libm.so.6 is a library, but not ONNX Runtime"));
}

TEST(OnnxRuntime, is_looked_for_by_name_then_environment_then_configuration) {
  const assay::test::TemporaryFolder home;
  std::filesystem::create_directories(home / "assay");
  write_atomically(home / "assay/config.json", R"({"onnxruntime": "/configured.so"})");
  const Variable config("XDG_CONFIG_HOME", home.path().string());
  {
    const Variable none("ASSAY_ONNXRUNTIME", "");
    EXPECT_THAT(refusal([] { load_onnx_runtime(); }), HasSubstr("/configured.so"));
  }
  const Variable set("ASSAY_ONNXRUNTIME", "/environment.so");
  EXPECT_THAT(refusal([] { load_onnx_runtime(); }),
              AllOf(HasSubstr("/environment.so"), Not(HasSubstr("/configured.so"))));
  EXPECT_THAT(refusal([] { load_onnx_runtime("/named.so"); }),
              AllOf(HasSubstr("/named.so"), Not(HasSubstr("/environment.so"))));
}

TEST(OnnxRuntime, a_broken_configuration_is_told_by_its_path) {
  const assay::test::TemporaryFolder home;
  std::filesystem::create_directories(home / "assay");
  const Variable config("XDG_CONFIG_HOME", home.path().string());
  const Variable none("ASSAY_ONNXRUNTIME", "");
  write_atomically(home / "assay/config.json", R"({"onnxruntime": 3})");
  EXPECT_THAT(refusal([] { load_onnx_runtime(); }),
              HasSubstr("config.json: \"onnxruntime\" must be the path of a library"));
  write_atomically(home / "assay/config.json", "[1]");
  EXPECT_THAT(refusal([] { load_onnx_runtime(); }),
              HasSubstr("config.json: must be a JSON object"));
  write_atomically(home / "assay/config.json", "{");
  EXPECT_THAT(refusal([] { load_onnx_runtime(); }), HasSubstr("config.json"));
}

}  // namespace assay::model::onnx_runtime_test
