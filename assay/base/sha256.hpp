// SPDX-License-Identifier: Apache-2.0
/// Digests of texts and files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);

/// The same for a file of any size. Throws Error::io.
std::string sha256_of_file(const std::filesystem::path& path);

class Digest;

/// The same for data that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view piece);
  std::string hex();  ///< call it once, at the end

 private:
  std::unique_ptr<Digest> digest_;
};

/// The name that git gives to a file of this content: 40 lower-case hex digits.
std::string git_blob_id(const std::filesystem::path& path);

}  // namespace assay
