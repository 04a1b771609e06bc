// SPDX-License-Identifier: Apache-2.0
/// Distribution functions and quantiles. Arguments outside the domain give NaN, never an exception.
#pragma once

#include <array>
#include <limits>

namespace assay::stats {

/// P(Z <= x), P(Z > x) and the x with P(Z <= x) = p of the standard normal distribution.
double normal_cdf(double x);
double normal_sf(double x);
double normal_quantile(double p);

/// Student's t with `df` degrees of freedom.
double student_t_cdf(double t, double df);
double student_t_sf(double t, double df);
double student_t_quantile(double p, double df);

/// Student's t with non-centrality `delta`: what power is computed from.
double noncentral_t_cdf(double t, double df, double delta);
double noncentral_t_sf(double t, double df, double delta);
double noncentral_t_quantile(double p, double df, double delta);

/// P(X > x) of the chi-squared and the F distribution.
double chi2_sf(double x, double df);
double f_sf(double x, double df_between, double df_within);

/// The x with P(X <= x) = p of the chi-squared and the F distribution.
double chi2_quantile(double p, double df);
double f_quantile(double p, double df_between, double df_within);

/// P(X <= successes) and P(X = successes) of `trials` trials with probability p each.
double binomial_cdf(double successes, double trials, double p);
double binomial_pmf(double successes, double trials, double p);

/// P(X <= x) and the x with P(X <= x) = p of the beta distribution.
double beta_cdf(double x, double a, double b);
double beta_quantile(double p, double a, double b);

// Integrals of smooth functions over an interval.

struct QuadratureNode {
  double at, weight;
};

/// Gauss-Legendre with 16 nodes, the positive half; on -1..1.
inline constexpr std::array gauss16 = {
    QuadratureNode{0.0950125098376374401853, 0.1894506104550684962853},
    QuadratureNode{0.2816035507792589132304, 0.1826034150449235888667},
    QuadratureNode{0.4580167776572273863424, 0.1691565193950025381893},
    QuadratureNode{0.6178762444026437484466, 0.1495959888165767320815},
    QuadratureNode{0.7554044083550030338951, 0.1246289712555338720524},
    QuadratureNode{0.8656312023878317438804, 0.0951585116824927848099},
    QuadratureNode{0.9445750230732325760779, 0.0622535239386478928628},
    QuadratureNode{0.9894009349916499325961, 0.0271524594117540948517},
};

template <class Function>
double integral(double from, double to, const Function& function) {
  constexpr int panels = 64;
  const double half = (to - from) / (2 * panels);
  double sum = 0;
  for (int panel = 0; panel < panels; ++panel) {
    const double centre = from + (2 * panel + 1) * half;
    for (const QuadratureNode& node : gauss16)
      sum += node.weight * (function(centre - node.at * half) + function(centre + node.at * half));
  }
  return sum * half;
}

// Numbers that every statistic needs.

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr double squared(double x) {
  return x * x;
}

}  // namespace assay::stats
