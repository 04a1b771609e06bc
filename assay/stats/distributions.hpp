// SPDX-License-Identifier: Apache-2.0
/// Distribution functions and quantiles. Arguments outside the domain give NaN, never an exception.
#pragma once

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

}  // namespace assay::stats
