// SPDX-License-Identifier: Apache-2.0
/// Reads a journal that another process may be writing, without its lock.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/journal.hpp"

namespace assay {

/// Each `read` continues where the last one ended. Memory is bounded by the longest line. The file
/// is read, not mapped, because its writer may cut off a torn end at any time.
class JournalFollower {
 public:
  explicit JournalFollower(std::filesystem::path path) : path_(std::move(path)) {}

  /// Calls `each` with the records after the header that are new. What is damaged is left out and
  /// noted; the last line is left for the next time unless it is sound. Returns false if the file
  /// is not the one that was read before, or is shorter: begin again with another follower. Throws
  /// Error::io.
  bool read(const std::function<void(std::string_view)>& each);

  const std::optional<JournalHeader>& header() const { return header_; }
  const std::vector<std::size_t>& damaged_lines() const { return damaged_; }

 private:
  /// Takes the whole lines of `text`; returns how many bytes they were.
  std::size_t take_lines(std::string_view text, const std::function<void(std::string_view)>& each);

  std::filesystem::path path_;
  std::size_t offset_ = 0, line_ = 0;
  ino_t file_ = 0;
  std::optional<JournalHeader> header_{};
  std::vector<std::size_t> damaged_{};
};

}  // namespace assay
