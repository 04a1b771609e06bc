// SPDX-License-Identifier: Apache-2.0
/// Checksums of data that are never written out, because a pattern is repeated very often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

/// CRC-32 as in gzip and zip. The cost of a repeated pattern hardly depends on how often it is
/// repeated.
class RunCrc32 {
 public:
  void add(std::span<const std::byte> bytes);
  /// Adds `pattern`, of 1, 2, 4 or 8 bytes, `times` times.
  void add_repeated(std::span<const std::byte> pattern, std::uint64_t times);
  std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

/// Adler-32 as in zlib streams.
class RunAdler32 {
 public:
  void add(std::span<const std::byte> bytes);
  void add_repeated(std::span<const std::byte> pattern, std::uint64_t times);
  std::uint32_t value() const { return adler_; }

 private:
  std::uint32_t adler_ = 1;
};

}  // namespace assay
