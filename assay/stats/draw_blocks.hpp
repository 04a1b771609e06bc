// SPDX-License-Identifier: Apache-2.0
/// The draws of many replicates from one stream, on several cores if there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/executor.hpp"
#include "assay/stats/code_tally.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {

/// integers(0, bound, size) of NumPy's generator again and again.
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

}  // namespace assay::stats
