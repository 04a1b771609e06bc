// SPDX-License-Identifier: Apache-2.0
/// How often each code occurs among chosen items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace assay::stats {

/// Where a tally is kept while items come in; as light as pointers.
struct TallySink {
  const std::uint32_t* codes;
  std::uint32_t *counts, *more;

  /// Two indices, one in each half. Two tables, so that two items of one code in a row do not wait
  /// for each other.
  [[gnu::always_inline]] void add_two(std::uint64_t two) const {
    ++counts[codes[static_cast<std::uint32_t>(two)]];
    ++more[codes[two >> 32]];
  }
  void add(std::span<const std::uint32_t> indices) const {
    std::size_t i = 0;
    for (; i + 2 <= indices.size(); i += 2) {
      std::uint64_t two = 0;  // one load for two indices
      std::memcpy(&two, indices.data() + i, sizeof two);
      add_two(two);
    }
    if (i < indices.size()) ++counts[codes[indices[i]]];
  }
  /// What one table loses below zero the other has too much: only their sum, modulo 2^32, counts.
  void remove(std::span<const std::uint32_t> indices) const {
    for (const std::uint32_t index : indices) --counts[codes[index]];
  }
};

class CodeTally {
 public:
  /// Codes are below `kinds`.
  CodeTally(std::span<const std::uint32_t> codes, std::size_t kinds)
      : memory_(2 * kinds + codes.size()), taken_(kinds) {
    std::copy(codes.begin(), codes.end(), memory_.begin() + static_cast<std::ptrdiff_t>(2 * kinds));
  }

  TallySink sink() {
    std::uint32_t* counts = memory_.data();
    return {counts + 2 * taken_.size(), counts, counts + taken_.size()};
  }

  /// What has come in since the last call; valid until the next.
  std::span<const std::uint32_t> take() {
    const std::size_t kinds = taken_.size();
    for (std::size_t code = 0; code < kinds; ++code)
      taken_[code] = std::exchange(memory_[code], 0U) + std::exchange(memory_[kinds + code], 0U);
    return taken_;
  }

 private:
  /// Both tables, then the codes: side by side they do not collide in the cache.
  std::vector<std::uint32_t> memory_;
  std::vector<std::uint32_t> taken_;
};

}  // namespace assay::stats
