// SPDX-License-Identifier: Apache-2.0
//
// Fisher's randomisation test for pairs (1935). Units are whole numbers, so equal sums are equal.
//
// The distribution of the sum is built unit by unit: each unit x splits every sum s into s - x and
// s + x with half its probability. That doubles the number of sums at most, but equal sums are
// merged. Differences of right answers take few values, so hundreds of units stay within a few
// thousand sums. With units 1 and -1 the result is McNemar's exact test. With one unit per cluster
// it is the permutation distribution of Obuchowski's clustered statistic (1998), whose denominator,
// the sum of squares, does not change with a flip.
//
// Where sums are too many, flips are drawn at random. The observed signs count as one of the draws,
// so that the p-value cannot be too small (Phipson and Smyth 2010). Each block of draws has a
// stream of its own, and any number of threads gives the same result.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {

namespace {

using Units = std::vector<std::int64_t>;

struct Sum {
  std::int64_t value;
  double probability;
};
using Sums = std::vector<Sum>;

/// Sums in ascending order after one more unit.
Sums with_unit(const Sums& sums, std::int64_t unit) {
  Sums out;
  out.reserve(2 * sums.size());
  const auto add = [&](std::int64_t value, double probability) {
    if (!out.empty() && out.back().value == value)
      out.back().probability += probability / 2;
    else
      out.push_back({value, probability / 2});
  };
  std::size_t down = 0,
              up = 0;  // the next sum to be moved down, and up; the first never falls back
  while (up < sums.size()) {
    const bool take_down = down < sums.size() && sums[down].value - unit <= sums[up].value + unit;
    const Sum& next = take_down ? sums[down++] : sums[up++];
    add(next.value + (take_down ? -unit : unit), next.probability);
  }
  return out;
}

/// Nothing when there are more than `most` sums.
std::optional<Sums> distribution(const Units& units, std::size_t most) {
  Sums sums = {{0, 1.0}};
  for (const std::int64_t unit : units) {
    sums = with_unit(sums, unit);
    if (sums.size() > most) return std::nullopt;
  }
  return sums;
}

/// How often sums were further from 0 than the observed one, and how often as far.
template <class Count>
struct FlipTails {
  Count further{}, equal{};

  void add(std::int64_t sum, std::int64_t observed, std::int64_t slack, Count count) {
    const std::int64_t distance = std::abs(sum) - std::abs(observed);
    if (distance > slack)
      further += count;
    else if (distance >= -slack)
      equal += count;
  }
};

FlipTails<std::uint64_t> drawn_tails(const Units& units, std::int64_t observed,
                                     const SignFlipOptions& options) {
  constexpr std::size_t per_block = 1024;
  const std::size_t blocks = (options.draws + per_block - 1) / per_block;
  std::vector<FlipTails<std::uint64_t>> found(blocks);
  const std::vector<std::uint32_t> seed = seed_words(options.seed);
  run_tasks(options.executor, blocks, [&](std::size_t block) {
    const std::uint32_t key[] = {static_cast<std::uint32_t>(block)};
    Pcg64 bits{SeedSequence(seed, key)};
    const std::size_t draws = std::min(per_block, options.draws - block * per_block);
    for (std::size_t draw = 0; draw < draws; ++draw) {
      std::int64_t sum = 0;
      std::uint64_t signs = 0;
      for (std::size_t i = 0; i < units.size(); ++i, signs >>= 1U) {
        if (i % 64 == 0) signs = bits.next64();
        sum += (signs & 1U) != 0 ? units[i] : -units[i];
      }
      found[block].add(sum, observed, options.slack, 1);
    }
  });
  FlipTails<std::uint64_t> out;
  for (const auto& tails : found) {
    out.further += tails.further;
    out.equal += tails.equal;
  }
  return out;
}

/// Magnitudes of the units that are not 0, in ascending order: small ones first keep sums few.
Units magnitudes(std::span<const std::int64_t> units) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  Units out;
  std::int64_t sum = 0;
  for (const std::int64_t unit : units) {
    if (unit == 0) continue;
    if (unit <= -most || std::abs(unit) >= most - sum)
      throw Error(Error::Kind::input, "the units of a sign-flip test are too large");
    sum += std::abs(unit);
    out.push_back(std::abs(unit));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

SignFlipTest sign_flip(std::span<const std::int64_t> units, const SignFlipOptions& options) {
  const Units sizes = magnitudes(units);
  SignFlipTest out = {.units = sizes.size()};
  for (const std::int64_t unit : units) out.statistic += unit;
  if (sizes.empty()) return out;
  out.least_pvalue = std::exp2(1 - static_cast<double>(sizes.size()));
  if (const auto sums = distribution(sizes, options.most_sums)) {
    FlipTails<double> tails;
    for (const Sum& sum : *sums)
      tails.add(sum.value, out.statistic, options.slack, sum.probability);
    out.pvalue = std::min(1.0, tails.further + tails.equal);
    out.mid_pvalue = std::min(1.0, tails.further + tails.equal / 2);
    return out;
  }
  const auto tails = drawn_tails(sizes, out.statistic, options);
  const auto further = static_cast<double>(tails.further);
  const auto equal = static_cast<double>(tails.equal) + 1;  // the observed signs are one of them
  out.exact = false;
  out.draws = options.draws;
  out.pvalue = (further + equal) / static_cast<double>(options.draws + 1);
  out.mid_pvalue = (further + equal / 2) / static_cast<double>(options.draws + 1);
  return out;
}

}  // namespace assay::stats
