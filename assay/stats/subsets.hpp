// SPDX-License-Identifier: Apache-2.0
/// Subsets of a few things: all of them, or many at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::stats {

struct Subsets {
  std::vector<std::vector<std::uint32_t>> members{};  ///< each ascending, from 0
  bool all = true;                                    ///< every subset once; otherwise drawn
};

/// Subsets of `size` of `count` things, in the order of a dictionary. When there are more than
/// `most`, that many are drawn with `seed`, each independently of the others.
Subsets subsets(std::size_t count, std::size_t size, std::size_t most, std::uint64_t seed);

}  // namespace assay::stats
