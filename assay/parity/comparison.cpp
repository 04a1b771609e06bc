// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/stats/moments.hpp"

namespace assay {
namespace {

/// As the specification: nothing but zeros up to 1e-8, and whatever SciPy refuses, has p = 1.
void test_as_specified(PaperComparison& c, const std::vector<double>& differences) {
  c.policy = "scipy-1.10";
  c.wilcoxon_statistic = 0;
  c.p_value = 1;
  if (std::ranges::all_of(differences, [](double d) { return std::fabs(d) <= 1e-8; })) {
    c.method = "allclose";
    return;
  }
  const WilcoxonResult test = wilcoxon(differences, {.policy = WilcoxonPolicy::scipy_1_10});
  c.wilcoxon_statistic = test.statistic;
  c.p_value = test.pvalue;
  c.method = test.method;
}

void test_exactly(PaperComparison& c, const std::vector<double>& differences) {
  const WilcoxonResult test = wilcoxon(differences, {.alpha = c.alpha});
  c.wilcoxon_statistic = test.statistic;
  c.p_value = test.pvalue;
  c.policy = test.policy;
  c.method = test.method;
  c.warning = test.warning;
}

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

/// Within the margin, outside of zero, or neither: a large p-value alone says nothing.
void add_verdict(PaperComparison& c, std::span<const double> values,
                 const std::vector<double>& differences) {
  c.difference = hodges_lehmann(differences, 1 - c.alpha);
  const bool can_exclude = differences.size() > 1;  // one value has no interval
  const Verdict found = can_exclude ? verdict(c.difference, c.margin) : Verdict::inconclusive;
  c.verdict = found == Verdict::non_inferior ? Verdict::inconclusive : found;
  const std::vector<double> paper(values.size(), c.paper_mean);
  if (const double p = tost_paired(values, paper, c.margin).pvalue; std::isfinite(p)) c.tost_p = p;
}

std::string conclusion(const PaperComparison& c) {
  switch (c.verdict) {
    case Verdict::equivalent:
      return fmt::format("equivalent: the interval of the difference lies within ±{:g}", c.margin);
    case Verdict::different: return "different: the interval of the difference excludes zero";
    default: return "inconclusive: no difference was shown, and no equivalence either";
  }
}

std::string specified_conclusion(const PaperComparison& c) {
  return c.p_value >= c.alpha ? "STATISTICALLY EQUIVALENT"
                              : fmt::format("STATISTICALLY DIFFERENT (p={:.4f})", c.p_value);
}

}  // namespace

std::string_view cohens_d_word(double d) {
  const double size = std::fabs(d);
  return size < 0.2 ? "negligible" : size < 0.5 ? "small" : size < 0.8 ? "medium" : "large";
}

PaperComparison compared_with_paper(std::span<const double> values, double paper_mean,
                                    std::optional<double> paper_std,
                                    const PaperComparisonOptions& options) {
  if (values.empty() || !std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw Error(Error::Kind::input, "the comparison with a paper needs finite values, one or more");
  if (!(options.alpha > 0 && options.alpha < 1))
    throw Error(Error::Kind::usage, "alpha must lie between 0 and 1");
  PaperComparison c = {.n = values.size(),
                       .our_mean = mean(values),
                       .our_std = standard_deviation(values, 0),
                       .paper_mean = paper_mean,
                       .paper_std = paper_std,
                       .alpha = options.alpha,
                       .margin = options.margin};
  std::vector<double> differences(values.begin(), values.end());
  for (double& d : differences) d -= paper_mean;
  if (options.compat_spec)
    test_as_specified(c, differences);
  else
    test_exactly(c, differences);
  c.significant = c.p_value < options.alpha;
  add_effect_size(c, options.compat_spec);
  add_verdict(c, values, differences);
  c.conclusion = options.compat_spec ? specified_conclusion(c) : conclusion(c);
  return c;
}

}  // namespace assay
