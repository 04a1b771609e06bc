// SPDX-License-Identifier: Apache-2.0
/// How often each code occurs among chosen items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace assay {

/// Where a tally is kept while items come in; as light as pointers.
struct TallySink {
  const std::uint32_t* codes;
  std::uint32_t *counts, *more;

  /// Two tables, so that two items of one code in a row do not wait for each other, and one load
  /// for two indices.
  [[gnu::always_inline]] void add(std::span<const std::uint32_t> indices) const {
    std::size_t i = 0;
    for (; i + 2 <= indices.size(); i += 2) {
      std::uint64_t two = 0;
      std::memcpy(&two, indices.data() + i, sizeof two);
      ++counts[codes[static_cast<std::uint32_t>(two)]];
      ++more[codes[two >> 32]];
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
  /// Codes are below `kinds`; `codes` are not copied.
  CodeTally(std::span<const std::uint32_t> codes, std::size_t kinds)
      : codes_(codes), counts_(kinds), more_(kinds) {}

  TallySink sink() { return {codes_.data(), counts_.data(), more_.data()}; }

  /// What has come in since the last call; valid until more does.
  std::span<const std::uint32_t> take() {
    taken_ = counts_;
    for (std::size_t code = 0; code < taken_.size(); ++code) taken_[code] += more_[code];
    std::fill(counts_.begin(), counts_.end(), 0U);
    std::fill(more_.begin(), more_.end(), 0U);
    return taken_;
  }

 private:
  std::span<const std::uint32_t> codes_;
  std::vector<std::uint32_t> counts_, more_, taken_;
};

}  // namespace assay
