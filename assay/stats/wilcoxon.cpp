// SPDX-License-Identifier: Apache-2.0
//
// One computation, five rule books. The signed ranks are the same for all; a policy is a row that
// says which of three routes a sample takes (the tie-free table, the distribution given the ties,
// the normal curve) and how a half-integer rank sum enters the table. Defects of peers that are
// not imitated: SciPy 1.13 to 1.18 sum the wrong tail for n >= 54 and may return 0 (scipy#26026).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/numbers.hpp"
#include "assay/stats/signed_rank_null.hpp"

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

}  // namespace assay::stats
