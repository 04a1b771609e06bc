// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/mean_interval.hpp"

#include <algorithm>
#include <cmath>

#include "assay/bootstrap.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"

namespace assay::metrics {
namespace {

using Interval = std::pair<double, double>;

Interval t_interval(std::size_t n, const Summary& of) {
  const auto size = static_cast<double>(n);
  const double margin = stats::student_t_quantile(0.975, size - 1) * *of.std / std::sqrt(size);
  return {*of.mean - margin, *of.mean + margin};
}

Interval bca_interval(const std::vector<double>& values) {
  // Equal values leave nothing to resample.
  if (std::ranges::all_of(values, [&](double x) { return x == values.front(); }))
    return {values.front(), values.front()};
  const auto found = stats::joint_bootstrap_means(
      std::span(&values, 1), {.replicates = bca_replicates, .method = stats::BootstrapMethod::bca});
  return {found.models.front().ci_lower, found.models.front().ci_upper};
}

/// There is none for fewer than `least_pairs` clusters.
std::optional<Interval> cluster_interval(std::span<const Score> scores,
                                         std::span<const std::size_t> clusters) {
  std::vector<std::size_t> of_defined;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (value(scores[i])) of_defined.push_back(clusters[i]);
  if (stats::cluster_members(of_defined).size() < stats::least_pairs) return {};
  const auto found = stats::clustered_mean(defined(scores), of_defined).interval;
  return Interval{found.lower, found.upper};
}

std::optional<Interval> interval_of(std::span<const Score> scores, const SummaryRules& rules,
                                    const Summary& of) {
  if (!rules.clusters.empty()) return cluster_interval(scores, rules.clusters);
  if (rules.interval == MeanInterval::bca) return bca_interval(defined(scores));
  return t_interval(of.n, of);
}

CutInterval cut(const Interval& whole, const Range& range) {
  return {.ends = {whole.first < range.low ? range.low : whole.first,
                   whole.second > range.high ? range.high : whole.second},
          .clipped = whole.first < range.low || whole.second > range.high};
}

}  // namespace

std::vector<double> defined(std::span<const Score> scores) {
  std::vector<double> values;
  for (const Score& s : scores)
    if (const auto x = value(s)) values.push_back(*x);
  return values;
}

std::optional<CutInterval> mean_interval(std::span<const Score> scores, const SummaryRules& rules,
                                         const Summary& of) {
  const auto whole = interval_of(scores, rules, of);
  if (!whole) return std::nullopt;
  return cut(*whole, rules.range);
}

}  // namespace assay::metrics
