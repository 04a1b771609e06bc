// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

namespace {

McNemarResult exact(double b, double c) {
  const double least = std::min(b, c);
  return {least, std::min(1.0, 2 * binomial_cdf(least, b + c, 0.5))};
}

McNemarResult mid_p(double b, double c) {
  const double least = std::min(b, c);
  if (b == c) return {least, 1 - binomial_pmf(least, b + c, 0.5) / 2};
  return {least, 2 * binomial_cdf(least, b + c, 0.5) - binomial_pmf(least, b + c, 0.5)};
}

McNemarResult chi_squared(double distance, double discordant) {
  const double statistic = distance * distance / discordant;
  return {statistic, chi2_sf(statistic, 1)};
}

McNemarResult corrected(double b, double c) {
  return chi_squared(std::fabs(b - c) - 1, b + c);
}

McNemarResult uncorrected(double b, double c) {
  return chi_squared(b - c, b + c);
}

struct Row {
  McNemarMethod method;
  McNemarResult (*test)(double b, double c);
};

constexpr std::array rows = {
    Row{McNemarMethod::exact, exact},
    Row{McNemarMethod::mid_p, mid_p},
    Row{McNemarMethod::corrected, corrected},
    Row{McNemarMethod::uncorrected, uncorrected},
};

constexpr std::array mcnemar_names = {
    Named<McNemarMethod>{"exact", McNemarMethod::exact},
    Named<McNemarMethod>{"mid-p", McNemarMethod::mid_p},
    Named<McNemarMethod>{"corrected", McNemarMethod::corrected},
    Named<McNemarMethod>{"uncorrected", McNemarMethod::uncorrected},
};

}  // namespace

std::span<const Named<McNemarMethod>> mcnemar_methods() {
  return mcnemar_names;
}

McNemarResult mcnemar(std::uint64_t b, std::uint64_t c, McNemarMethod method) {
  if (b + c == 0) return {};
  const auto row = std::ranges::find(rows, method, &Row::method);
  return row->test(static_cast<double>(b), static_cast<double>(c));
}

}  // namespace assay::stats
