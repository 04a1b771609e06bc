// SPDX-License-Identifier: Apache-2.0
/// Squared distances of very many voxels, most of them different. They take a few bytes each and
/// are sorted instead of hashed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "assay/memory.hpp"

namespace assay::metrics {

/// Positive numbers have the order of their bits. Numbers with the same leading bits share a
/// bucket, which keeps only the other bits. Each bucket is sorted separately, so that it fits the
/// cache.
class ManyDistances {
 public:
  void add(double squared) {
    const auto bits = std::bit_cast<std::uint64_t>(squared);
    Bucket& bucket = bucket_of(bits >> low_bits);
    if (bucket.used == Chunk::most_raw) grow(bucket);
    // Many buckets grow side by side, so the processor cannot predict the next address.
    __builtin_prefetch(bucket.last->raw.low.data() + bucket.used + 32, 1);
    __builtin_prefetch(bucket.last->raw.high.data() + bucket.used + 48, 1);
    bucket.last->raw.low[bucket.used] = static_cast<std::uint32_t>(bits);
    bucket.last->raw.high[bucket.used++] = static_cast<std::uint16_t>(bits >> 32);
  }

  /// Call it after the last distance was added.
  void sort();

  struct SkipNothing {
    bool operator()(double /*voxels*/) const { return false; }
  };

  /// Calls use(squared, how often) in order of distance, each distance once, as long as it returns
  /// true. If skip(voxels) returns true, a group of that many voxels is left out. Only after
  /// `sort`.
  template <class Use, class Skip = SkipNothing>
  void for_each(const Use& use, const Skip& skip = {}) const {
    for (std::size_t leading = 0; leading < places_.size(); ++leading) {
      if (places_[leading] == 0) continue;
      const Bucket& bucket = buckets_[places_[leading] - 1];
      if (skip(static_cast<double>(bucket.voxels))) continue;
      if (!use_bucket(leading, bucket, use)) return;
    }
  }

 private:
  /// Bits that a bucket does not share; there are 64 buckets for each power of two.
  static constexpr unsigned low_bits = 46;
  static constexpr unsigned count_bits = 64 - low_bits;
  static constexpr std::uint64_t most_count = (std::uint64_t{1} << count_bits) - 1;

  /// Part of a bucket: bits as they arrive, or after sorting words of bits and a count.
  union Chunk {
    static constexpr std::size_t most_raw = 1024, most_words = most_raw * 6 / 8;
    struct {
      std::array<std::uint32_t, most_raw> low;
      std::array<std::uint16_t, most_raw> high;
    } raw;
    std::array<std::uint64_t, most_words> words;
  };
  struct Bucket {
    std::vector<Chunk*> chunks;
    Chunk* last = nullptr;
    std::size_t used = Chunk::most_raw;  ///< of the last chunk; after sorting, words of all
    std::size_t voxels = 0;              ///< after sorting
  };

  /// One bucket of `for_each`; returns whether to continue.
  template <class Use>
  bool use_bucket(std::uint64_t leading, const Bucket& bucket, const Use& use) const {
    std::uint64_t low = 0, count = 0;
    const auto use_last = [&] {
      return count == 0 ||
             use(std::bit_cast<double>(leading << low_bits | low), static_cast<double>(count));
    };
    std::size_t left = bucket.used;
    for (const Chunk* chunk : bucket.chunks) {
      const std::size_t words = std::min(left, Chunk::most_words);
      left -= words;
      for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = chunk->words[i];
        // A count that one word cannot hold continues in the next.
        if (word >> count_bits != low) {
          if (!use_last()) return false;
          low = word >> count_bits;
          count = 0;
        }
        count += word & most_count;
      }
    }
    return use_last();
  }
  class Sorter;

  Bucket& bucket_of(std::size_t leading) {
    if (places_.empty() || places_[leading] == 0) open_bucket(leading);
    return buckets_[places_[leading] - 1];
  }
  void open_bucket(std::size_t leading);
  void grow(Bucket& bucket);
  Chunk* fresh_chunk();

  std::vector<std::uint32_t> places_;  ///< of buckets by leading bits, from 1 on; 0: none
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Chunk[], FreeMemory>> pages_;  ///< memory of the chunks
  std::size_t left_ = 0;                                     ///< unused chunks of the last page
};

}  // namespace assay::metrics
