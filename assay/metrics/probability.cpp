// SPDX-License-Identifier: Apache-2.0
// Exact ranks without sorting a volume. The bits of a probability, read as a whole number, have the
// order of the probabilities. One pass counts foreground and background by the leading 16 of those
// bits, in 65,536 buckets. A bucket without foreground adds only its count to the area under the
// ROC curve and to average precision, whatever the order in it. So only values that share a bucket
// with foreground are fetched and sorted, some millions at a time. In a map of a lesion that is a
// small part of the volume, and for other maps memory is still bounded.
//
// The same pass sorts values into the intervals between the limits of calibration bins and
// thresholds. Each bucket knows the interval of its lowest value, and values are compared only in
// the few buckets that a limit divides.
#include "assay/metrics/probability.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace assay::metrics {
namespace {

__extension__ using WideCount = __int128;

template <class Real>
using Key = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

constexpr std::size_t buckets = 1 << 16;

/// Numbers from 0 to 1 leave the two highest bits free.
template <class Real>
constexpr int bucket_shift = 8 * sizeof(Real) - 2 - 16;

template <class Real>
Key<Real> key_of(Real probability) {
  return std::bit_cast<Key<Real>>(probability + Real{0});  // -0 becomes 0
}

template <class Real>
std::size_t bucket_of(Key<Real> key) {
  return static_cast<std::size_t>(key >> bucket_shift<Real>);
}

/// The least number that is at least `limit`, or above it.
template <class Real>
Key<Real> key_from(double limit, bool above) {
  auto least = static_cast<Real>(limit);
  const auto belongs = [&] { return above ? double{least} > limit : double{least} >= limit; };
  while (!belongs()) least = std::nextafter(least, Real{2});
  return key_of(least);
}

/// All values, divided by all limits in use. Interval i holds keys below edges[i].
template <class Real>
struct Intervals {
  std::vector<Key<Real>> edges;
  std::vector<std::uint8_t> lowest;  ///< interval of the least key of each bucket

  Intervals() {
    for (const double threshold : sweep_thresholds)
      edges.push_back(key_from<Real>(threshold, false));
    for (std::size_t bin = 1; bin < calibration_bins; ++bin)
      edges.push_back(key_from<Real>(upper_end(bin), true));
    std::ranges::sort(edges);
    edges.push_back(std::numeric_limits<Key<Real>>::max());
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      const auto least = static_cast<Key<Real>>(bucket) << bucket_shift<Real>;
      lowest.push_back(static_cast<std::uint8_t>(first_from(least)));
    }
  }

  /// The bin's upper end, which belongs to it; the first bin is number 1.
  static double upper_end(std::size_t bin) {
    return static_cast<double>(bin) / static_cast<double>(calibration_bins);
  }

  std::size_t first_from(Key<Real> key) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, key) - edges.begin());
  }
  std::size_t of(Key<Real> key) const {
    std::size_t interval = lowest[bucket_of<Real>(key)];
    while (key >= edges[interval]) ++interval;
    return interval;
  }
};

/// Background and foreground, in this order.
using Counts = std::array<std::int64_t, 2>;

template <class Real>
struct Tally {
  Intervals<Real> intervals{};
  std::vector<std::array<std::uint32_t, 2>> of_bucket =
      std::vector<std::array<std::uint32_t, 2>>(buckets);
  std::vector<Counts> of_interval = std::vector<Counts>(intervals.edges.size());
  std::vector<double> sum_of_interval = std::vector<double>(intervals.edges.size());
  Counts zeros{};  ///< kept separately, since most of many maps is exactly 0
  double squared_error = 0;

  void add(Real probability, std::size_t is_foreground) {
    const Key<Real> key = key_of(probability);
    if (key == 0) {
      ++zeros[is_foreground];
      return;
    }
    ++of_bucket[bucket_of<Real>(key)][is_foreground];
    const std::size_t interval = intervals.of(key);
    ++of_interval[interval][is_foreground];
    sum_of_interval[interval] += double{probability};
    const double error = double{probability} - static_cast<double>(is_foreground);
    squared_error += error * error;
  }

  Counts total() const {
    Counts out = zeros;
    for (const Counts& counts : of_interval)
      for (std::size_t side = 0; side < 2; ++side) out[side] += counts[side];
    return out;
  }
};

/// Calls `use(value, is_foreground)` for every voxel that is not ignored.
template <class Real, class Use>
void for_each_voxel(std::span<const Real> values, const ProbabilityScene& scene, Use use) {
  for (std::size_t word = 0; 64 * word < values.size(); ++word) {
    const std::uint64_t reference = scene.reference[word];
    const std::uint64_t ignored = scene.ignored.empty() ? 0 : scene.ignored[word];
    const std::size_t end = std::min(values.size(), 64 * word + 64);
    for (std::size_t i = 64 * word; i < end; ++i)
      if ((ignored >> (i % 64) & 1) == 0)
        use(values[i], static_cast<std::size_t>(reference >> (i % 64) & 1));
  }
}

/// The curves, walked from the highest value down: each group of equal values is one step.
class Walk {
 public:
  explicit Walk(const Counts& total) : negatives_(total[0]) {}

  void step(const Counts& group) {
    fp_ += group[0];
    tp_ += group[1];
    if (group[1] == 0) return;
    const auto found = static_cast<double>(tp_), called = static_cast<double>(tp_ + fp_);
    precision_sum_ += static_cast<double>(group[1]) * (found / called);
    twice_won_ += WideCount{group[1]} * (2 * (negatives_ - fp_) + group[0]);
  }

  double precision_sum() const { return precision_sum_; }
  /// Pairs of a foreground and a background voxel in the right order; a tie counts half.
  double pairs_won() const { return static_cast<double>(twice_won_) / 2; }

 private:
  std::int64_t negatives_, tp_ = 0, fp_ = 0;
  double precision_sum_ = 0;
  WideCount twice_won_ = 0;
};

/// Keys that are sorted at once: memory stays bounded unless one bucket alone holds more.
constexpr std::size_t most_keys = std::size_t{1} << 22;

/// A run of buckets, and how many of their values must be put in order.
struct Chunk {
  std::size_t low, high;  ///< the buckets from low to high - 1
  std::size_t keys = 0;
};

template <class Real>
std::size_t keys_in(const Tally<Real>& tally, std::size_t bucket) {
  const auto [background, foreground] = tally.of_bucket[bucket];
  return foreground == 0 ? 0 : std::size_t{background} + foreground;
}

/// The next buckets below `high`.
template <class Real>
Chunk next_chunk(const Tally<Real>& tally, std::size_t high) {
  Chunk chunk = {.low = high, .high = high};
  while (chunk.low > 0) {
    const std::size_t more = keys_in(tally, chunk.low - 1);
    if (chunk.keys != 0 && chunk.keys + more > most_keys) break;
    --chunk.low;
    chunk.keys += more;
  }
  return chunk;
}

/// Values of the chunk that share a bucket with foreground, twice their key, and one more if they
/// are foreground themselves.
template <class Real>
void fetch(std::span<const Real> values, const ProbabilityScene& scene, const Tally<Real>& tally,
           const Chunk& chunk, std::vector<Key<Real>>& into) {
  std::vector<std::uint8_t> wanted(buckets);
  for (std::size_t bucket = chunk.low; bucket < chunk.high; ++bucket)
    wanted[bucket] = keys_in(tally, bucket) != 0 ? 1 : 0;
  into.clear();
  into.reserve(chunk.keys);
  for_each_voxel(values, scene, [&](Real value, std::size_t is_foreground) {
    const Key<Real> key = key_of(value);
    if (key != 0 && wanted[bucket_of<Real>(key)] != 0)
      into.push_back(static_cast<Key<Real>>(key << 1 | is_foreground));
  });
}

/// Takes groups of equal values from the end of `sorted`, down to the last one in `bucket`.
template <class Real>
void walk_bucket(std::vector<Key<Real>>& sorted, std::size_t bucket, Walk& walk) {
  while (!sorted.empty() && bucket_of<Real>(sorted.back() >> 1) == bucket) {
    const Key<Real> key = sorted.back() >> 1;
    Counts group{};
    for (; !sorted.empty() && sorted.back() >> 1 == key; sorted.pop_back())
      ++group[sorted.back() & 1];
    walk.step(group);
  }
}

template <class Real>
Walk walked(std::span<const Real> values, const ProbabilityScene& scene, const Tally<Real>& tally) {
  Walk walk(tally.total());
  std::vector<Key<Real>> keys, scratch;
  for (std::size_t high = buckets; high > 0;) {
    const Chunk chunk = next_chunk(tally, high);
    if (chunk.keys != 0) {
      fetch(values, scene, tally, chunk, keys);
      radix_sort(keys, scratch);
    }
    for (std::size_t bucket = chunk.high; bucket-- > chunk.low;) {
      if (keys_in(tally, bucket) != 0)
        walk_bucket<Real>(keys, bucket, walk);
      else
        walk.step({tally.of_bucket[bucket][0], 0});
    }
    high = chunk.low;
  }
  walk.step(tally.zeros);
  return walk;
}

template <class Real>
void add_calibration(ProbabilityEvidence& evidence, const Tally<Real>& tally) {
  for (std::size_t interval = 0; interval < tally.of_interval.size(); ++interval) {
    // Every interval lies in one bin: that of its least key.
    const Key<Real> least = interval == 0 ? 0 : tally.intervals.edges[interval - 1];
    std::size_t bin = 0;
    while (bin + 1 < calibration_bins &&
           least >= key_from<Real>(Intervals<Real>::upper_end(bin + 1), true))
      ++bin;
    const Counts& counts = tally.of_interval[interval];
    evidence.bins[bin].voxels += counts[0] + counts[1];
    evidence.bins[bin].positives += counts[1];
    evidence.bins[bin].sum += tally.sum_of_interval[interval];
  }
  evidence.bins[0].voxels += tally.zeros[0] + tally.zeros[1];
  evidence.bins[0].positives += tally.zeros[1];
}

template <class Real>
void add_sweep(ProbabilityEvidence& evidence, const Tally<Real>& tally) {
  for (std::size_t t = 0; t < sweep_thresholds.size(); ++t) {
    const Key<Real> least = key_from<Real>(sweep_thresholds[t], false);
    for (std::size_t i = tally.intervals.first_from(least); i < tally.of_interval.size(); ++i) {
      evidence.sweep[t].fp += tally.of_interval[i][0];
      evidence.sweep[t].tp += tally.of_interval[i][1];
    }
  }
}

template <class Real>
ProbabilityEvidence evidence_of(std::span<const Real> values, const ProbabilityScene& scene) {
  Tally<Real> tally;
  for_each_voxel(values, scene,
                 [&](Real value, std::size_t is_foreground) { tally.add(value, is_foreground); });
  const Counts total = tally.total();
  const Walk walk = walked(values, scene, tally);
  ProbabilityEvidence out = {
      .voxels = total[0] + total[1],
      .positives = total[1],
      .pairs_won = walk.pairs_won(),
      .precision_sum = walk.precision_sum(),
      .squared_error = tally.squared_error + static_cast<double>(tally.zeros[1])};
  add_calibration(out, tally);
  add_sweep(out, tally);
  return out;
}

}  // namespace

ProbabilityEvidence probability_evidence(const ProbabilityScene& scene) {
  return std::visit([&](const auto& values) { return evidence_of(values, scene); },
                    scene.prediction.values);
}

}  // namespace assay::metrics
