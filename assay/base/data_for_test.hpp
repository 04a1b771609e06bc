// SPDX-License-Identifier: Apache-2.0
/// Finds the real files that some tests read and that are not part of the project.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace assay::test {

/// A file or folder of the test data. If it is absent, the test skips with this reason.
struct RealData {
  std::filesystem::path path;
  std::string absence;  ///< empty if the file is there
};

/// Looks in $ASSAY_TEST_DATA; if that is not set, in ../shared/data beside the project.
inline RealData real_data(const std::string& name) {
  const char* folder = std::getenv("ASSAY_TEST_DATA");
  const bool chosen = folder != nullptr && *folder != '\0';
  const std::filesystem::path root = chosen ? folder : ASSAY_SOURCE_DIR "/../shared/data";
  if (std::filesystem::exists(root / name)) return {root / name, ""};
  return {root / name, "needs real data: set ASSAY_TEST_DATA to a folder that has " + name};
}

}  // namespace assay::test
