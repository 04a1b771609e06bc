// SPDX-License-Identifier: Apache-2.0
/// NumPy's legacy `RandomState(seed)`, as far as scikit-learn's splitters use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "assay/stats/random.hpp"

namespace assay::stats {

/// MT19937 seeded with one word, which is exactly what std::mt19937 is; the shuffle is NumPy's.
class RandomState {
 public:
  explicit RandomState(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t next32() { return static_cast<std::uint32_t>(engine_()); }
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return high << 32 | next32();
  }

  template <class T>
  void shuffle(std::span<T> items) {
    shuffle_from_end(*this, items);
  }

  std::vector<std::size_t> permutation(std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(std::span(order));
    return order;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace assay::stats
