// SPDX-License-Identifier: Apache-2.0
/// Resampling: bootstrap intervals and sign-flip tests, of any statistic and of classifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "assay/named.hpp"
#include "assay/statistics.hpp"

namespace assay::stats {

// ---- Agreement of predicted with true classes.

using Labels = std::span<const std::int64_t>;

enum class ClassificationMetric { accuracy, balanced_accuracy };

std::span<const Named<ClassificationMetric>> classification_metrics();

/// The share of items whose prediction equals the truth. Throws Error on no items or on different
/// lengths.
double accuracy(Labels predictions, Labels truths);

/// The mean, over the true classes, of the share of each class's items that are predicted
/// correctly. A class that occurs only among the predictions does not count.
double balanced_accuracy(Labels predictions, Labels truths);

double classification_score(ClassificationMetric metric, Labels predictions, Labels truths);

/// Each item as one small number, 2 * class + (1 if right), so that any sample of the items is
/// scored by counting codes. Classes are numbered in ascending order of their labels.
struct CodedItems {
  std::vector<std::uint32_t> codes;
  std::size_t classes = 0;
};

CodedItems coded_items(Labels predictions, Labels truths);

/// The same items as one class, which turns balanced accuracy into accuracy.
CodedItems coded_as_one_class(Labels predictions, Labels truths);

/// Coded so that `balanced_accuracy_of_counts` gives this metric.
CodedItems coded_for(ClassificationMetric metric, Labels predictions, Labels truths);

/// Balanced accuracy from how often each code occurs; absent classes do not count.
double balanced_accuracy_of_counts(std::span<const std::uint32_t> counts);

// ---- Bootstrap intervals from NumPy's random stream: of any statistic, of a classifier, of many
// models.

/// `basic` reflects the percentiles about the estimate; its coverage is poor for a median.
enum class BootstrapMethod { percentile, bca, basic };

std::span<const Named<BootstrapMethod>> bootstrap_methods();

struct BootstrapOptions {
  std::size_t replicates = 1000;
  std::vector<std::uint32_t> seed = {42};  ///< words, see seed_words
  BootstrapMethod method = BootstrapMethod::percentile;
  double level = 0.95;
  Alternative alternative = Alternative::two_sided;  ///< one-sided: the other limit is infinite
  std::vector<std::size_t> clusters = {};  ///< cluster of each item; empty: items are independent
  /// With an executor, statistics are called from several threads at once; results are the same.
  Executor executor = {};
};

struct BootstrapResult {
  double point = 0;  ///< the statistic of the data; with rare classes `mean` differs from it
  double mean = 0, std = 0;  ///< of the replicates, ddof 1
  double ci_lower = 0, ci_upper = 0;
  std::size_t n_replicates = 0;
  std::vector<double> replicates;
};

using Statistic = std::function<double(std::span<const double>)>;
/// A statistic of items that are chosen by index; an index may repeat.
using IndexStatistic = std::function<double(std::span<const std::uint32_t>)>;

/// Uses one generator for `replicates` draws, each of as many indices as there are values.
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
  std::vector<BootstrapResult> differences;  ///< each model minus the first, on the same resamples
  std::vector<std::vector<double>> ranks;    ///< by model: P(place 1), P(place 2), ...
  std::vector<double> probability_best;      ///< ties share a place
};

/// Every model on the same resamples; higher is better.
JointBootstrap joint_bootstrap(std::size_t size, std::span<const IndexStatistic> models,
                               const BootstrapOptions& options = {});

/// A joint bootstrap of mean scores: one row per model, one column per case.
JointBootstrap joint_bootstrap_means(std::span<const std::vector<double>> scores,
                                     const BootstrapOptions& options = {});

/// Only the `ranks` of `joint_bootstrap_means`, in a fraction of the time.
std::vector<std::vector<double>> bootstrap_ranks_of_means(
    std::span<const std::vector<double>> scores, const BootstrapOptions& options = {});

// ---- The sign-flip test: do differences of two models lean to one side?

struct SignFlipOptions {
  /// Sums up to this much below the observed one count as equal to it, since units may be rounded.
  std::int64_t slack = 0;
  std::size_t most_sums = std::size_t{1} << 18;  ///< exact up to this many different sums
  std::size_t draws = 99'999;                    ///< beyond that, random flips
  std::uint64_t seed = 42;
  Executor executor = {};
};

struct SignFlipTest {
  std::int64_t statistic = 0;  ///< the sum of the units
  std::size_t units = 0;       ///< units that are not 0; only these can tell the models apart
  double pvalue = 1;           ///< two-sided
  double mid_pvalue = 1;       ///< with half the probability of the observed sum
  double least_pvalue = 1;     ///< the smallest p-value possible with so many units: 2^(1 - units)
  bool exact = true;           ///< over all flips; otherwise over `draws` random ones
  std::size_t draws = 0;
};

/// Under the hypothesis that the two models could be exchanged within each unit, every unit has
/// either sign with probability 1/2: the p-value is the probability of a sum at least as far from
/// 0. Throws Error when the sum of magnitudes is 2^62 or more.
SignFlipTest sign_flip(std::span<const std::int64_t> units, const SignFlipOptions& options = {});

// ---- Intervals and paired tests of accuracy and balanced accuracy, for items that may share
// clusters.

/// The cluster of each item; empty when items are independent.
using Clusters = std::span<const std::size_t>;

struct ScoreInterval {
  Interval interval{};         ///< Wilson's, of `effective_items` items
  double effective_items = 0;  ///< how many independent items would tell as much
  double design_effect = 1;    ///< factor by which clusters increase the variance; at least 1
  std::size_t clusters = 0;    ///< 0: items are independent
};

/// The interval of accuracy (items coded as one class) or of balanced accuracy. Without clusters,
/// accuracy has Wilson's interval. Throws Error if there are clusters but fewer than two.
ScoreInterval score_interval(const CodedItems& items, Clusters clusters, double level = 0.95);

struct ScoreDifferenceOptions {
  double level = 0.95;
  std::uint64_t seed = 42;  ///< for random flips, where there are too many for an exact test
  Executor executor = {};
};

struct ScoreDifference {
  /// The interval of second - first. It is made to agree with the test. If 0 would be inside
  /// although the p-value is at most 1 - level, or outside although the p-value is larger, the
  /// interval ends at 0.
  Interval interval{};
  double standard_error = 0;
  SignFlipTest test{};  ///< flips items, or clusters where there are any
};

/// Two models on the same items. Throws Error unless both are coded with the same classes.
ScoreDifference score_difference(const CodedItems& first, const CodedItems& second,
                                 Clusters clusters, const ScoreDifferenceOptions& options = {});

}  // namespace assay::stats
