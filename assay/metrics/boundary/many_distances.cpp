// SPDX-License-Identifier: Apache-2.0
// A bucket is sorted by its next 22 bits in two passes. The few distances that also share those
// bits are sorted by comparison.
#include "assay/metrics/boundary/many_distances.hpp"

#include <algorithm>
#include <span>

namespace assay::metrics {

class ManyDistances::Sorter {
 public:
  /// The words of a bucket, in order.
  std::span<const std::uint64_t> words_of(const Bucket& bucket) {
    by_digits(bucket);
    by_comparison();
    return counted();
  }

 private:
  static constexpr unsigned digit_bits = 11;
  static constexpr unsigned upper = low_bits - digit_bits, lower = upper - digit_bits;
  using Places = std::array<std::uint32_t, (1 << digit_bits) + 1>;

  static std::size_t digit(std::uint64_t value, unsigned place) {
    return value >> place & ((1 << digit_bits) - 1);
  }
  bool are_close(std::size_t i, std::size_t j) const {
    return values_[i] >> lower == values_[j] >> lower;
  }

  /// Calls use(value) for everything in the bucket, as it arrived.
  template <class Use>
  static void for_each_raw(const Bucket& bucket, const Use& use) {
    for (const Chunk* chunk : bucket.chunks) {
      const std::size_t count = chunk == bucket.last ? bucket.used : Chunk::most_raw;
      for (std::size_t i = 0; i < count; ++i)
        use((std::uint64_t{chunk->raw.high[i]} << 32 | chunk->raw.low[i]) &
            ~std::uint64_t{0} >> count_bits);
    }
  }

  void by_digits(const Bucket& bucket) {
    values_.resize(bucket.voxels);
    room_.resize(values_.size());
    Places of_upper{}, of_lower{};
    for_each_raw(bucket, [&](std::uint64_t value) {
      ++of_upper[digit(value, upper) + 1];
      ++of_lower[digit(value, lower) + 1];
    });
    for (std::size_t i = 1; i < of_upper.size(); ++i) {
      of_upper[i] += of_upper[i - 1];
      of_lower[i] += of_lower[i - 1];
    }
    for_each_raw(bucket,
                 [&](std::uint64_t value) { room_[of_lower[digit(value, lower)]++] = value; });
    for (const std::uint64_t value : room_) values_[of_upper[digit(value, upper)]++] = value;
  }

  /// Sorts the values that share their 22 bits.
  void by_comparison() {
    for (std::size_t i = 1; i < values_.size(); ++i) {
      if (values_[i - 1] <= values_[i]) continue;
      std::size_t first = i - 1, last = i + 1;
      while (first > 0 && are_close(first - 1, i)) --first;
      while (last < values_.size() && are_close(last, i)) ++last;
      std::sort(&values_[first], &values_[first] + (last - first));
      i = last - 1;
    }
  }

  /// Turns equal values into words, in place. It has no branches, because which values are equal
  /// cannot be predicted.
  std::span<const std::uint64_t> counted() {
    std::size_t end = 0;
    std::uint64_t word = 0;
    for (const std::uint64_t value : values_) {
      const std::uint64_t fresh = value << count_bits;
      const bool is_same =
          (word & ~most_count) == fresh && (word & most_count) - 1 < most_count - 1;
      end += is_same ? 0U : 1U;
      word = is_same ? word + 1 : fresh + 1;
      values_[end - 1] = word;
    }
    return std::span(values_).first(end);
  }

  std::vector<std::uint64_t> values_, room_;
};

void ManyDistances::open_bucket(std::size_t leading) {
  if (places_.empty()) places_.resize(std::size_t{1} << (63 - low_bits));
  buckets_.emplace_back();
  places_[leading] = static_cast<std::uint32_t>(buckets_.size());
}

void ManyDistances::grow(Bucket& bucket) {
  bucket.chunks.push_back(bucket.last = fresh_chunk());
  bucket.used = 0;
}

/// Allocated in pages of 2 MB, because touching many small pages for the first time costs as much
/// as sorting their contents.
ManyDistances::Chunk* ManyDistances::fresh_chunk() {
  constexpr std::size_t page = std::size_t{2} << 20;
  if (left_ == 0) {
    pages_.emplace_back(static_cast<Chunk*>(allocate(page)));
    left_ = page / sizeof(Chunk);
  }
  return &pages_.back()[--left_];
}

void ManyDistances::sort() {
  Sorter sorter;
  for (Bucket& bucket : buckets_) {
    bucket.voxels = (bucket.chunks.size() - 1) * Chunk::most_raw + bucket.used;
    std::span<const std::uint64_t> words = sorter.words_of(bucket);
    while (bucket.chunks.size() * Chunk::most_words < words.size())
      bucket.chunks.push_back(fresh_chunk());
    bucket.used = words.size();
    for (Chunk* chunk : bucket.chunks) {
      const auto here = words.first(std::min(words.size(), Chunk::most_words));
      std::ranges::copy(here, chunk->words.begin());
      words = words.subspan(here.size());
    }
  }
}

}  // namespace assay::metrics
