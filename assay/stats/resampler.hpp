// SPDX-License-Identifier: Apache-2.0
/// The source of a bootstrap's replicates: items, or whole clusters of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "assay/executor.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {

// How often each code occurs among chosen items.

/// Where a tally is kept while items come in; as light as pointers.
struct TallySink {
  const std::uint32_t* codes;
  std::uint32_t *counts, *more;

  /// Two indices, one in each half. There are two tables, so that two items of one code in a row do
  /// not wait for each other.
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
  /// One table may wrap below zero while the other has too much: only their sum, modulo 2^32,
  /// counts.
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

  /// The counts since the last call; valid until the next.
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

// The draws of many replicates from one stream, on several cores if there are any.

/// Repeats integers(0, bound, size) of NumPy's generator.
class ReplicateDraws {
 public:
  ReplicateDraws(const Pcg64& start, std::uint32_t bound, std::size_t size)
      : bits_(start), bound_(bound), drawn_(size) {}

  /// The next replicate; valid until the next call.
  std::span<const std::uint32_t> next();

  /// The same; each draw is counted on the way.
  std::span<const std::uint32_t> next(const TallySink& tally);

  /// How many 32-bit halves of the stream have been used; setting it leaps over replicates.
  std::uint64_t place() const { return place_; }
  void skip(std::uint64_t halves);

  /// How many halves `replicates` replicates take, and how many of these are likely to be
  /// rejected and replaced by further ones.
  std::uint64_t least_halves(std::size_t replicates) const;
  double expected_rejections(std::size_t replicates) const;

 private:
  void used(std::size_t rejected);

  Pcg64 bits_;
  std::uint32_t bound_;
  std::uint64_t place_ = 0;
  std::vector<std::uint32_t> drawn_;
};

/// Takes replicates first .. last - 1 from `draws`, which must be positioned before the first of
/// them. It may be called again for the same replicates, and then only the last call counts.
using BlockTask = std::function<void(std::size_t first, std::size_t last, ReplicateDraws& draws)>;

/// All replicates in blocks, one task each. What a task is given does not depend on the executor.
void draw_in_blocks(const ReplicateDraws& draws, std::size_t replicates, const Executor& executor,
                    const BlockTask& task);

class Resampler {
 public:
  /// `clusters` is empty or has one entry per item; anything else is an Error.
  Resampler(std::size_t size, std::span<const std::size_t> clusters,
            std::span<const std::uint32_t> seed);

  /// The units (items or clusters) of each replicate, from the first on.
  ReplicateDraws draws() const;

  /// The items of drawn units; where these are clusters, in `items`.
  std::span<const std::uint32_t> items_of(std::span<const std::uint32_t> units,
                                          std::vector<std::uint32_t>& items) const;
  bool clustered() const { return !members_.empty(); }

  /// How many units there are, and all items but those of one unit.
  std::size_t units() const { return units_; }
  std::vector<std::uint32_t> without(std::size_t unit) const;

  std::vector<std::uint32_t> all() const;

 private:
  std::size_t size_, units_;
  std::vector<std::vector<std::size_t>> members_;  ///< empty: items are the units
  Pcg64 bits_;
};

// Mean scores of several models over chosen cases, all models at once.

class CaseMeans {
 public:
  /// One row per model, one column per case; rows of different lengths are an Error.
  explicit CaseMeans(std::span<const std::vector<double>> scores);

  std::size_t models() const { return models_; }
  std::size_t cases() const { return cases_; }

  /// means[m]: model m over the cases named by `indices`, added in their order.
  void operator()(std::span<const std::uint32_t> indices, std::span<double> means) const;

  /// Eight models on one case: a line of the cache.
  struct alignas(64) Line {
    std::array<double, 8> score{};
  };

 private:
  std::size_t models_, cases_;
  std::vector<std::vector<Line>> groups_;  ///< eight models each, by case
};

}  // namespace assay::stats
