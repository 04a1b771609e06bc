// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"

namespace assay::compare {
namespace {

/// Where the model stands, in words that agree with the signs in tables.
std::string_view relation(Standing standing) {
  constexpr std::string_view words[] = {"differs from", "is better than", "is worse than",
                                        "differs from"};
  return words[static_cast<std::size_t>(standing)];
}

std::string with_unit(double value, const ComparedMetric& metric) {
  const std::string_view unit = unit_of(metric);
  return plain_number(value) + (unit.empty() ? "" : " " + std::string(unit));
}

std::string limits_words(const stats::Interval& interval) {
  return fmt::format("{} to {}", plain_number(interval.lower), plain_number(interval.upper));
}

/// "95 % CI", and whether it holds for one model or for all compared models.
std::string interval_name(const stats::ComparisonResult& r) {
  const std::string level = fmt::format("{:.4g} % CI", 100 * r.level);
  if (r.simultaneous) return "simultaneous " + level;
  return r.family > 1 ? "unadjusted " + level : level;
}

/// A limit of exactly 0 that the test rejects: the interval ends at 0 but does not contain it.
bool ends_without_zero(const stats::ComparisonResult& r) {
  const stats::Interval& d = r.shown();
  const bool rejected = r.simultaneous ? r.is_significant : r.p_value <= 1 - r.level;
  return rejected && (d.lower == 0 || d.upper == 0);
}

/// What a pair consists of: cases, or means of clusters.
std::string_view unit_word(const stats::ComparisonResult& r) {
  return r.design_effect ? "cluster" : "pair";
}

/// The estimate by its name, and the difference of the means, which need not be the same.
std::string estimates(const MetricComparison& metric, const stats::ComparisonResult& r) {
  const stats::Interval& d = r.shown();
  std::string out = "Hodges–Lehmann difference " + with_unit(d.estimate, metric.metric);
  if (d.has_limits())
    out += fmt::format(" ({} {}{})", interval_name(r), limits_words(d),
                       ends_without_zero(r) ? ", 0 excluded" : "");
  if (r.test.zeros != 0 && r.differing() != 0)
    out += fmt::format(" over the {} of {} that differ", r.differing(),
                       counted(r.test.n, unit_word(r)));
  return out + ", difference of means " + with_unit(r.mean_difference.estimate, metric.metric);
}

/// "n = 30", or "n = 10 clusters".
std::string number_words(const PairComparison& pair) {
  return fmt::format(
      "n = {}", pair.result.design_effect ? counted(pair.n, "cluster") : std::to_string(pair.n));
}

/// "p = 0.020", or "corrected p = 0.020" where the family has other members.
std::string corrected_words(double pvalue, std::size_t family) {
  return (family > 1 ? "corrected " : "") + plain_pvalue(pvalue);
}

std::string figures(const MetricComparison& metric, const PairComparison& pair) {
  return fmt::format("{}, {}, {}", estimates(metric, pair.result),
                     corrected_words(pair.result.corrected_p_value, pair.result.family),
                     number_words(pair));
}

/// "90 % CI": both limits of two one-sided tests, each at alpha.
std::string margin_level(const stats::ComparisonResult& r) {
  return fmt::format("{}{:.4g} % CI", r.family > 1 ? "unadjusted " : "", 100 * r.margin->level);
}

std::string margin_words(const MetricComparison& metric) {
  return with_unit(metric.margin.value_or(0), metric.metric);
}

/// The two intervals that decide about a margin.
std::string margin_figures(const MetricComparison& metric, const PairComparison& pair,
                           double corrected) {
  const stats::MarginTest& test = *pair.result.margin;
  const std::string level = margin_level(pair.result);
  return fmt::format(
      "Difference of means {} ({} {}), pseudo-median {} ({} {}), {} (one-sided tests against the "
      "margin), {}.",
      with_unit(test.mean.estimate, metric.metric), level, limits_words(test.mean),
      with_unit(test.pseudo_median.estimate, metric.metric), level,
      limits_words(test.pseudo_median), corrected_words(corrected, pair.result.family),
      number_words(pair));
}

/// What a sample of this size cannot show about rare failures; "" when it is large.
std::string unseen_failures(const PairComparison& pair) {
  const double share = stats::share_never_seen(static_cast<double>(pair.n));
  if (share < 0.03) return "";
  return fmt::format(" With {}, failures rarer than {:.0f} % may not have been seen.",
                     counted(pair.n, unit_word(pair.result)), 100 * share);
}

/// What would puzzle a reader of a significant difference; "" where its numbers agree.
std::string puzzle(const PairComparison& pair) {
  return means_point_elsewhere(pair)
             ? " The means point the other way, because of a few large differences."
             : "";
}

std::string hopeless(const stats::ComparisonResult& r) {
  const std::string pairs = r.test.zeros == 0
                                ? counted(r.test.n, unit_word(r))
                                : counted(r.differing(), unit_word(r)) + " that differ";
  return fmt::format("With {}, no result could be significant{}.", pairs,
                     r.family > 1 ? fmt::format(" after correction for {} tests", r.family) : "");
}

std::string undecided(const stats::ComparisonResult& r) {
  if (r.is_hopeless) return hopeless(r);
  if (r.p_value <= 1 - r.level && r.family > 1)
    return fmt::format("It is significant alone ({}), but not after correction for {} tests.",
                       plain_pvalue(r.p_value), r.family);
  return "The data cannot tell them apart, which does not make them equal.";
}

/// What the margin adds where equivalence is not shown; "" without one.
std::string beyond_margin(const MetricComparison& metric, const stats::ComparisonResult& r) {
  if (!r.margin) return "";
  const stats::MarginTest& test = *r.margin;
  const bool alone = test.equivalence_pvalue <= 1 - r.level;
  return fmt::format(
      " A difference of {} or more cannot be excluded{} (two one-sided tests, {}; {} of the "
      "difference of means {}, of the pseudo-median {}).",
      margin_words(metric), alone ? " after correction" : "",
      corrected_words(test.corrected_equivalence_pvalue, r.family), margin_level(r),
      limits_words(test.mean), limits_words(test.pseudo_median));
}

std::string different(const MetricComparison& metric, const PairComparison& pair,
                      std::string_view baseline) {
  const std::optional<stats::MarginTest>& margin = pair.result.margin;
  const std::string not_shown =
      margin
          ? fmt::format(" Equivalence within ±{} is not shown (two one-sided tests, {}).",
                        margin_words(metric),
                        corrected_words(margin->corrected_equivalence_pvalue, pair.result.family))
          : "";
  return fmt::format("{} {} {}. {}.{}{}", pair.result.model_name,
                     relation(standing_of(metric, pair)), baseline, figures(metric, pair),
                     puzzle(pair), not_shown);
}

std::string equivalent(const MetricComparison& metric, const PairComparison& pair,
                       std::string_view baseline) {
  const stats::ComparisonResult& r = pair.result;
  const std::string differ = r.is_significant
                                 ? fmt::format(" They do differ ({}), but by less than the margin.",
                                               corrected_words(r.corrected_p_value, r.family))
                                 : "";
  return fmt::format("{} is equivalent to {} within ±{}. {}{}{}", r.model_name, baseline,
                     margin_words(metric),
                     margin_figures(metric, pair, r.margin->corrected_equivalence_pvalue), differ,
                     unseen_failures(pair));
}

std::string non_inferior(const MetricComparison& metric, const PairComparison& pair,
                         std::string_view baseline) {
  return fmt::format(
      "{} is not worse than {} by {} or more. {}{}", pair.result.model_name, baseline,
      margin_words(metric),
      margin_figures(metric, pair, pair.result.margin->corrected_non_inferiority_pvalue),
      unseen_failures(pair));
}

std::string inconclusive(const MetricComparison& metric, const PairComparison& pair,
                         std::string_view baseline) {
  return fmt::format("{} against {} is inconclusive. {}. {}{}", pair.result.model_name, baseline,
                     figures(metric, pair), undecided(pair.result),
                     beyond_margin(metric, pair.result));
}

std::string too_few(const MetricComparison& metric, const PairComparison& pair,
                    std::string_view baseline) {
  return fmt::format("{} against {} has too few {}s for a verdict ({} of at least {}). {}.",
                     pair.result.model_name, baseline, unit_word(pair.result), pair.n,
                     stats::least_pairs, figures(metric, pair));
}

/// Every pair is equal, so there is no spread for an interval.
std::string identical(const MetricComparison& metric, const PairComparison& pair,
                      std::string_view baseline) {
  const stats::ComparisonResult& r = pair.result;
  std::string out = fmt::format("{} and {} agree on all {}.", r.model_name, baseline,
                                counted(pair.n, unit_word(r)));
  if (r.verdict == stats::Verdict::equivalent)
    out += fmt::format(" They are equivalent within ±{} (two one-sided tests, {}).",
                       margin_words(metric),
                       corrected_words(r.margin->corrected_equivalence_pvalue, r.family)) +
           unseen_failures(pair);
  return out;
}

std::string undecided_folds(const AlgorithmTest& found, std::size_t family) {
  if (found.test.pvalue <= 1 - found.level && family > 1)
    return fmt::format("It is significant alone ({}), but not after correction for {} tests.",
                       plain_pvalue(found.test.pvalue), family);
  return "The folds cannot tell them apart, which does not make them equal.";
}

using Told = std::string (*)(const MetricComparison&, const PairComparison&, std::string_view);

Told told_by(const PairComparison& pair) {
  if (pair.result.verdict == stats::Verdict::too_few_pairs) return too_few;
  if (pair.result.test.zeros == pair.n) return identical;
  switch (pair.result.verdict) {
    case stats::Verdict::different: return different;
    case stats::Verdict::equivalent: return equivalent;
    case stats::Verdict::non_inferior: return non_inferior;
    case stats::Verdict::inconclusive:
    case stats::Verdict::too_few_pairs: break;
  }
  return inconclusive;
}

}  // namespace

std::string failure_sentence(const PairComparison& pair, std::string_view baseline,
                             std::size_t cases) {
  const FailureTest& test = pair.failures;
  if (!test.differs()) return "";
  return fmt::format(
      "{} failed in {} of {} cases ({:.0f} %), {} in {} ({:.0f} %){}", pair.result.model_name,
      test.model, cases, 100 * double(test.model) / double(cases), baseline, test.baseline,
      100 * double(test.baseline) / double(cases),
      std::isnan(test.p_value)
          ? ""
          : "; exact McNemar test, " + corrected_words(test.corrected_p_value, test.family) +
                (test.family > 1 ? fmt::format(" for {} models", test.family) : ""));
}

std::string plain_number(double value) {
  if (std::isnan(value)) return "–";
  if (value != 0 && std::fabs(value) < 0.001) return fmt::format("{:.2g}", value);
  return fmt::format("{:.{}f}", value, std::fabs(value) >= 1000 ? 0 : 3);
}

std::string plain_pvalue(double pvalue) {
  return pvalue < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", pvalue);
}

bool means_point_elsewhere(const PairComparison& pair) {
  return pair.n != 0 && pair.result.is_significant &&
         pair.result.mean_difference.estimate * pair.result.effect_size < 0;
}

std::string sentence(const MetricComparison& metric, const PairComparison& pair,
                     std::string_view baseline) {
  const std::string name = words(metric.metric);
  if (pair.n == 0)
    return fmt::format("{}: {} and {} have no case in common that has a value.", name,
                       pair.result.model_name, baseline);
  return name + ": " + told_by(pair)(metric, pair, baseline);
}

std::string algorithm_sentence(const MetricComparison& metric, const PairComparison& pair,
                               std::string_view baseline) {
  if (!pair.algorithms) return "";
  const AlgorithmTest& found = *pair.algorithms;
  const std::string& model = pair.result.model_name;
  const bool several = metric.pairs.size() > 1;
  const std::string start =
      fmt::format("{}: over {} folds, the algorithm", words(metric.metric), found.folds);
  const std::string numbers =
      fmt::format("Mean difference {} ({}{:.4g} % CI {}), {}",
                  with_unit(found.difference.estimate, metric.metric), several ? "unadjusted " : "",
                  100 * found.level, limits_words(found.difference),
                  corrected_words(found.corrected_p_value, metric.pairs.size()));
  if (found.folds < least_folds)
    return fmt::format(
        "{} of {} against that of {} has too few folds for a verdict ({} of at least {}). {}.",
        start, model, baseline, found.folds, least_folds, numbers);
  if (!found.is_significant)
    return fmt::format("{} of {} against that of {} is inconclusive. {}. {}", start, model,
                       baseline, numbers, undecided_folds(found, metric.pairs.size()));
  const metrics::Better better = metric.metric.better;
  const bool is_better = (found.difference.estimate > 0) == (better == metrics::Better::higher);
  return fmt::format("{} of {} {} that of {}. {}.", start, model,
                     relation(better == metrics::Better::neither ? Standing::different
                              : is_better                        ? Standing::better
                                                                 : Standing::worse),
                     baseline, numbers);
}

}  // namespace assay::compare
