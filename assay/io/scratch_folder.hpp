// SPDX-License-Identifier: Apache-2.0
/// A folder for files that nobody needs afterwards.
#pragma once

#include <filesystem>

namespace assay {

/// Made below the system's place for temporary files ($TMPDIR), removed with all that is in it.
class ScratchFolder {
 public:
  /// Throws Error::io that says where it could not be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay
