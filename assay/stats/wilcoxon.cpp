// SPDX-License-Identifier: Apache-2.0
//
// One computation, five sets of rules. The signed ranks are the same for all. A policy is a row
// that says which of three routes a sample takes (the tie-free table, the distribution given the
// ties, the normal curve) and how a half-integer rank sum enters the table. One defect of peers is
// not imitated: SciPy 1.13 to 1.18 sum the wrong tail for n >= 54 and may return 0 (scipy#26026).
#include "assay/stats/wilcoxon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {
namespace {

/// Beyond this many non-zero differences the normal curve is as good, and cheaper.
constexpr std::size_t exact_limit = 500;

enum class Route { tie_free, conditional, normal };

struct Policy {
  WilcoxonPolicy policy;
  Route (*route)(const SignedRanks&, const WilcoxonOptions&);
  bool outward = false;          ///< half-integer sums widen the tail instead of being truncated
  bool nan_is_a_result = false;  ///< as SciPy; otherwise an Error
  bool corrects = false;         ///< continuity correction unless told otherwise
  bool reports_plus = false;     ///< V of R: the positive rank sum, also when two-sided
};

[[noreturn]] void refuse(const char* why) {
  throw Error(Error::Kind::input, why);
}

Route exact_route(const SignedRanks& ranks, const WilcoxonOptions& options) {
  const bool automatic = options.method == WilcoxonMethod::automatic;
  const bool exact =
      automatic ? ranks.doubled.size() <= exact_limit : options.method == WilcoxonMethod::exact;
  return exact || ranks.doubled.empty() ? Route::conditional : Route::normal;
}

/// SciPy 1.9 to 1.14: up to 50 pairs without zeros use the table, ties or not.
Route table_route(const SignedRanks& ranks, const WilcoxonOptions& options) {
  const bool automatic = options.method == WilcoxonMethod::automatic;
  const bool exact = automatic ? ranks.pairs <= 50 : options.method == WilcoxonMethod::exact;
  if (exact && ranks.zeros == 0) return Route::tie_free;
  if (options.zero_method != ZeroMethod::zsplit && ranks.doubled.empty())
    refuse("all differences are zero: this policy has no p-value; use the policy 'exact'");
  return Route::normal;
}

/// SciPy 1.15 and later: up to 13 pairs with ties or zeros are enumerated.
Route enumerating_route(const SignedRanks& ranks, const WilcoxonOptions& options) {
  if (options.method == WilcoxonMethod::exact) return Route::tie_free;
  if (options.method == WilcoxonMethod::asymptotic || ranks.pairs > 50) return Route::normal;
  if (ranks.ties == 0 && ranks.zeros == 0) return Route::tie_free;
  if (ranks.pairs == 1)
    refuse("one pair without a difference: this policy has no p-value; use the policy 'exact'");
  return ranks.pairs <= 13 ? Route::conditional : Route::normal;
}

Route r_route(const SignedRanks& ranks, const WilcoxonOptions& options) {
  if (ranks.doubled.empty()) refuse("all differences are zero: R has no p-value for them");
  if (options.zero_method != ZeroMethod::wilcox)
    throw Error(Error::Kind::usage, "the policy 'r' always drops zeros (zero method 'wilcox')");
  const bool table = ranks.ties == 0 && ranks.zeros == 0;
  const bool automatic = options.method == WilcoxonMethod::automatic && ranks.pairs < 50;
  const bool exact = automatic || options.method == WilcoxonMethod::exact;
  return exact && table ? Route::tie_free : Route::normal;
}

constexpr std::array policies = {
    Policy{.policy = WilcoxonPolicy::exact, .route = exact_route},
    Policy{.policy = WilcoxonPolicy::scipy_1_10, .route = table_route, .nan_is_a_result = true},
    Policy{.policy = WilcoxonPolicy::scipy_1_14,
           .route = table_route,
           .outward = true,
           .nan_is_a_result = true},
    Policy{.policy = WilcoxonPolicy::scipy_1_15,
           .route = enumerating_route,
           .outward = true,
           .nan_is_a_result = true},
    Policy{.policy = WilcoxonPolicy::r, .route = r_route, .corrects = true, .reports_plus = true},
};

constexpr std::array alternative_names = {
    Named<Alternative>{"two-sided", Alternative::two_sided},
    Named<Alternative>{"less", Alternative::less},
    Named<Alternative>{"greater", Alternative::greater},
};
constexpr std::array zero_method_names = {
    Named<ZeroMethod>{"wilcox", ZeroMethod::wilcox},
    Named<ZeroMethod>{"pratt", ZeroMethod::pratt},
    Named<ZeroMethod>{"zsplit", ZeroMethod::zsplit},
};
constexpr std::array method_names = {
    Named<WilcoxonMethod>{"auto", WilcoxonMethod::automatic},
    Named<WilcoxonMethod>{"exact", WilcoxonMethod::exact},
    Named<WilcoxonMethod>{"asymptotic", WilcoxonMethod::asymptotic},
    Named<WilcoxonMethod>{"approx", WilcoxonMethod::asymptotic},
};
constexpr std::array policy_names = {
    Named<WilcoxonPolicy>{"exact", WilcoxonPolicy::exact},
    Named<WilcoxonPolicy>{"scipy-1.10", WilcoxonPolicy::scipy_1_10},
    Named<WilcoxonPolicy>{"scipy-1.14", WilcoxonPolicy::scipy_1_14},
    Named<WilcoxonPolicy>{"scipy-1.15", WilcoxonPolicy::scipy_1_15},
    Named<WilcoxonPolicy>{"r", WilcoxonPolicy::r},
};

double chosen_tail(Tails tails, Alternative alternative) {
  if (alternative == Alternative::less) return tails.at_most;
  if (alternative == Alternative::greater) return tails.at_least;
  return std::min(1.0, 2 * std::min(tails.at_most, tails.at_least));
}

/// The classical table, whatever the ties. A half-integer sum is truncated, or rounded so that
/// both tails grow.
double tie_free_pvalue(const SignedRanks& ranks, const Policy& policy, Alternative alternative) {
  const auto low = static_cast<std::uint64_t>(ranks.plus);
  const auto high = policy.outward ? static_cast<std::uint64_t>(std::ceil(ranks.plus)) : low;
  const std::vector<std::uint32_t> plain = plain_ranks(ranks.ranked);
  const Tails tails = signed_rank_tails(plain, low);
  if (high == low) return chosen_tail(tails, alternative);
  return chosen_tail({signed_rank_tails(plain, high).at_most, tails.at_least}, alternative);
}

/// Standardised positive rank sum, corrected for ties, zeros and (if asked) continuity.
double standardised(const SignedRanks& ranks, const WilcoxonOptions& options, bool corrects) {
  const auto n = static_cast<double>(ranks.ranked);
  double centre = n * (n + 1) * 0.25;
  double spread = n * (n + 1) * (2 * n + 1);
  if (options.zero_method == ZeroMethod::pratt) {
    const auto zeros = static_cast<double>(ranks.zeros);
    centre -= zeros * (zeros + 1) * 0.25;
    spread -= zeros * (zeros + 1) * (2 * zeros + 1);
  }
  const double deviation = std::sqrt((spread - 0.5 * ranks.tie_term) / 24);
  const double z = (ranks.plus - centre) / deviation;
  if (!corrects) return z;
  const double sign = options.alternative == Alternative::greater ? 1
                      : options.alternative == Alternative::less
                          ? -1
                          : static_cast<double>((z > 0) - (z < 0));
  return z - sign * 0.5 / deviation;
}

double normal_pvalue(double z, Alternative alternative) {
  if (alternative == Alternative::less) return normal_cdf(z);
  if (alternative == Alternative::greater) return normal_sf(z);
  return 2 * normal_sf(std::fabs(z));
}

std::string too_small(const SignedRanks& ranks, const WilcoxonOptions& options) {
  const bool both = options.alternative == Alternative::two_sided;
  const double least =
      std::min(1.0, std::ldexp(both ? 2.0 : 1.0, -static_cast<int>(ranks.doubled.size())));
  if (ranks.doubled.size() > signed_rank_limit || least <= options.alpha) return "";
  const std::string found = ranks.doubled.size() == 1 ? "1 non-zero difference is"
                                                      : std::to_string(ranks.doubled.size()) +
                                                            " non-zero differences are";
  return found + " too few: no data could give p <= alpha";
}

bool usable(std::span<const double> differences) {
  return !differences.empty() && std::none_of(differences.begin(), differences.end(),
                                              [](double d) { return std::isnan(d); });
}

void take_route(WilcoxonResult& result, const SignedRanks& ranks, const WilcoxonOptions& options,
                const Policy& policy) {
  const Route route = policy.route(ranks, options);
  result.method = route == Route::normal ? "asymptotic" : "exact";
  if (route == Route::tie_free) {
    result.pvalue = tie_free_pvalue(ranks, policy, options.alternative);
  } else if (route == Route::conditional) {
    const Tails tails = signed_rank_tails(ranks.doubled, ranks.doubled_plus);
    result.pvalue = chosen_tail(tails, options.alternative);
  } else {
    const double z = standardised(ranks, options, options.correction.value_or(policy.corrects));
    result.pvalue = normal_pvalue(z, options.alternative);
    result.z = options.alternative == Alternative::two_sided ? -std::fabs(z) : z;
  }
}

}  // namespace

std::span<const Named<Alternative>> alternatives() {
  return alternative_names;
}

std::span<const Named<ZeroMethod>> zero_methods() {
  return zero_method_names;
}

std::span<const Named<WilcoxonMethod>> wilcoxon_methods() {
  return method_names;
}

std::span<const Named<WilcoxonPolicy>> wilcoxon_policies() {
  return policy_names;
}

WilcoxonResult wilcoxon(std::span<const double> differences, const WilcoxonOptions& options) {
  const Policy& policy = *std::ranges::find(policies, options.policy, &Policy::policy);
  WilcoxonResult result;
  result.policy = name_in(wilcoxon_policies(), options.policy);
  result.n = differences.size();
  if (!usable(differences)) {
    if (!policy.nan_is_a_result)
      refuse("the signed-rank test needs at least one pair and no NaN among the differences");
    result.statistic = result.pvalue = nan;
    if (options.method == WilcoxonMethod::asymptotic) result.z = nan;
    return result;
  }
  const SignedRanks ranks = signed_ranks(differences, options.zero_method, options.tie_tolerance);
  const bool smaller = options.alternative == Alternative::two_sided && !policy.reports_plus;
  result.statistic = smaller ? std::min(ranks.plus, ranks.minus) : ranks.plus;
  result.zeros = ranks.zeros;
  result.ties = ranks.ties;
  result.warning = too_small(ranks, options);
  take_route(result, ranks, options, policy);
  return result;
}

std::vector<double> differences(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw Error(Error::Kind::input, "paired samples differ in length: " + std::to_string(x.size()) +
                                        " and " + std::to_string(y.size()));
  std::vector<double> result(x.size());
  std::transform(x.begin(), x.end(), y.begin(), result.begin(), std::minus<>());
  return result;
}

WilcoxonResult wilcoxon(std::span<const double> x, std::span<const double> y,
                        const WilcoxonOptions& options) {
  return wilcoxon(differences(x, y), options);
}

//
// Under the null hypothesis each rank counts or not with probability 1/2, so the distribution of
// the rank sum T is the number of subsets of the ranks with that sum, over 2^n. Adding one rank r
// to the set shifts the counts by r and adds them: g[s] = f[s] + f[s - r]. That is the shift
// algorithm of Streitberg and Roehmel (1986). It does not ask where the ranks come from: mid-ranks
// of ties are doubled to make them whole, ranks of zeros are left out (the distribution is then
// conditional on ties and zeros), and without ties it is the classical table.
//
// Three facts keep it cheap and accurate. T is symmetric about half the total, so either tail is a
// lower tail and sums beyond the one asked for are never formed. A common divisor of all ranks
// (2, when no tie is of even size) shrinks the table. And only additions of non-negative numbers
// occur, so that a tail of 1e-60 is as accurate as one of 0.5; peers that form 1 - P lose it
// (scipy#26026). Counts are below 2^1000 and fit a double; up to 2^53 they are exact.

namespace {

struct Ranks {
  std::vector<std::uint32_t> each;  ///< divided by `divisor`, ascending
  std::uint64_t divisor = 1, total = 0;
};

Ranks reduced(std::span<const std::uint32_t> ranks) {
  if (ranks.size() > signed_rank_limit)
    throw Error(Error::Kind::unsupported,
                "the exact signed-rank distribution is limited to 1000 non-zero differences; use "
                "the asymptotic method");
  Ranks result{{ranks.begin(), ranks.end()}};
  std::sort(result.each.begin(), result.each.end());
  std::uint32_t divisor = 0;
  for (const std::uint32_t rank : ranks) divisor = std::gcd(divisor, rank);
  result.divisor = std::max(divisor, 1U);
  for (std::uint32_t& rank : result.each) rank /= static_cast<std::uint32_t>(result.divisor);
  result.total = std::accumulate(result.each.begin(), result.each.end(), std::uint64_t{0});
  return result;
}

/// to[s] = from[s] + from[s - rank] for s in rank .. last, out of place so that it vectorises.
void shift_and_add(const double* __restrict from, double* __restrict to, std::size_t rank,
                   std::size_t last) {
  for (std::size_t s = rank; s <= last; ++s) to[s] = from[s] + from[s - rank];
}

/// How many subsets have the sum 0, 1, ..., last.
std::vector<double> subset_counts(const Ranks& ranks, std::uint64_t last) {
  const auto limit = static_cast<std::size_t>(last);
  std::vector<double> counts(limit + 1), next(limit + 1);
  counts[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks.each) {
    reached = std::min(reached + rank, limit);
    std::copy_n(counts.begin(), std::min(rank, reached + 1), next.begin());
    shift_and_add(counts.data(), next.data(), rank, reached);
    counts.swap(next);
  }
  return counts;
}

double as_probability(double count, const Ranks& ranks) {
  return std::ldexp(count, -static_cast<int>(ranks.each.size()));
}

}  // namespace

Tails signed_rank_tails(std::span<const std::uint32_t> ranks, std::uint64_t sum) {
  const Ranks small = reduced(ranks);
  // A sum between two attainable ones belongs to the lower for "at most", the upper for "at least".
  const std::uint64_t below = std::min(sum / small.divisor, small.total);
  const std::uint64_t above = (sum + small.divisor - 1) / small.divisor;
  if (above > small.total) return {1, 0};
  const bool low = below + above <= small.total;
  // The near tail ends at `near`; its complement begins one after `far`.
  const std::uint64_t near = low ? below : small.total - above;
  const std::uint64_t far = low ? above : small.total - below;
  const std::vector<double> counts = subset_counts(small, near);
  const double tail = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double last = far == near ? counts.back() : 0;
  const double near_tail = as_probability(tail, small);
  const double far_tail = 1 - as_probability(tail - last, small);
  return low ? Tails{near_tail, far_tail} : Tails{far_tail, near_tail};
}

std::uint64_t signed_rank_quantile(std::span<const std::uint32_t> ranks, double probability) {
  const Ranks small = reduced(ranks);
  const std::vector<double> counts = subset_counts(small, small.total / 2);
  double tail = 0;
  for (std::size_t sum = 0; sum < counts.size(); ++sum) {
    tail += counts[sum];
    if (as_probability(tail, small) >= probability) return sum * small.divisor;
  }
  return small.total / 2 * small.divisor;
}

std::vector<std::uint32_t> plain_ranks(std::size_t n) {
  std::vector<std::uint32_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 1U);
  return ranks;
}

}  // namespace assay::stats
