// SPDX-License-Identifier: Apache-2.0
/// A folder for files that another program reads or writes, removed with its owner.
#pragma once

#include <filesystem>
#include <string_view>

#include "assay/base/descriptor.hpp"

namespace assay {

class TemporaryFolder {
 public:
  /// Made in the system's folder for temporary files ($TMPDIR), from which it also removes what
  /// killed processes left. Throws Error::io.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Removes it with everything in it.
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  Descriptor lock_;  ///< held for as long as the owner lives
};

}  // namespace assay
