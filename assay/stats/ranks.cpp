// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "assay/statistics.hpp"

namespace assay::stats {

namespace {

/// |d| as a whole number with the sign in the lowest bit: non-negative doubles are ordered like
/// their bits, and whole numbers sort faster than doubles with a sign to look up.
std::uint64_t key_of(double difference) {
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(difference));
  return bits << 1 | static_cast<std::uint64_t>(difference > 0);
}

double magnitude(std::uint64_t key) {
  return std::bit_cast<double>(key >> 1);
}

std::vector<std::uint64_t> sorted_keys(std::span<const double> differences) {
  std::vector<std::uint64_t> keys(differences.size());
  std::transform(differences.begin(), differences.end(), keys.begin(), key_of);
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::size_t end_of_group(std::span<const std::uint64_t> keys, std::size_t start, double tolerance) {
  std::size_t end = start + 1;
  if (tolerance == 0) {
    while (end < keys.size() && keys[end] >> 1 == keys[start] >> 1) ++end;
  } else {
    const double reach = magnitude(keys[start]) + tolerance;
    while (end < keys.size() && magnitude(keys[end]) <= reach) ++end;
  }
  return end;
}

double tie_term(std::size_t size) {
  const auto t = static_cast<double>(size);
  return t * (t * t - 1);
}

/// Adds one group of equal magnitudes that holds the places start+1 .. end of the ranking.
void add_group(SignedRanks& sums, std::span<const std::uint64_t> group, std::size_t start) {
  const auto doubled = static_cast<std::uint32_t>(2 * start + group.size() + 1);
  std::uint64_t positive = 0;
  for (const std::uint64_t key : group) positive += key & 1;
  sums.doubled_plus += positive * doubled;
  sums.doubled.insert(sums.doubled.end(), group.size(), doubled);
  if (group.size() > 1) {
    sums.ties += group.size();
    sums.tie_term += tie_term(group.size());
  }
}

}  // namespace

MidRanks mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  MidRanks result;
  result.ranks.resize(values.size());
  for (std::size_t start = 0, end = 0; start < order.size(); start = end) {
    while (end < order.size() && values[order[end]] == values[order[start]]) ++end;
    const double rank = static_cast<double>(start + end + 1) / 2;
    for (std::size_t i = start; i < end; ++i) result.ranks[order[i]] = rank;
    result.groups.push_back(end - start);
  }
  return result;
}

SignedRanks signed_ranks(std::span<const double> differences, ZeroMethod method, double tolerance) {
  const std::vector<std::uint64_t> keys = sorted_keys(differences);
  const std::span<const std::uint64_t> all = keys;
  SignedRanks sums;
  sums.pairs = keys.size();
  while (sums.zeros < keys.size() && magnitude(keys[sums.zeros]) <= tolerance) ++sums.zeros;
  const std::size_t skipped = method == ZeroMethod::wilcox ? sums.zeros : 0;
  sums.ranked = sums.pairs - skipped;
  sums.doubled.reserve(sums.pairs - sums.zeros);
  for (std::size_t start = sums.zeros, end = 0; start < keys.size(); start = end) {
    end = end_of_group(keys, start, tolerance);
    add_group(sums, all.subspan(start, end - start), start - skipped);
  }
  const auto total = std::accumulate(sums.doubled.begin(), sums.doubled.end(), std::uint64_t{0});
  sums.plus = static_cast<double>(sums.doubled_plus) / 2;
  sums.minus = static_cast<double>(total - sums.doubled_plus) / 2;
  if (method == ZeroMethod::zsplit) {
    const auto zeros = static_cast<double>(sums.zeros);
    sums.plus += zeros * (zeros + 1) / 4;
    sums.minus += zeros * (zeros + 1) / 4;
    sums.tie_term += tie_term(sums.zeros);
  }
  return sums;
}

}  // namespace assay::stats
