// SPDX-License-Identifier: Apache-2.0
/// A file that is written under a temporary name next to the one that it will replace.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "assay/base/descriptor.hpp"

namespace assay {

class TemporaryFile {
 public:
  /// Creates a file in the folder of `target`, with the permissions of `target` if that exists.
  /// Throws Error::io.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  /// Deletes the file unless it was given its final name.
  ~TemporaryFile();

  void write(std::span<const std::byte> bytes);

  /// Waits until the content is on disk, then replaces the target. False if somebody has deleted
  /// the file before that.
  bool replace_target();

 private:
  std::filesystem::path target_, name_;
  Descriptor file_;
};

/// Removes the temporary files that killed processes left in a folder.
void remove_abandoned_files(const std::filesystem::path& folder);

}  // namespace assay
