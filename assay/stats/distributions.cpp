// SPDX-License-Identifier: Apache-2.0
//
// The only file that includes Boost.Math: its headers are slow to compile, and its error handling
// is a template policy. Ours turns every failure into NaN (or the infinity at the end of the
// range).
#include "assay/stats/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <exception>
#include <limits>

namespace assay::stats {

namespace {

namespace bm = boost::math;
namespace bp = boost::math::policies;

using Quiet =
    bp::policy<bp::domain_error<bp::ignore_error>, bp::pole_error<bp::ignore_error>,
               bp::overflow_error<bp::ignore_error>, bp::underflow_error<bp::ignore_error>,
               bp::denorm_error<bp::ignore_error>, bp::rounding_error<bp::ignore_error>,
               bp::evaluation_error<bp::ignore_error>,
               bp::indeterminate_result_error<bp::ignore_error>>;

using Normal = bm::normal_distribution<double, Quiet>;
using StudentT = bm::students_t_distribution<double, Quiet>;
using NoncentralT = bm::non_central_t_distribution<double, Quiet>;
using ChiSquared = bm::chi_squared_distribution<double, Quiet>;
using FisherF = bm::fisher_f_distribution<double, Quiet>;
using Binomial = bm::binomial_distribution<double, Quiet>;
using Beta = bm::beta_distribution<double, Quiet>;

/// A few root finders throw whatever the policy says.
template <class Function>
double quietly(const Function& function) {
  try {
    return function();
  } catch (const std::exception&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

constexpr double inverse_sqrt2 = 0.70710678118654752440;

}  // namespace

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * inverse_sqrt2);
}

double normal_sf(double x) {
  return 0.5 * std::erfc(x * inverse_sqrt2);
}

double normal_quantile(double p) {
  if (p == 0) return -infinity;
  if (p == 1) return infinity;
  return quietly([=] { return bm::quantile(Normal(), p); });
}

double student_t_cdf(double t, double df) {
  return quietly([=] { return bm::cdf(StudentT(df), t); });
}

double student_t_sf(double t, double df) {
  return quietly([=] { return bm::cdf(bm::complement(StudentT(df), t)); });
}

double student_t_quantile(double p, double df) {
  if (p == 0 && df > 0) return -infinity;
  if (p == 1 && df > 0) return infinity;
  return quietly([=] { return bm::quantile(StudentT(df), p); });
}

double noncentral_t_cdf(double t, double df, double delta) {
  return quietly([=] { return bm::cdf(NoncentralT(df, delta), t); });
}

double noncentral_t_sf(double t, double df, double delta) {
  return quietly([=] { return bm::cdf(bm::complement(NoncentralT(df, delta), t)); });
}

double noncentral_t_quantile(double p, double df, double delta) {
  return quietly([=] { return bm::quantile(NoncentralT(df, delta), p); });
}

double f_quantile(double p, double df_between, double df_within) {
  return quietly([=] { return bm::quantile(FisherF(df_between, df_within), p); });
}

double chi2_sf(double x, double df) {
  if (x == infinity && df > 0) return 0;
  return quietly([=] { return bm::cdf(bm::complement(ChiSquared(df), x)); });
}

double chi2_quantile(double p, double df) {
  return quietly([=] { return bm::quantile(ChiSquared(df), p); });
}

double f_sf(double x, double df_between, double df_within) {
  if (x == infinity && df_between > 0 && df_within > 0) return 0;
  return quietly([=] { return bm::cdf(bm::complement(FisherF(df_between, df_within), x)); });
}

double binomial_cdf(double successes, double trials, double p) {
  return quietly([=] { return bm::cdf(Binomial(trials, p), successes); });
}

double binomial_pmf(double successes, double trials, double p) {
  return quietly([=] { return bm::pdf(Binomial(trials, p), successes); });
}

double beta_cdf(double x, double a, double b) {
  return quietly([=] { return bm::cdf(Beta(a, b), x); });
}

double beta_quantile(double p, double a, double b) {
  return quietly([=] { return bm::quantile(Beta(a, b), p); });
}

}  // namespace assay::stats
