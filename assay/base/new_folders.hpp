// SPDX-License-Identifier: Apache-2.0
/// Folders that are created for a file, and removed again if the file was not written.
#pragma once

#include <filesystem>
#include <vector>

namespace assay {

class NewFolders {
 public:
  /// Makes the folders above `file` that are missing. Throws Error::io.
  explicit NewFolders(const std::filesystem::path& file);
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  /// Removes the folders that it made and that are still empty.
  ~NewFolders();

 private:
  std::vector<std::filesystem::path> made_;  ///< the deepest first
};

}  // namespace assay
