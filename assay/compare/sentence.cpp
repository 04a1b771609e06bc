// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/sentence.hpp"

#include <fmt/format.h>

#include <cmath>

namespace assay {
namespace {

/// Where the difference points, in words; differences of scores near zero are of magnitudes.
std::string_view direction(const MetricComparison& metric, double difference) {
  const Better better = metric.metric.better;
  if (difference == 0 || better == Better::neither) return "differs from";
  const bool gain = better == Better::higher ? difference > 0 : difference < 0;
  return gain ? "is better than" : "is worse than";
}

std::string figures(const PairComparison& pair) {
  const ComparisonResult& r = pair.result;
  return fmt::format("difference {} (95 % CI {} to {}), corrected {}, n = {}",
                     plain_number(r.difference.estimate), plain_number(r.difference.lower),
                     plain_number(r.difference.upper), plain_pvalue(r.corrected_p_value), pair.n);
}

std::string inconclusive(const MetricComparison& metric, const PairComparison& pair) {
  if (!metric.margin) return "the data cannot tell them apart, which does not make them equal";
  const Interval& d = pair.result.difference;
  const bool may_matter = d.lower <= -*metric.margin || d.upper >= *metric.margin;
  return may_matter ? fmt::format("a difference of {} or more cannot be excluded",
                                  plain_number(*metric.margin))
                    : "there are too few pairs";
}

}  // namespace

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
  const std::string& name = metric.metric.name;
  if (pair.n == 0)
    return fmt::format("{}: {} and {} have no case in common that has a value.", name, model,
                       baseline);
  if (pair.result.test.zeros == pair.n)
    return fmt::format("{}: {} and {} agree on all {} pairs.", name, model, baseline, pair.n);
  const std::string numbers = figures(pair);
  switch (pair.result.verdict) {
    case Verdict::different:
      return fmt::format("{}: {} {} {}: {}.", name, model,
                         direction(metric, pair.result.difference.estimate), baseline, numbers);
    case Verdict::equivalent:
      return fmt::format(
          "{}: {} is equivalent to {} within ±{}: {}{}.", name, model, baseline,
          plain_number(metric.margin.value_or(0)), numbers,
          pair.result.is_significant ? "; they do differ, but by less than the margin" : "");
    case Verdict::non_inferior:
      return fmt::format("{}: {} is not worse than {} by {} or more: {}.", name, model, baseline,
                         plain_number(metric.margin.value_or(0)), numbers);
    case Verdict::inconclusive: break;
  }
  return fmt::format("{}: {} against {} is inconclusive: {}; {}.", name, model, baseline, numbers,
                     inconclusive(metric, pair));
}

}  // namespace assay
