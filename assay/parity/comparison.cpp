// SPDX-License-Identifier: Apache-2.0
//
// A paper gives a mean, so our mean can be compared with it. A signed-rank test would compare our
// pseudo-median with it instead. Scores are skewed, so a cohort with exactly the paper's mean would
// be "different", and one that is 0.06 below it "equivalent".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/one_mean.hpp"

namespace assay::parity {
namespace {

using Differences = std::vector<double>;

void add_effect_size(PaperComparison& c, bool compat_spec) {
  if (!c.paper_std) {
    c.cohens_d_missing = "the paper gives no standard deviation";
    return;
  }
  const double pooled = std::sqrt((c.our_std * c.our_std + *c.paper_std * *c.paper_std) / 2);
  if (pooled > 0) {
    c.cohens_d = (c.our_mean - c.paper_mean) / pooled;
    c.interpretation = cohens_d_word(*c.cohens_d);
    return;
  }
  c.cohens_d_missing = "both standard deviations are 0";
  if (compat_spec) c.interpretation = "large";  // every comparison with NaN is false
}

// ---- As specified.

/// p = 1 if all differences are zero to within 1e-8, the specification's allclose shortcut.
void signed_rank_test(PaperComparison& c, const Differences& differences) {
  c.test_type = "Wilcoxon signed-rank";
  c.policy = "scipy-1.10";
  c.wilcoxon_statistic = 0;
  c.p_value = 1;
  if (std::ranges::all_of(differences, [](double d) { return std::fabs(d) <= 1e-8; })) {
    c.method = "allclose";
    return;
  }
  const stats::WilcoxonResult test =
      stats::wilcoxon(differences, {.policy = stats::WilcoxonPolicy::scipy_1_10});
  c.wilcoxon_statistic = test.statistic;
  c.p_value = test.pvalue;
  c.method = test.method;
}

void compare_as_specified(PaperComparison& c, const Differences& differences) {
  signed_rank_test(c, differences);
  c.significant = *c.p_value < c.alpha;
  const stats::Interval shift = stats::hodges_lehmann(differences, 1 - c.alpha);
  c.difference = shift.estimate;
  c.interval = shift;
  const bool can_exclude = differences.size() > 1;  // one value has no interval
  const stats::Verdict found =
      can_exclude ? stats::verdict(shift, c.margin) : stats::Verdict::inconclusive;
  c.verdict = found == stats::Verdict::non_inferior ? stats::Verdict::inconclusive : found;
  const Differences zeros(differences.size());
  if (const double p = stats::tost_paired(differences, zeros, c.margin).pvalue; std::isfinite(p))
    c.tost_p = p;
  c.conclusion = c.p_value >= c.alpha
                     ? "STATISTICALLY EQUIVALENT"
                     : fmt::format("STATISTICALLY DIFFERENT (p={:.4f})", *c.p_value);
}

// ---- Test of the mean.

bool knows_its_error(const PaperMean& paper) {
  return paper.std && paper.n && *paper.n >= 2;
}

/// Below six values there are too few resamples to tell; Student's p-value is then given with that
/// reservation.
stats::MeanTest mean_test(const Differences& differences, const PaperMean& paper,
                          const Executor& executor) {
  if (knows_its_error(paper)) return stats::welch_test(differences, *paper.std, *paper.n);
  if (differences.size() < fewest_for_a_verdict) return stats::student_test(differences);
  return stats::bootstrap_t_test(differences, {.executor = executor});
}

std::string_view title(stats::MeanMethod method) {
  switch (method) {
    case stats::MeanMethod::student: return "Student's t";
    case stats::MeanMethod::bootstrap_t: return "bootstrap-t";
    default: return "Welch's t";
  }
}

/// Limits the interval to what a mean of Dice, which is in 0..1, can differ by.
stats::Interval within_range(stats::Interval interval, const PaperMean& paper) {
  const bool exact = !knows_its_error(paper);
  interval.lower = std::max(interval.lower, exact ? -paper.mean : -1.0);
  interval.upper = std::min(interval.upper, exact ? 1 - paper.mean : 1.0);
  return interval;
}

std::string too_few(std::size_t n) {
  return fmt::format("inconclusive: no verdict is given below {} values, and there {} {}",
                     fewest_for_a_verdict, n == 1 ? "is" : "are", n);
}

/// Why there can be no test; "" when there can.
std::string_view without_test(const Differences& differences) {
  constexpr double largest = 1e100;  // squares stay finite
  if (std::ranges::any_of(differences, [](double d) { return std::fabs(d) > largest; }))
    return "some values are outside the range of any score";
  if (std::ranges::all_of(differences, [&](double d) { return d == differences.front(); }))
    return "all values are equal, so they do not say how much their mean varies";
  return "";
}

/// Equivalence first: a difference that is real can be too small to matter.
void add_verdict(PaperComparison& c, const stats::MeanTest& test) {
  const bool equivalent = *c.tost_p <= c.alpha;
  c.verdict = equivalent      ? stats::Verdict::equivalent
              : c.significant ? stats::Verdict::different
                              : stats::Verdict::inconclusive;
  if (equivalent)
    c.conclusion = fmt::format(
        "equivalent: the mean is within ±{:g} of the paper's (two one-sided tests)", c.margin);
  else if (c.significant)
    c.conclusion = fmt::format("different: the mean is {} than the paper's",
                               test.mean < 0 ? "lower" : "higher");
  else
    c.conclusion = fmt::format(
        "inconclusive: neither a difference nor equivalence within ±{:g} was shown", c.margin);
}

void compare_means(PaperComparison& c, const Differences& differences, const PaperMean& paper,
                   const Executor& executor) {
  c.test_type = "t test of the mean";
  c.difference = c.our_mean - c.paper_mean;
  if (const std::string_view why = without_test(differences); !why.empty()) {
    c.conclusion = c.n < fewest_for_a_verdict ? too_few(c.n) : fmt::format("inconclusive: {}", why);
    return;
  }
  const stats::MeanTest test = mean_test(differences, paper, executor);
  c.test_type = title(test.method);
  c.method = name(test.method);
  c.p_value = test.p_value();
  if (const std::size_t drawn = test.ratios_ascending.size(); drawn != 0)
    c.least_p_value = 2 / static_cast<double>(drawn + 1);
  if (c.n < fewest_for_a_verdict) {
    c.conclusion = too_few(c.n);
    return;
  }
  c.significant = *c.p_value <= c.alpha;
  c.interval = within_range(test.interval(1 - c.alpha), paper);
  c.tost_interval = within_range(test.interval(1 - 2 * c.alpha), paper);
  c.tost_p = std::max(test.p_above(-c.margin), test.p_below(c.margin));
  add_verdict(c, test);
}

}  // namespace

std::string PaperComparison::p_text() const {
  if (!p_value) return "no p-value";
  return fmt::format("p {} {:.4g}", *p_value <= least_p_value ? "≤" : "=", *p_value);
}

std::string_view cohens_d_word(double d) {
  const double size = std::fabs(d);
  return size < 0.2 ? "negligible" : size < 0.5 ? "small" : size < 0.8 ? "medium" : "large";
}

PaperComparison compared_with_paper(std::span<const double> values, const PaperMean& paper,
                                    const PaperComparisonOptions& options) {
  if (values.empty() || !std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw Error(Error::Kind::input, "the comparison with a paper needs finite values, one or more");
  if (!(options.alpha > 0 && options.alpha < 1))
    throw Error(Error::Kind::usage, "alpha must lie between 0 and 1");
  PaperComparison c = {.n = values.size(),
                       .our_mean = stats::mean(values),
                       .our_std = stats::standard_deviation(values, 0),
                       .paper_mean = paper.mean,
                       .paper_std = paper.std,
                       .paper_n = paper.n,
                       .alpha = options.alpha,
                       .margin = options.margin};
  Differences differences(values.begin(), values.end());
  for (double& d : differences) d -= paper.mean;
  add_effect_size(c, options.compat_spec);
  if (options.compat_spec)
    compare_as_specified(c, differences);
  else
    compare_means(c, differences, paper, options.executor);
  return c;
}

}  // namespace assay::parity
