// SPDX-License-Identifier: Apache-2.0
/// Means of values that come in clusters: lesions of a subject, questions about a slide.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/statistics.hpp"

namespace assay::stats {

/// The members of each cluster by index, clusters in order of first appearance.
std::vector<std::vector<std::size_t>> cluster_members(std::span<const std::size_t> clusters);

/// The mean of the values of each cluster, clusters in the same order.
std::vector<double> cluster_means(std::span<const double> values,
                                  std::span<const std::size_t> clusters);

struct ClusteredMean {
  Interval interval;  ///< mean and t limits with clusters - 1 degrees of freedom
  double standard_error = 0;
  double design_effect = 1;  ///< variance relative to independent values
  double skewness = 0;       ///< of the clusters' contributions to the mean
  std::size_t clusters = 0;
};

/// The mean with a cluster-robust standard error, sqrt(C / (C - 1) * sum over clusters of (sum of
/// residuals)^2) / n. `clusters` names the cluster of each value; fewer than two are an Error.
ClusteredMean clustered_mean(std::span<const double> values, std::span<const std::size_t> clusters,
                             double level = 0.95);

}  // namespace assay::stats
