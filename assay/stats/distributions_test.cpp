// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace distributions_test {

using namespace assay;
using namespace assay::stats;

constexpr double inf = std::numeric_limits<double>::infinity();

struct Value {
  const char* what;
  double found, expected;
};

TEST(Distributions, equal_the_tables) {
  const Value values[] = {
      {"median", normal_cdf(0), 0.5},
      {"two-sided 5 %", normal_quantile(0.975), 1.959963984540054},
      {"far tail", normal_sf(10), 7.61985302416052e-24},
      {"Cauchy", student_t_cdf(1, 1), 0.75},
      {"Cauchy, upper", student_t_sf(1, 1), 0.25},
      {"t table, 10 df", student_t_quantile(0.975, 10), 2.2281388519862744},
      {"exponential", chi2_sf(2, 2), std::exp(-1.0)},
      {"F(1, 1)", f_sf(1, 1, 1), 0.5},
      {"three coins", binomial_cdf(1, 3, 0.5), 0.5},
      {"three coins, one head", binomial_pmf(1, 3, 0.5), 0.375},
      {"uniform", beta_quantile(0.3, 1, 1), 0.3},
      {"square", beta_cdf(0.5, 2, 1), 0.25},
      {"central", noncentral_t_cdf(1, 1, 0), 0.75},
  };
  for (const auto& [what, found, expected] : values)
    EXPECT_NEAR(found, expected, 1e-13 * expected) << what;
}

TEST(Distributions, ends_of_the_line) {
  EXPECT_EQ(normal_quantile(0), -inf);
  EXPECT_EQ(normal_quantile(1), inf);
  EXPECT_EQ(student_t_quantile(1, 4), inf);
  EXPECT_EQ(student_t_cdf(-inf, 4), 0);
  EXPECT_EQ(chi2_sf(inf, 3), 0);
  EXPECT_EQ(f_sf(inf, 3, 3), 0);
  EXPECT_EQ(chi2_sf(0, 3), 1);
}

TEST(Distributions, nonsense_is_nan_and_never_throws) {
  const double values[] = {
      normal_quantile(-1),
      normal_quantile(NAN),
      student_t_cdf(1, -3),
      student_t_cdf(NAN, 3),
      student_t_quantile(2, 3),
      chi2_sf(-1, 2),
      chi2_sf(1, -1),
      f_sf(-1, 1, 1),
      binomial_cdf(4, 3, 0.5),
      binomial_cdf(1, 3, 2),
      beta_quantile(0.5, -1, 1),
      beta_quantile(2, 1, 1),
      noncentral_t_cdf(1, 0, 1),
      noncentral_t_sf(NAN, 2, 1),
      beta_cdf(2, 1, 1),
  };
  for (const double value : values) EXPECT_TRUE(std::isnan(value)) << &value - values;
}

}  // namespace distributions_test
