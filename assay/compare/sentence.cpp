// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/sentence.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/compare/standing.hpp"
#include "assay/core/words.hpp"

namespace assay {
namespace {

/// Where the model is, in words: the words of the signs in tables.
std::string_view relation(Standing standing) {
  constexpr std::string_view words[] = {"differs from", "is better than", "is worse than",
                                        "differs from"};
  return words[static_cast<std::size_t>(standing)];
}

std::string with_unit(double value, const ComparedMetric& metric) {
  const std::string_view unit = unit_of(metric);
  return plain_number(value) + (unit.empty() ? "" : " " + std::string(unit));
}

std::string limits_words(const Interval& interval) {
  return fmt::format("{} to {}", plain_number(interval.lower), plain_number(interval.upper));
}

/// "95 % CI", and whether it holds for one model or for all that are compared.
std::string interval_name(const ComparisonResult& r) {
  const std::string level = fmt::format("{:.4g} % CI", 100 * r.level);
  if (r.simultaneous) return "simultaneous " + level;
  return r.family > 1 ? "unadjusted " + level : level;
}

/// A limit of exactly 0 that the test rejects: the interval ends there without it.
bool ends_without_zero(const ComparisonResult& r) {
  const Interval& d = r.shown();
  const bool rejected = r.simultaneous ? r.is_significant : r.p_value <= 1 - r.level;
  return rejected && (d.lower == 0 || d.upper == 0);
}

/// The estimate by its name, and the difference of the means, which need not be the same.
std::string estimates(const MetricComparison& metric, const ComparisonResult& r) {
  const Interval& d = r.shown();
  std::string out = "Hodges–Lehmann difference " + with_unit(d.estimate, metric.metric);
  if (d.has_limits())
    out += fmt::format(" ({} {}{})", interval_name(r), limits_words(d),
                       ends_without_zero(r) ? ", 0 excluded" : "");
  if (r.test.zeros != 0 && r.differing() != 0)
    out += fmt::format(" over the {} of {} pairs that differ", r.differing(), r.test.n);
  return out + ", difference of means " + with_unit(r.mean_difference.estimate, metric.metric);
}

std::string figures(const MetricComparison& metric, const PairComparison& pair) {
  return fmt::format("{}, corrected {}, n = {}", estimates(metric, pair.result),
                     plain_pvalue(pair.result.corrected_p_value), pair.n);
}

/// The two intervals that decide about a margin.
std::string margin_figures(const MetricComparison& metric, const PairComparison& pair,
                           double corrected) {
  const MarginTest& test = *pair.result.margin;
  const std::string level = fmt::format("{:.4g} % CI", 100 * test.level);
  return fmt::format(
      "difference of means {} ({} {}), pseudo-median {} ({} {}), corrected {}, n = {}",
      with_unit(test.mean.estimate, metric.metric), level, limits_words(test.mean),
      with_unit(test.pseudo_median.estimate, metric.metric), level,
      limits_words(test.pseudo_median), plain_pvalue(corrected), pair.n);
}

/// What a sample of this size cannot tell about rare failures; "" when it is large.
std::string unseen_failures(const PairComparison& pair) {
  const double share = share_never_seen(static_cast<double>(pair.n));
  if (share < 0.03) return "";
  return fmt::format("; {} pairs may not have shown failures that are rarer than {:.0f} %", pair.n,
                     100 * share);
}

/// What would puzzle a reader of a significant difference; "" where its numbers agree.
std::string puzzle(const PairComparison& pair) {
  const ComparisonResult& r = pair.result;
  return r.mean_difference.estimate * r.effect_size < 0
             ? "; the means point the other way, because of a few large differences"
             : "";
}

std::string hopeless(const ComparisonResult& r) {
  const std::string pairs = r.test.zeros == 0 ? counted(r.test.n, "pair")
                                              : counted(r.differing(), "pair") + " that differ";
  return fmt::format("with {} no data could be significant{}", pairs,
                     r.family > 1 ? fmt::format(" after correction for {} tests", r.family) : "");
}

std::string undecided(const ComparisonResult& r) {
  if (r.is_hopeless) return hopeless(r);
  if (r.p_value <= 1 - r.level && r.family > 1)
    return fmt::format("significant alone ({}), but not after correction for {} tests",
                       plain_pvalue(r.p_value), r.family);
  return "the data cannot tell them apart, which does not make them equal";
}

std::string inconclusive(const MetricComparison& metric, const ComparisonResult& r) {
  if (!r.margin) return undecided(r);
  return fmt::format(
      "{}; a difference of {} or more cannot be excluded ({:.4g} % CI of the means {}, of the "
      "pseudo-median {}; two one-sided tests, corrected {})",
      undecided(r), plain_number(*metric.margin), 100 * r.margin->level,
      limits_words(r.margin->mean), limits_words(r.margin->pseudo_median),
      plain_pvalue(r.margin->corrected_equivalence_pvalue));
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
          : "; exact McNemar test, corrected " + plain_pvalue(test.corrected_p_value));
}

std::string_view plain_words(Verdict verdict) {
  return verdict == Verdict::too_few_pairs ? "too few pairs" : name(verdict);
}

std::string plain_number(double value) {
  if (std::isnan(value)) return "–";
  if (value != 0 && std::fabs(value) < 0.001) return fmt::format("{:.2g}", value);
  return fmt::format("{:.{}f}", value, std::fabs(value) >= 1000 ? 0 : 3);
}

std::string plain_pvalue(double pvalue) {
  return pvalue < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", pvalue);
}

std::string sentence(const MetricComparison& metric, const PairComparison& pair,
                     std::string_view baseline) {
  const std::string& model = pair.result.model_name;
  const std::string name = words(metric.metric);
  if (pair.n == 0)
    return fmt::format("{}: {} and {} have no case in common that has a value.", name, model,
                       baseline);
  const std::string numbers = figures(metric, pair);
  if (pair.result.verdict == Verdict::too_few_pairs)
    return fmt::format("{}: {} against {}: too few pairs for a verdict ({} of at least {}): {}.",
                       name, model, baseline, pair.n, least_pairs, numbers);
  if (pair.result.test.zeros == pair.n)
    return fmt::format("{}: {} and {} agree on all {} pairs.", name, model, baseline, pair.n);
  switch (pair.result.verdict) {
    case Verdict::different:
      return fmt::format("{}: {} {} {}: {}{}.", name, model, relation(standing_of(metric, pair)),
                         baseline, numbers, puzzle(pair));
    case Verdict::equivalent:
      return fmt::format(
          "{}: {} is equivalent to {} within ±{}: {}{}{}.", name, model, baseline,
          plain_number(metric.margin.value_or(0)),
          margin_figures(metric, pair, pair.result.margin->corrected_equivalence_pvalue),
          pair.result.is_significant ? "; they do differ, but by less than the margin" : "",
          unseen_failures(pair));
    case Verdict::non_inferior:
      return fmt::format(
          "{}: {} is not worse than {} by {} or more: {}{}.", name, model, baseline,
          plain_number(metric.margin.value_or(0)),
          margin_figures(metric, pair, pair.result.margin->corrected_non_inferiority_pvalue),
          unseen_failures(pair));
    case Verdict::inconclusive:
    case Verdict::too_few_pairs: break;
  }
  return fmt::format("{}: {} against {} is inconclusive: {}; {}.", name, model, baseline, numbers,
                     inconclusive(metric, pair.result));
}

std::string algorithm_sentence(const MetricComparison& metric, const PairComparison& pair,
                               std::string_view baseline) {
  if (!pair.algorithms) return "";
  const AlgorithmTest& found = *pair.algorithms;
  const std::string& model = pair.result.model_name;
  const std::string start =
      fmt::format("{}: over {} folds, the algorithm", words(metric.metric), found.folds);
  const std::string numbers = fmt::format(
      "mean difference {} ({}95 % CI {} to {}), corrected {}",
      with_unit(found.difference.estimate, metric.metric),
      metric.pairs.size() > 1 ? "unadjusted " : "", plain_number(found.difference.lower),
      plain_number(found.difference.upper), plain_pvalue(found.corrected_p_value));
  if (found.folds < least_folds)
    return fmt::format(
        "{} of {} against that of {}: too few folds for a verdict ({} of at least {}): {}.", start,
        model, baseline, found.folds, least_folds, numbers);
  if (!found.is_significant)
    return fmt::format(
        "{} of {} against that of {} is inconclusive: {}; the folds cannot tell them "
        "apart, which does not make them equal.",
        start, model, baseline, numbers);
  const Better better = metric.metric.better;
  const bool is_better = (found.difference.estimate > 0) == (better == Better::higher);
  return fmt::format("{} of {} {} that of {}: {}.", start, model,
                     relation(better == Better::neither ? Standing::different
                              : is_better               ? Standing::better
                                                        : Standing::worse),
                     baseline, numbers);
}

}  // namespace assay
