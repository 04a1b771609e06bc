// SPDX-License-Identifier: Apache-2.0
/// Bootstrap intervals from NumPy's random stream: of any statistic, of a classifier, of many
/// models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/base/executor.hpp"
#include "assay/base/named.hpp"
#include "assay/stats/classification.hpp"
#include "assay/stats/effects.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace assay::stats {

/// `basic` reflects the percentiles about the estimate; for a median it covers badly.
enum class BootstrapMethod { percentile, bca, basic };

std::span<const Named<BootstrapMethod>> bootstrap_methods();

struct BootstrapOptions {
  std::size_t replicates = 1000;
  std::vector<std::uint32_t> seed = {42};  ///< words, see seed_words
  BootstrapMethod method = BootstrapMethod::percentile;
  double level = 0.95;
  Alternative alternative = Alternative::two_sided;  ///< one-sided: the other limit is infinite
  std::vector<std::size_t> clusters = {};  ///< cluster of each item; empty: items are independent
  /// Given one, statistics are called from several threads at once; results are the same.
  Executor executor = {};
};

struct BootstrapResult {
  double point = 0;  ///< the statistic of the data; with rare classes the mean lies elsewhere
  double mean = 0, std = 0;  ///< of the replicates, ddof 1
  double ci_lower = 0, ci_upper = 0;
  std::size_t n_replicates = 0;
  std::vector<double> replicates;
};

using Statistic = std::function<double(std::span<const double>)>;
/// A statistic of chosen items, named by index with repetitions.
using IndexStatistic = std::function<double(std::span<const std::uint32_t>)>;

/// One generator, `replicates` draws of as many indices as there are values.
BootstrapResult bootstrap(std::span<const double> values, const Statistic& statistic,
                          const BootstrapOptions& options = {});

/// The same for anything that can be indexed, such as pairs.
BootstrapResult bootstrap_indices(std::size_t size, const IndexStatistic& statistic,
                                  const BootstrapOptions& options = {});

/// A bootstrap of accuracy or balanced accuracy; replicates are scored by counting.
BootstrapResult bootstrap_metric(Labels predictions, Labels truths, ClassificationMetric metric,
                                 const BootstrapOptions& options = {});

struct JointBootstrap {
  std::vector<BootstrapResult> models;
  std::vector<BootstrapResult> differences;  ///< of each model from the first, same resamples
  std::vector<std::vector<double>> ranks;    ///< by model: P(place 1), P(place 2), ...
  std::vector<double> probability_best;      ///< ties share a place
};

/// Every model on the same resamples; higher is better.
JointBootstrap joint_bootstrap(std::size_t size, std::span<const IndexStatistic> models,
                               const BootstrapOptions& options = {});

/// A joint bootstrap of mean scores: one row per model, one column per case.
JointBootstrap joint_bootstrap_means(std::span<const std::vector<double>> scores,
                                     const BootstrapOptions& options = {});

/// Only the `ranks` of the same, for a fraction of the time.
std::vector<std::vector<double>> bootstrap_ranks_of_means(
    std::span<const std::vector<double>> scores, const BootstrapOptions& options = {});

}  // namespace assay::stats
