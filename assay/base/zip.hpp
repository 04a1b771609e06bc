// SPDX-License-Identifier: Apache-2.0
/// The files in a zip archive.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The directory of an archive. Borrows the bytes; nothing is unpacked, so no entry can expand.
class ZipFile {
 public:
  /// Throws Error::input when the directory is damaged or cut off. `name` is used in messages.
  ZipFile(std::span<const std::byte> bytes, std::string name);

  bool has(const std::string& entry) const { return entries_.contains(entry); }
  /// The only entry whose path ends in this name; "" when there is none, or more than one.
  std::string named(std::string_view last_part) const;
  /// The paths of all entries, ascending.
  std::vector<std::string> paths() const;

  /// An entry as it is stored in the file.
  struct Packed {
    std::size_t offset = 0;  ///< in the archive
    std::span<const std::byte> bytes;
    std::size_t size = 0;  ///< once unpacked
    unsigned method = 0;   ///< 0: stored as it is; 8: deflate
    unsigned checksum = 0;
  };
  /// Throws Error::input when it is absent or lies outside the file.
  Packed packed(const std::string& entry) const;

  /// The content of an entry, checked. Throws Error::input when it is absent, compressed or
  /// damaged.
  std::span<const std::byte> content(const std::string& entry) const;

 private:
  struct Entry {
    std::size_t header = 0, size = 0, packed_size = 0;
    unsigned method = 0, checksum = 0;
  };
  void read_directory(std::size_t at, std::size_t count);

  std::span<const std::byte> bytes_;
  std::string name_;
  std::map<std::string, Entry> entries_;
};

}  // namespace assay
