// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/clusters.hpp"

#include <cmath>
#include <unordered_map>

#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {

std::vector<std::vector<std::size_t>> cluster_members(std::span<const std::size_t> clusters) {
  std::unordered_map<std::size_t, std::size_t> place;
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const auto [entry, is_new] = place.emplace(clusters[i], members.size());
    if (is_new) members.emplace_back();
    members[entry->second].push_back(i);
  }
  return members;
}

std::vector<double> cluster_means(std::span<const double> values,
                                  std::span<const std::size_t> clusters) {
  std::vector<double> means;
  for (const auto& members : cluster_members(clusters)) {
    std::vector<double> chosen;
    chosen.reserve(members.size());
    for (const std::size_t i : members) chosen.push_back(values[i]);
    means.push_back(mean(chosen));
  }
  return means;
}

ClusteredMean clustered_mean(std::span<const double> values, std::span<const std::size_t> clusters,
                             double level) {
  const auto members = cluster_members(clusters);
  if (values.size() != clusters.size() || members.size() < 2)
    throw Error(Error::Kind::input,
                "a clustered standard error needs one cluster for each value and at least two "
                "clusters");
  const double centre = mean(values);
  double squares = 0;
  std::vector<double> residuals;
  for (const auto& cluster : members) {
    double& residual = residuals.emplace_back(0);
    for (const std::size_t i : cluster) residual += values[i] - centre;
    squares += residual * residual;
  }
  const auto n = static_cast<double>(values.size());
  const auto count = static_cast<double>(members.size());
  ClusteredMean result;
  result.clusters = members.size();
  result.skewness = skewness(residuals);
  result.standard_error = std::sqrt(count / (count - 1) * squares) / n;
  const double independent = variance(values, 1) / n;
  if (independent > 0)
    result.design_effect = result.standard_error * result.standard_error / independent;
  const double reach = student_t_quantile((1 + level) / 2, count - 1) * result.standard_error;
  result.interval = {centre, centre - reach, centre + reach};
  return result;
}

}  // namespace assay::stats
