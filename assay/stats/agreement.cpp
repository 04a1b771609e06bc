// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {
namespace {

constexpr double limit_z = 1.96;  // as Bland and Altman print it

void require_level(double level) {
  if (!(level > 0 && level < 1))
    throw Error(Error::Kind::usage, "the confidence level must lie between 0 and 1");
}

/// The interval of mean + z SD of a normal sample: a tolerance limit, by the non-central t.
Interval limit_of(double centre, double sd, double n, double z, double level) {
  const double estimate = centre + z * sd;
  if (!(sd > 0) || n < 3) return {estimate, nan, nan};
  const double delta = z * std::sqrt(n), scale = sd / std::sqrt(n), tail = (1 - level) / 2;
  return {estimate, centre + noncentral_t_quantile(tail, n - 1, delta) * scale,
          centre + noncentral_t_quantile(1 - tail, n - 1, delta) * scale};
}

/// Mean squares of a two-way layout without replication.
struct MeanSquares {
  double cases = 0, raters = 0, rest = 0;
  double n = 0, k = 0;
};

MeanSquares mean_squares(std::span<const std::vector<double>> ratings) {
  MeanSquares ms;
  ms.k = static_cast<double>(ratings.size());
  ms.n = static_cast<double>(ratings.front().size());
  std::vector<double> by_rater, by_case(ratings.front().size());
  for (const auto& row : ratings) {
    by_rater.push_back(mean(row));
    for (std::size_t i = 0; i < row.size(); ++i) by_case[i] += row[i] / ms.k;
  }
  const double all = mean(by_rater);
  for (const double m : by_rater) ms.raters += ms.n * (m - all) * (m - all) / (ms.k - 1);
  for (const double m : by_case) ms.cases += ms.k * (m - all) * (m - all) / (ms.n - 1);
  for (std::size_t r = 0; r < ratings.size(); ++r)
    for (std::size_t i = 0; i < by_case.size(); ++i) {
      const double rest = ratings[r][i] - by_case[i] - by_rater[r] + all;
      ms.rest += rest * rest / ((ms.n - 1) * (ms.k - 1));
    }
  return ms;
}

Interval consistency_of(const MeanSquares& ms, double level) {
  const auto of = [&](double f) { return (f - 1) / (f + ms.k - 1); };
  const double f = ms.cases / ms.rest, tail = (1 + level) / 2;
  const double df = ms.n - 1, df_rest = (ms.n - 1) * (ms.k - 1);
  return {of(f), of(f / f_quantile(tail, df, df_rest)), of(f * f_quantile(tail, df_rest, df))};
}

/// McGraw and Wong 1996, table 7, with Satterthwaite's degrees of freedom.
Interval agreement_of(const MeanSquares& ms, double level) {
  const double n = ms.n, k = ms.k;
  const double estimate =
      (ms.cases - ms.rest) / (ms.cases + (k - 1) * ms.rest + k / n * (ms.raters - ms.rest));
  const double a = k * estimate / (n * (1 - estimate));
  const double b = 1 + k * estimate * (n - 1) / (n * (1 - estimate));
  const double top = a * ms.raters + b * ms.rest;
  const double v =
      top * top /
      (a * ms.raters * a * ms.raters / (k - 1) + b * ms.rest * b * ms.rest / ((n - 1) * (k - 1)));
  const double tail = (1 + level) / 2, spread = k * ms.raters + (k * n - k - n) * ms.rest;
  const double below = f_quantile(tail, n - 1, v), above = f_quantile(tail, v, n - 1);
  return {estimate, n * (ms.cases - below * ms.rest) / (below * spread + n * ms.cases),
          n * (above * ms.cases - ms.rest) / (spread + n * above * ms.cases)};
}

/// The share of cases of the other class that each case beats, positives first; ties are half.
struct Placements {
  std::vector<double> positives, negatives;
};

Placements placements(std::span<const double> scores, const std::vector<bool>& is_positive) {
  std::vector<double> by_class[2];
  for (std::size_t i = 0; i < scores.size(); ++i)
    by_class[is_positive[i] ? 1 : 0].push_back(scores[i]);
  const auto all = mid_ranks(scores).ranks;
  const std::array own = {mid_ranks(by_class[0]).ranks, mid_ranks(by_class[1]).ranks};
  Placements out;
  std::size_t at[2] = {0, 0};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t mine = is_positive[i] ? 1 : 0;
    const double beaten = all[i] - own[mine][at[mine]++];
    const double share = beaten / static_cast<double>(by_class[1 - mine].size());
    (mine == 1 ? out.positives : out.negatives).push_back(mine == 1 ? share : 1 - share);
  }
  return out;
}

double covariance(std::span<const double> x, std::span<const double> y) {
  const double mx = mean(x), my = mean(y);
  std::vector<double> products(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) products[i] = (x[i] - mx) * (y[i] - my);
  return pairwise_sum(products) / static_cast<double>(x.size() - 1);
}

double covariance(const Placements& x, const Placements& y) {
  return covariance(x.positives, y.positives) / static_cast<double>(x.positives.size()) +
         covariance(x.negatives, y.negatives) / static_cast<double>(x.negatives.size());
}

/// Variances are sums of shares with rounding errors: anything below this counts as 0.
constexpr double least_variance = 1e-20;

Interval around(double estimate, double variance, double level) {
  if (!(variance > least_variance)) return {estimate, nan, nan};
  const double reach = normal_quantile((1 + level) / 2) * std::sqrt(variance);
  return {estimate, estimate - reach, estimate + reach};
}

/// An area with its interval, which ends where areas end.
Interval area(const Placements& of, double level) {
  const Interval found = around(mean(of.positives), covariance(of, of), level);
  if (!found.has_limits()) return found;
  return {found.estimate, std::max(found.lower, 0.0), std::min(found.upper, 1.0)};
}

void require_scores(std::span<const double> scores, const std::vector<bool>& is_positive) {
  const auto positives = std::ranges::count(is_positive, true);
  const auto negatives = static_cast<std::ptrdiff_t>(is_positive.size()) - positives;
  const auto is_nan = [](double x) { return std::isnan(x); };
  if (scores.size() != is_positive.size() || positives < 2 || negatives < 2 ||
      std::ranges::any_of(scores, is_nan))
    throw Error(Error::Kind::input,
                "an area under the ROC curve needs a score for each case, none of them NaN, and at "
                "least two positive and two negative cases");
}

}  // namespace

BlandAltman bland_altman(std::span<const double> x, std::span<const double> y, double level) {
  require_level(level);
  const std::vector<double> change = differences(x, y);
  if (change.empty()) throw Error(Error::Kind::input, "limits of agreement need at least one pair");
  if (!std::ranges::all_of(change, [](double d) { return std::isfinite(d); }))
    throw Error(Error::Kind::input,
                "limits of agreement need finite values; leave out the pairs that lack one");
  const auto n = static_cast<double>(change.size());
  BlandAltman out = {
      .n = change.size(), .bias = {mean(change), nan, nan}, .sd = nan, .lower = {}, .upper = {}};
  out.lower = out.upper = {nan, nan, nan};
  if (change.size() < 2) return out;
  out.bias = mean_interval(change, level);
  out.sd = standard_deviation(change, 1);
  out.lower = limit_of(out.bias.estimate, out.sd, n, -limit_z, level);
  out.upper = limit_of(out.bias.estimate, out.sd, n, limit_z, level);
  return out;
}

Icc intraclass_correlation(std::span<const std::vector<double>> ratings, double level) {
  require_level(level);
  const bool is_table =
      ratings.size() >= 2 && ratings.front().size() >= 2 &&
      std::ranges::all_of(ratings, [&](const auto& row) {
        return row.size() == ratings.front().size() &&
               std::ranges::all_of(row, [](double x) { return std::isfinite(x); });
      });
  if (!is_table)
    throw Error(Error::Kind::input,
                "an intraclass correlation needs a finite value of at least two raters for each "
                "of at least two cases");
  const MeanSquares ms = mean_squares(ratings);
  Icc out = {.cases = ratings.front().size(),
             .raters = ratings.size(),
             .agreement = {},
             .consistency = {}};
  if (ms.rest == 0 && ms.raters == 0) {  // all raters agree
    const double value = ms.cases > 0 ? 1 : nan;
    out.agreement = out.consistency = {value, value, value};
    return out;
  }
  out.agreement = agreement_of(ms, level);
  out.consistency =
      ms.rest == 0 ? Interval{ms.cases > 0 ? 1 : nan, nan, nan} : consistency_of(ms, level);
  return out;
}

Interval roc_area(std::span<const double> scores, const std::vector<bool>& is_positive,
                  double level) {
  require_level(level);
  require_scores(scores, is_positive);
  return area(placements(scores, is_positive), level);
}

DeLong delong(std::span<const double> first, std::span<const double> second,
              const std::vector<bool>& is_positive, double level) {
  require_level(level);
  require_scores(first, is_positive);
  require_scores(second, is_positive);
  const Placements a = placements(first, is_positive), b = placements(second, is_positive);
  const double variance = covariance(a, a) + covariance(b, b) - 2 * covariance(a, b);
  const double difference = mean(a.positives) - mean(b.positives);
  DeLong out = {.first = area(a, level),
                .second = area(b, level),
                .difference = around(difference, variance, level)};
  if (difference == 0)
    out.z = 0;
  else
    out.z = variance > least_variance ? difference / std::sqrt(variance) : nan;
  out.pvalue = 2 * normal_sf(std::fabs(out.z));
  return out;
}

namespace {

int sign_of(double a, double b) {
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

}  // namespace

double kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw Error(Error::Kind::input, "Kendall's tau needs two orders of the same things");
  double agreement = 0, x_pairs = 0, y_pairs = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int in_x = sign_of(x[i], x[j]), in_y = sign_of(y[i], y[j]);
      agreement += in_x * in_y;
      x_pairs += in_x * in_x;
      y_pairs += in_y * in_y;
    }
  return agreement / std::sqrt(x_pairs * y_pairs);
}

}  // namespace assay::stats
