// SPDX-License-Identifier: Apache-2.0
//
// Ranks are taken within each case, so that an easy and a hard case count the same. Nemenyi's
// comparison (Demsar 2006) refers the distance of two mean ranks to the studentized range; that
// range is sqrt(2) wider than Demsar's tabled q, the usual mistake.
//
// The distribution is k * int phi(z) [Phi(z) - Phi(z - q)]^(k-1) dz. Since the same integral
// without the subtracted term is 1, the upper tail is k * int phi(z) (a^m - b^m) dz with a =
// Phi(z), b = a - Phi(z - q), m = k - 1, and a^m - b^m = (a - b)(a^(m-1) + a^(m-2) b + ... +
// b^(m-1)) never cancels: a tail of 1e-12 keeps its digits. Sixty-four panels of 16-point
// Gauss-Legendre.
#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

namespace {

constexpr double inverse_sqrt_2pi = 0.39894228040143267794;

/// a^m - b^m from d = a - b, without cancellation.
double difference_of_powers(double a, double d, unsigned m) {
  const double b = a - d;
  double sum = 1, power = 1;
  for (unsigned i = 1; i < m; ++i) {
    power *= a;
    sum = sum * b + power;
  }
  return d * sum;
}

struct RankedTable {
  std::vector<double> sums;  ///< of ranks, by model
  double tie_term = 0;       ///< sum of t (t^2 - 1) over all cases
  double n = 0, k = 0;
};

void require_table(ScoreTable table) {
  const auto fits = [&](const std::vector<double>& row) {
    return row.size() == table.front().size() &&
           std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
  };
  if (table.size() < 2 || table.front().size() < 3 ||
      !std::all_of(table.begin(), table.end(), fits))
    throw Error(Error::Kind::input,
                "comparing ranks needs at least two cases, at least three models and a number for "
                "every model on every case");
}

RankedTable ranked(ScoreTable table) {
  require_table(table);
  RankedTable result{std::vector<double>(table.front().size())};
  result.n = static_cast<double>(table.size());
  result.k = static_cast<double>(table.front().size());
  std::vector<double> negated(table.front().size());
  for (const std::vector<double>& row : table) {
    std::transform(row.begin(), row.end(), negated.begin(), [](double v) { return -v; });
    const MidRanks ranks = mid_ranks(negated);
    for (std::size_t j = 0; j < row.size(); ++j) result.sums[j] += ranks.ranks[j];
    for (const std::size_t group : ranks.groups) {
      const auto t = static_cast<double>(group);
      result.tie_term += t * (t * t - 1);
    }
  }
  return result;
}

std::vector<double> mean_ranks(const RankedTable& table) {
  std::vector<double> means = table.sums;
  for (double& mean : means) mean /= table.n;
  return means;
}

}  // namespace

FriedmanResult friedman(ScoreTable table) {
  const RankedTable ranks = ranked(table);
  const double n = ranks.n, k = ranks.k;
  double squares = 0;
  for (const double sum : ranks.sums) squares += sum * sum;
  const double correction = 1 - ranks.tie_term / (k * (k * k - 1) * n);
  FriedmanResult result;
  result.mean_ranks = mean_ranks(ranks);
  if (correction == 0) {  // every case is tied throughout, so nothing contradicts equality
    result.pvalue = result.f_pvalue = 1;
    return result;
  }
  result.statistic = (12 / (k * n * (k + 1)) * squares - 3 * n * (k + 1)) / correction;
  result.pvalue = chi2_sf(result.statistic, k - 1);
  result.f = (n - 1) * result.statistic / (n * (k - 1) - result.statistic);
  result.f_pvalue = f_sf(result.f, k - 1, (k - 1) * (n - 1));
  result.kendall_w = result.statistic / (n * (k - 1));
  return result;
}

double studentized_range_sf(double q, unsigned k) {
  if (q <= 0) return 1;
  const auto integrand = [=](double z) {
    const double density = inverse_sqrt_2pi * std::exp(-0.5 * z * z);
    return density * difference_of_powers(normal_cdf(z), normal_cdf(z - q), k - 1);
  };
  return std::min(1.0, k * integral(-9, 9 + q, integrand));
}

double studentized_range_quantile(double upper_tail, unsigned k) {
  if (!(upper_tail > 0 && upper_tail < 1) || k < 2)
    throw Error(
        Error::Kind::usage,
        "the studentized range needs a probability between 0 and 1 and at least two groups");
  double low = 0, high = 64;
  while (high - low > 1e-14 * high) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (studentized_range_sf(middle, k) > upper_tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

NemenyiResult nemenyi(ScoreTable table, double alpha) {
  const RankedTable ranks = ranked(table);
  const auto models = static_cast<unsigned>(ranks.sums.size());
  const double unit = std::sqrt(ranks.k * (ranks.k + 1) / (6 * ranks.n));
  const double sqrt2 = std::sqrt(2.0);
  NemenyiResult result;
  result.mean_ranks = mean_ranks(ranks);
  result.critical_difference = studentized_range_quantile(alpha, models) / sqrt2 * unit;
  result.pvalues.assign(models, std::vector<double>(models, 1.0));
  for (std::size_t a = 0; a < models; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double distance = std::fabs(result.mean_ranks[a] - result.mean_ranks[b]);
      result.pvalues[a][b] = result.pvalues[b][a] =
          studentized_range_sf(distance * sqrt2 / unit, models);
    }
  return result;
}

}  // namespace assay::stats
