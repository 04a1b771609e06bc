// SPDX-License-Identifier: Apache-2.0
// Counting is limited by memory, so the work per byte must be negligible.
//
// Masks: 64 byte-wide counters run side by side. A byte can count to 255, so after 255 rows they
// are folded into 64-bit sums. The compiler turns each row into a few vector instructions, and the
// same source gives the AVX2 and the portable version.
//
// Packed masks: a comparison and a move of the results' signs turn 64 voxels into the bits of one
// word. Counting then takes only an AND and two population counts per word.
//
// Label maps: nearly all voxels lie in long runs of one pair of labels. The bits of a word say
// after which of 64 voxels the pair changes, and counts change only there.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "assay/base/processor.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/neon.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::metrics {
namespace {

struct Sums {
  std::int64_t prediction = 0, reference = 0, both = 0;
};

constexpr std::size_t lanes = 64;

struct Lanes {
  std::array<std::uint8_t, lanes> prediction{}, reference{}, both{};
};

inline std::int64_t folded(const std::array<std::uint8_t, lanes>& counters) {
  std::int64_t sum = 0;
  for (const std::uint8_t counter : counters) sum += counter;
  return sum;
}

[[gnu::always_inline]] inline Sums count_rows(const std::uint8_t* p, const std::uint8_t* r,
                                              std::size_t rows) {
  Sums sums;
  while (rows > 0) {
    const std::size_t batch = std::min<std::size_t>(rows, 255);
    Lanes counters;
    for (std::size_t row = 0; row < batch; ++row, p += lanes, r += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto in_p = static_cast<std::uint8_t>(p[lane] != 0 ? 1 : 0);
        const auto in_r = static_cast<std::uint8_t>(r[lane] != 0 ? 1 : 0);
        counters.prediction[lane] = static_cast<std::uint8_t>(counters.prediction[lane] + in_p);
        counters.reference[lane] = static_cast<std::uint8_t>(counters.reference[lane] + in_r);
        counters.both[lane] = static_cast<std::uint8_t>(counters.both[lane] + (in_p & in_r));
      }
    sums.prediction += folded(counters.prediction);
    sums.reference += folded(counters.reference);
    sums.both += folded(counters.both);
    rows -= batch;
  }
  return sums;
}

/// Which of 64 bytes are not zero, as the bits of a word.
inline std::uint64_t bits(const std::uint8_t* bytes) {
#if defined(__aarch64__)
  uint8x16x4_t parts = vld1q_u8_x4(bytes);
  for (uint8x16_t& part : parts.val) part = vtstq_u8(part, part);
  return word_of(parts);
#else
  std::uint64_t out = 0;
  for (unsigned k = 0; k < 8; ++k) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes + std::size_t{8} * k, sizeof eight);
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f, high = 0x8080808080808080;
    // The high bit of each byte: whether it holds anything. A multiplication gathers all eight.
    const std::uint64_t set = (((eight & low) + low) | eight) & high;
    out |= ((set >> 7) * 0x0102040810204080 >> 56) << (8 * k);
  }
  return out;
#endif
}

void pack_words(std::span<const std::uint8_t> mask, std::span<std::uint64_t> words) {
  for (std::size_t w = 0; w < mask.size() / 64; ++w) words[w] = bits(mask.data() + 64 * w);
}

void add(Sums& sums, std::uint64_t in_p, std::uint64_t in_r) {
  sums.prediction += std::popcount(in_p);
  sums.reference += std::popcount(in_r);
  sums.both += std::popcount(in_p & in_r);
}

Sums count_words(std::span<const std::uint8_t> p, std::span<const std::uint64_t> r) {
  Sums sums;
  for (std::size_t w = 0; w < p.size() / 64; ++w) add(sums, bits(p.data() + 64 * w), r[w]);
  return sums;
}

/// The voxels after the last whole word.
std::uint64_t last_bits(std::span<const std::uint8_t> mask) {
  std::uint64_t out = 0;
  for (std::size_t i = mask.size() / 64 * 64; i < mask.size(); ++i)
    out |= std::uint64_t{mask[i] != 0 ? 1U : 0U} << (i % 64);
  return out;
}

Confusion confusion_of(const Sums& sums, std::size_t voxels) {
  return {.tp = sums.both,
          .fp = sums.prediction - sums.both,
          .fn = sums.reference - sums.both,
          .tn = static_cast<std::int64_t>(voxels) - sums.prediction - sums.reference + sums.both};
}

/// After which of 64 voxels the pair changes, as the bits of a word; one more voxel is read.
using Changes = std::uint64_t (*)(const std::uint8_t* p, const std::uint8_t* r);

std::uint64_t changes(const std::uint8_t* p, const std::uint8_t* r) {
#if defined(__aarch64__)
  uint8x16x4_t differ;
  for (uint8x16_t& part : differ.val) {
    const uint8x16_t in_p = vceqq_u8(vld1q_u8(p), vld1q_u8(p + 1));
    part = vmvnq_u8(vandq_u8(in_p, vceqq_u8(vld1q_u8(r), vld1q_u8(r + 1))));
    p += 16, r += 16;
  }
  return word_of(differ);
#else
  std::uint8_t differs = 0;  // usually nothing differs, and vector instructions detect that
  for (std::size_t i = 0; i < 64; ++i)
    differs = static_cast<std::uint8_t>(differs | (p[i] ^ p[i + 1]) | (r[i] ^ r[i + 1]));
  if (differs == 0) return 0;
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 64; ++i)
    out |= std::uint64_t{p[i] != p[i + 1] || r[i] != r[i + 1] ? 1U : 0U} << i;
  return out;
#endif
}

/// With this many changes in 64 voxels, it is faster to count voxel by voxel.
constexpr int many_changes = 24;

/// counts[p * 256 + r] over all voxels.
template <Changes changes_in>
[[gnu::always_inline]] inline void count_pairs(std::span<const std::uint8_t> p,
                                               std::span<const std::uint8_t> r,
                                               std::span<std::int64_t> counts) {
  const auto add = [&](std::size_t at, std::size_t voxels) {
    counts[p[at] * 256U + r[at]] += static_cast<std::int64_t>(voxels);
  };
  std::size_t start = 0, i = 0;  // of the run that is not counted yet, and of a block
  for (; i + 64 < p.size(); i += 64) {
    std::uint64_t left = changes_in(p.data() + i, r.data() + i);
    if (left == 0) continue;
    if (std::popcount(left) > many_changes) {
      if (start < i) add(start, i - start);
      for (start = i; start < i + 64; ++start) add(start, 1);
      continue;
    }
    for (; left != 0; left &= left - 1) {
      const std::size_t last = i + static_cast<std::size_t>(std::countr_zero(left));
      add(last, last + 1 - start);
      start = last + 1;
    }
  }
  if (start < i) add(start, i - start);
  for (; i < p.size(); ++i) add(i, 1);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Sums count_rows_avx2(const std::uint8_t* p, const std::uint8_t* r,
                                             std::size_t rows) {
  return count_rows(p, r, rows);
}
// Written out again, because a function for one processor cannot be inlined into a loop for
// another.
[[gnu::target("avx2")]] inline std::uint64_t bits_avx2(const std::uint8_t* bytes) {
  const __m256i zero = _mm256_setzero_si256();
  const auto* at = reinterpret_cast<const __m256i*>(bytes);
  const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(at), zero);
  const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(at + 1), zero);
  return ~(std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(low))} |
           std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32);
}
[[gnu::target("avx2")]] inline __m256i same_as_next(const std::uint8_t* bytes) {
  const auto *here = reinterpret_cast<const __m256i*>(bytes),
             *next = reinterpret_cast<const __m256i*>(bytes + 1);
  return _mm256_cmpeq_epi8(_mm256_loadu_si256(here), _mm256_loadu_si256(next));
}
[[gnu::target("avx2")]] inline std::uint64_t changes_avx2(const std::uint8_t* p,
                                                          const std::uint8_t* r) {
  const __m256i low = _mm256_and_si256(same_as_next(p), same_as_next(r));
  const __m256i high = _mm256_and_si256(same_as_next(p + 32), same_as_next(r + 32));
  return ~(std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(low))} |
           std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32);
}
[[gnu::target("avx2,bmi,popcnt")]] void count_pairs_avx2(std::span<const std::uint8_t> p,
                                                         std::span<const std::uint8_t> r,
                                                         std::span<std::int64_t> counts) {
  count_pairs<changes_avx2>(p, r, counts);
}
[[gnu::target("avx2")]] void pack_words_avx2(std::span<const std::uint8_t> mask,
                                             std::span<std::uint64_t> words) {
  for (std::size_t w = 0; w < mask.size() / 64; ++w) words[w] = bits_avx2(mask.data() + 64 * w);
}
[[gnu::target("avx2,popcnt")]] Sums count_words_avx2(std::span<const std::uint8_t> p,
                                                     std::span<const std::uint64_t> r) {
  Sums sums;
  for (std::size_t w = 0; w < p.size() / 64; ++w) {
    const std::uint64_t in_p = bits_avx2(p.data() + 64 * w), in_r = r[w];
    sums.prediction += __builtin_popcountll(in_p);
    sums.reference += __builtin_popcountll(in_r);
    sums.both += __builtin_popcountll(in_p & in_r);
  }
  return sums;
}
#else
const auto pack_words_avx2 = pack_words;
const auto count_words_avx2 = count_words;
const auto count_rows_avx2 = count_rows;
const auto count_pairs_avx2 = count_pairs<changes>;
#endif

/// How many voxels have each pair of codes: a table where it is small, else a hash table.
class PairCounts {
 public:
  PairCounts(std::size_t p_codes, std::size_t r_codes) : r_codes_(r_codes) {
    constexpr std::size_t most = std::size_t{1} << 20;
    if (p_codes <= most / std::max<std::size_t>(1, r_codes)) table_.resize(p_codes * r_codes);
  }

  std::int64_t& at(std::size_t p, std::size_t r) {
    return table_.empty() ? others_[p * r_codes_ + r] : table_[p * r_codes_ + r];
  }

  /// The table of all pairs of bytes; empty when the table is another one.
  std::span<std::int64_t> of_bytes() {
    const bool is_it = r_codes_ == 256 && table_.size() == std::size_t{256} * 256;
    return is_it ? std::span(table_) : std::span<std::int64_t>();
  }

  std::vector<JointCount> with_labels(std::span<const Label> p_values,
                                      std::span<const Label> r_values) const {
    std::vector<JointCount> out;
    const auto add = [&](std::size_t pair, std::int64_t voxels) {
      if (voxels != 0)
        out.push_back({p_values[pair / r_codes_], r_values[pair % r_codes_], voxels});
    };
    for (std::size_t pair = 0; pair < table_.size(); ++pair) add(pair, table_[pair]);
    for (const auto& [pair, voxels] : others_) add(pair, voxels);
    std::ranges::sort(out, {},
                      [](const JointCount& c) { return std::pair(c.prediction, c.reference); });
    return out;
  }

 private:
  std::size_t r_codes_;
  std::vector<std::int64_t> table_;
  std::unordered_map<std::size_t, std::int64_t> others_;
};

void count_codes(std::span<const std::uint8_t> p, std::span<const std::uint8_t> r,
                 PairCounts& counts) {
  const auto count = has_bit_counts() ? count_pairs_avx2 : count_pairs<changes>;
  if (const auto table = counts.of_bytes(); !table.empty()) return count(p, r, table);
  std::vector<std::int64_t> table(std::size_t{256} * 256);
  count(p, r, table);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i] != 0) counts.at(i / 256, i % 256) = table[i];
}

/// Walks through codes by runs of equal ones.
template <class Code>
class RunWalk {
 public:
  explicit RunWalk(std::span<const Code> codes) : codes_(codes) {}

  /// Moves to the run with voxel `first`, which is in this run or the next; false at the end.
  bool has(std::size_t first) {
    if constexpr (std::is_same_v<Code, Run>) {
      if (at_ < codes_.size() && codes_[at_].end <= first) ++at_;
    } else if (end_ <= first) {
      at_ = end_;
      while (end_ < codes_.size() && codes_[end_] == codes_[at_]) ++end_;
    }
    return at_ < codes_.size();
  }
  std::size_t end() const {
    if constexpr (std::is_same_v<Code, Run>) return codes_[at_].end;
    return end_;
  }
  std::size_t code() const {
    if constexpr (std::is_same_v<Code, Run>)
      return codes_[at_].code;
    else
      return codes_[at_];
  }

 private:
  std::span<const Code> codes_;
  std::size_t at_ = 0, end_ = 0;
};

/// The general form, for maps of more than 256 labels and for runs.
template <class P, class R>
void count_codes(std::span<const P> p, std::span<const R> r, PairCounts& counts) {
  RunWalk<P> in_p(p);
  RunWalk<R> in_r(r);
  for (std::size_t first = 0; in_p.has(first) && in_r.has(first);) {
    const std::size_t end = std::min(in_p.end(), in_r.end());
    counts.at(in_p.code(), in_r.code()) += static_cast<std::int64_t>(end - first);
    first = end;
  }
}

}  // namespace

Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint8_t> reference) {
  assert(prediction.size() == reference.size());
  const std::size_t n = prediction.size(), rows = n / lanes;
  Sums sums = has_avx2() ? count_rows_avx2(prediction.data(), reference.data(), rows)
                         : count_rows(prediction.data(), reference.data(), rows);
  for (std::size_t i = rows * lanes; i < n; ++i) {
    sums.prediction += prediction[i] != 0 ? 1 : 0;
    sums.reference += reference[i] != 0 ? 1 : 0;
    sums.both += prediction[i] != 0 && reference[i] != 0 ? 1 : 0;
  }
  return confusion_of(sums, n);
}

void pack_foreground(std::span<const std::uint8_t> mask, std::span<std::uint64_t> bits) {
  assert(bits.size() == packed_words(mask.size()));
  has_avx2() ? pack_words_avx2(mask, bits) : pack_words(mask, bits);
  if (mask.size() % 64 != 0) bits.back() = last_bits(mask);
}

Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint64_t> reference_bits) {
  assert(reference_bits.size() == packed_words(prediction.size()));
  Sums sums = has_avx2() ? count_words_avx2(prediction, reference_bits)
                         : count_words(prediction, reference_bits);
  if (prediction.size() % 64 != 0) add(sums, last_bits(prediction), reference_bits.back());
  return confusion_of(sums, prediction.size());
}

std::vector<JointCount> joint_counts(const LabelView& prediction, const LabelView& reference) {
  PairCounts counts(prediction.values.size(), reference.values.size());
  std::visit([&](const auto& p, const auto& r) { count_codes(p, r, counts); }, prediction.codes,
             reference.codes);
  return counts.with_labels(prediction.values, reference.values);
}

bool Region::contains(Label label) const {
  return members.empty() ? label > 0 : std::ranges::binary_search(members, label);
}

Region foreground_region() {
  return {.key = "foreground", .name = "foreground", .members = {}};
}

Confusion confusion(std::span<const JointCount> counts, const Region& region,
                    std::optional<Label> ignored) {
  Confusion c;
  for (const JointCount& joint : counts) {
    if (ignored && joint.reference == *ignored) continue;
    const bool in_p = region.contains(joint.prediction);
    const bool in_r = region.contains(joint.reference);
    (in_p ? (in_r ? c.tp : c.fp) : (in_r ? c.fn : c.tn)) += joint.voxels;
  }
  return c;
}

std::vector<Label> distinct(std::vector<Label> labels) {
  if (!std::ranges::is_sorted(labels)) std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

OccurringLabels occurring_labels(std::span<const JointCount> counts) {
  OccurringLabels out;
  for (const JointCount& joint : counts) {
    out.prediction.push_back(joint.prediction);
    out.reference.push_back(joint.reference);
  }
  return {distinct(std::move(out.prediction)), distinct(std::move(out.reference))};
}

std::vector<Label> labels_in(const OccurringLabels& found) {
  std::vector<Label> labels;
  std::ranges::set_union(found.prediction, found.reference, std::back_inserter(labels));
  std::erase(labels, 0);
  return labels;
}

}  // namespace assay::metrics
