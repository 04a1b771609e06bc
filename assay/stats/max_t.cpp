// SPDX-License-Identifier: Apache-2.0
//
// Under the null hypothesis the sign of a paired difference is a coin toss. Tossing the coins of
// all cases again and again shows how large the largest of many statistics becomes by chance, with
// the dependence among them as it is in the data. Step-down (Westfall and Young 1993, algorithm
// 4.1): the largest statistic is compared with the maximum over all hypotheses, the second against
// the maximum over all but the first, and so on.
//
// Eight assignments of signs are summed side by side, each in the order of the cases, so the sums
// are the same whatever the processor and the number of threads.
#include "assay/stats/max_t.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {
namespace {

constexpr std::size_t flip_lanes = 8;
using Lanes = std::array<double, flip_lanes>;

/// Statistics that differ by rounding alone count as equal.
constexpr double rounding_share = 1e-12;

/// The hypotheses in descending order of their statistic.
struct Ordered {
  std::vector<std::vector<double>> scores;  ///< scaled, so that a statistic is a plain sum
  std::vector<std::size_t> place;           ///< of each row, in the order that was given
  std::vector<double> observed;
};

Ordered ordered(std::span<const std::vector<double>> scores) {
  std::vector<double> statistics;
  std::vector<double> scales;
  for (const auto& row : scores) {
    const double squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    scales.push_back(squares > 0 ? 1 / std::sqrt(squares) : 0);
    statistics.push_back(std::fabs(std::accumulate(row.begin(), row.end(), 0.0)) * scales.back());
  }
  Ordered out;
  out.place.resize(scores.size());
  std::iota(out.place.begin(), out.place.end(), std::size_t{0});
  std::ranges::stable_sort(out.place, std::greater{}, [&](std::size_t h) { return statistics[h]; });
  for (const std::size_t h : out.place) {
    out.observed.push_back(statistics[h]);
    auto& row = out.scores.emplace_back(scores[h]);
    for (double& score : row) score *= scales[h];
  }
  return out;
}

/// The signs of `lanes` assignments by case.
class Signs {
 public:
  Signs(std::size_t cases, const Pcg64& start) : signs_(cases), start_(start) {}

  /// Drawn at random: assignments first .. first + lanes - 1 of the stream.
  void draw(std::size_t first) {
    const std::size_t words = (signs_.size() + 63) / 64;
    Pcg64 bits = start_;
    bits.advance(std::uint64_t{first} * words);
    for (std::size_t lane = 0; lane < flip_lanes; ++lane) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < signs_.size(); ++i) {
        if (i % 64 == 0) word = bits.next64();
        signs_[i][lane] = (word >> (i % 64)) & 1U ? 1 : -1;
      }
    }
  }

  /// By number: bit i of an assignment's number flips case i.
  void enumerate(std::size_t first) {
    for (std::size_t lane = 0; lane < flip_lanes; ++lane)
      for (std::size_t i = 0; i < signs_.size(); ++i)
        signs_[i][lane] = ((first + lane) >> i) & 1U ? -1 : 1;
  }

  Lanes sums(std::span<const double> scores) const {
    Lanes total{};
    for (std::size_t i = 0; i < scores.size(); ++i)
      for (std::size_t lane = 0; lane < flip_lanes; ++lane)
        total[lane] += signs_[i][lane] * scores[i];
    return total;
  }

 private:
  std::vector<Lanes> signs_;
  Pcg64 start_;
};

/// What one block of assignments adds.
struct FlipBlock {
  std::vector<std::size_t> at_least;  ///< by hypothesis: maxima that reach the observed statistic
  std::vector<double> maxima;         ///< over all hypotheses, by assignment
};

void add_lanes(const Ordered& tests, const Signs& signs, std::size_t used, FlipBlock& block) {
  Lanes greatest{};
  for (std::size_t h = tests.scores.size(); h-- > 0;) {
    const Lanes sums = signs.sums(tests.scores[h]);
    for (std::size_t lane = 0; lane < used; ++lane) {
      greatest[lane] = std::max(greatest[lane], std::fabs(sums[lane]));
      if (greatest[lane] >= tests.observed[h] * (1 - rounding_share)) ++block.at_least[h];
    }
  }
  block.maxima.insert(block.maxima.end(), greatest.begin(), greatest.begin() + used);
}

/// The least of the maxima that no more than a share of alpha reach, counted as p-values are;
/// infinite where there are too few assignments for that. `maxima` ascend.
double critical_value(std::vector<double> maxima, double alpha, bool is_exact) {
  std::ranges::reverse(maxima);
  const double count = static_cast<double>(maxima.size()) + (is_exact ? 0 : 1);
  const auto allowed = static_cast<std::size_t>(std::floor(alpha * count * (1 + rounding_share)));
  if (is_exact ? allowed < 1 : allowed < 2) return std::numeric_limits<double>::infinity();
  // A statistic equal to the k-th largest maximum has p = k / count (or (k + 1) / count).
  std::size_t k = std::min(is_exact ? allowed : allowed - 1, maxima.size());
  while (k > 0 && k < maxima.size() && maxima[k] >= maxima[k - 1] * (1 - rounding_share)) --k;
  return k == 0 ? std::numeric_limits<double>::infinity() : maxima[k - 1];
}

}  // namespace

MaxT max_t(std::span<const std::vector<double>> scores, const MaxTOptions& options) {
  if (scores.empty()) return {};
  const std::size_t cases = scores.front().size();
  for (const auto& row : scores)
    if (row.size() != cases)
      throw Error(Error::Kind::input, "max-T needs one score per case for every hypothesis");
  const Ordered tests = ordered(scores);
  MaxT result;
  result.is_exact = cases < 40 && (std::size_t{1} << cases) <= options.replicates;
  result.flips = result.is_exact ? std::size_t{1} << cases : options.replicates;

  constexpr std::size_t block_size = 512;
  const Pcg64 start{SeedSequence(seed_words(options.seed))};
  std::vector<FlipBlock> blocks((result.flips + block_size - 1) / block_size);
  run_tasks(options.executor, blocks.size(), [&](std::size_t b) {
    FlipBlock& block = blocks[b];
    block.at_least.assign(scores.size(), 0);
    Signs signs(cases, start);
    const std::size_t end = std::min((b + 1) * block_size, result.flips);
    for (std::size_t first = b * block_size; first < end; first += flip_lanes) {
      result.is_exact ? signs.enumerate(first) : signs.draw(first);
      add_lanes(tests, signs, std::min(flip_lanes, end - first), block);
    }
  });

  std::vector<double> maxima;
  std::vector<std::size_t> at_least(scores.size());
  for (const FlipBlock& block : blocks) {
    maxima.insert(maxima.end(), block.maxima.begin(), block.maxima.end());
    for (std::size_t h = 0; h < at_least.size(); ++h) at_least[h] += block.at_least[h];
  }
  const double extra = result.is_exact ? 0 : 1;  // the data itself, if it is not among the flips
  result.pvalues.resize(scores.size());
  double least = 0;
  for (std::size_t h = 0; h < at_least.size(); ++h) {
    const double share =
        (static_cast<double>(at_least[h]) + extra) / (static_cast<double>(result.flips) + extra);
    least = std::max(least, share);
    result.pvalues[tests.place[h]] = tests.observed[h] == 0 ? 1 : least;
  }
  std::ranges::sort(maxima);
  result.single_step.resize(scores.size());
  for (std::size_t h = 0; h < at_least.size(); ++h) {
    const auto reached = std::ranges::lower_bound(maxima, tests.observed[h] * (1 - rounding_share));
    const auto count = static_cast<double>(maxima.end() - reached);
    result.single_step[tests.place[h]] =
        tests.observed[h] == 0 ? 1 : (count + extra) / (static_cast<double>(result.flips) + extra);
  }
  result.critical = critical_value(std::move(maxima), options.alpha, result.is_exact);
  return result;
}

}  // namespace assay::stats
