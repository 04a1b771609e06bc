// SPDX-License-Identifier: Apache-2.0
/// Files from the web: resumed where they broke off, checked, and renamed when they are complete.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

struct Download {
  std::string url;
  std::filesystem::path path;  ///< beside it, `path`.part holds what has come so far
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string sha256{};   ///< required; "": only what the server itself says is checked
  unsigned attempts = 3;  ///< connections that may break without bringing anything
  double patience_s = 1;  ///< before the second attempt; doubles
  const std::atomic<bool>* stop = nullptr;
};

struct Downloaded {
  std::uintmax_t size = 0;
  std::string sha256{};
  bool already_there = false, resumed = false;
  std::string checked_by{};  ///< "sha256", "git", or "" when nobody knew a checksum
};

/// The file was not received completely; the part that was is kept for the next time.
struct DownloadFailure {
  int status = 0;  ///< of HTTP; 0: the connection
  std::string message;
  bool stopped = false;
};

/// Bytes received, bytes in all (0: unknown).
using DownloadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Throws Error when the file cannot be written, when the checksum is wrong (then nothing is kept),
/// or when another process is fetching the same file.
std::variant<Downloaded, DownloadFailure> download(const Download& wanted,
                                                   const DownloadProgress& progress = {});

/// Throws Error::io when `needed` bytes are more than `available` in a folder.
void require_room(const std::filesystem::path& folder, std::uint64_t needed,
                  std::uint64_t available);

}  // namespace assay
