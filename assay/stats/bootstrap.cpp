// SPDX-License-Identifier: Apache-2.0
//
// The recipe is the one papers use in Python: one default_rng(seed), B draws of n indices, mean,
// standard deviation (ddof 1) and percentiles of the B statistics. The stream is NumPy's, so the
// numbers are too. BCa (Efron 1987) shifts the percentiles for median bias (z0) and for a spread
// that changes with the parameter (a, from the jackknife); order of operations as in
// scipy.stats.bootstrap.
//
// A classifier's replicate needs no copy of labels: each item is one code (class, right or wrong),
// and counting the codes of the drawn items is all that balanced accuracy asks for.
#include "assay/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/resampler.hpp"

namespace assay::stats {

namespace {

constexpr std::array bootstrap_names = {
    Named<BootstrapMethod>{"percentile", BootstrapMethod::percentile},
    Named<BootstrapMethod>{"bca", BootstrapMethod::bca},
    Named<BootstrapMethod>{"BCa", BootstrapMethod::bca},
    Named<BootstrapMethod>{"basic", BootstrapMethod::basic},
};

/// What an interval is made from.
struct Evidence {
  double point;
  std::vector<double> ascending;      ///< replicates
  std::span<const double> jackknife;  ///< for BCa only
};

struct Limits {
  double lower, upper;
};

double quantile(const Evidence& evidence, double probability) {
  if (std::isnan(probability)) return probability;
  return percentile_of_sorted(evidence.ascending, probability * 100);
}

Limits percentile_limits(const Evidence& evidence, double tail) {
  return {quantile(evidence, tail), quantile(evidence, 1 - tail)};
}

Limits basic_limits(const Evidence& evidence, double tail) {
  const auto [lower, upper] = percentile_limits(evidence, tail);
  return {2 * evidence.point - upper, 2 * evidence.point - lower};
}

/// How skewed the statistic is: the third moment of its jackknife influences.
double acceleration(std::span<const double> jackknife) {
  const auto n = static_cast<double>(jackknife.size());
  const double centre = mean(jackknife);
  std::vector<double> squares, cubes;
  for (const double value : jackknife) {
    const double influence = (n - 1) * (centre - value);
    squares.push_back(influence * influence);
    cubes.push_back(influence * influence * influence);
  }
  const double spread = pairwise_sum(squares) / (n * n);
  return 1.0 / 6 * (pairwise_sum(cubes) / (n * n * n)) / std::pow(spread, 1.5);
}

Limits bca_limits(const Evidence& evidence, double tail) {
  const auto& sorted = evidence.ascending;
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), evidence.point);
  const auto below = static_cast<double>(first - sorted.begin());
  const auto at_most = static_cast<double>(last - sorted.begin());
  const double bias = normal_quantile((below + at_most) / (2 * static_cast<double>(sorted.size())));
  const double skew = acceleration(evidence.jackknife);
  const auto corrected = [&](double z) {
    return normal_cdf(bias + (bias + z) / (1 - skew * (bias + z)));
  };
  const double z = normal_quantile(tail);
  return {quantile(evidence, corrected(z)), quantile(evidence, corrected(-z))};
}

struct Method {
  BootstrapMethod method;
  Limits (*limits)(const Evidence&, double tail);
};

constexpr std::array methods = {
    Method{BootstrapMethod::percentile, percentile_limits},
    Method{BootstrapMethod::bca, bca_limits},
    Method{BootstrapMethod::basic, basic_limits},
};

Limits limits_of(const Evidence& evidence, const BootstrapOptions& options) {
  if (evidence.ascending.empty() || std::isnan(evidence.ascending.back()))
    return {std::nan(""), std::nan("")};
  const bool both = options.alternative == Alternative::two_sided;
  const double tail = both ? (1 - options.level) / 2 : 1 - options.level;
  const auto method = std::ranges::find(methods, options.method, &Method::method);
  Limits limits = method->limits(evidence, tail);
  if (options.alternative == Alternative::less) limits.lower = -infinity;
  if (options.alternative == Alternative::greater) limits.upper = infinity;
  return limits;
}

/// NumPy's order: NaN last, so that it cannot hide in the middle.
std::vector<double> ascending(std::vector<double> values) {
  const auto numbers =
      std::partition(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
  std::sort(values.begin(), numbers);
  return values;
}

BootstrapResult summary(double point, std::vector<double> replicates,
                        std::span<const double> jackknife, const BootstrapOptions& options) {
  BootstrapResult result;
  result.point = point;
  result.mean = mean(replicates);
  result.std = standard_deviation(replicates, 1);
  result.n_replicates = replicates.size();
  const auto [lower, upper] = limits_of({point, ascending(replicates), jackknife}, options);
  result.ci_lower = lower;
  result.ci_upper = upper;
  result.replicates = std::move(replicates);
  return result;
}

void require(const BootstrapOptions& options) {
  if (options.replicates == 0 || !(options.level > 0 && options.level < 1))
    throw Error(Error::Kind::usage,
                "a bootstrap needs at least one replicate and a level between 0 and 1");
}

/// Scores of all models on chosen items; called from several threads at once.
using JointStatistic =
    std::function<void(std::span<const std::uint32_t> indices, std::span<double> scores)>;
using ByModel = std::vector<std::vector<double>>;

/// Each model's replicates.
ByModel replicates_of(const Resampler& resampler, const JointStatistic& statistic,
                      std::size_t models, const BootstrapOptions& options) {
  ByModel replicates(models, std::vector<double>(options.replicates));
  const BlockTask block = [&](std::size_t first, std::size_t last, ReplicateDraws& draws) {
    std::vector<std::uint32_t> items;
    std::vector<double> scores(models);
    for (std::size_t b = first; b < last; ++b) {
      statistic(resampler.items_of(draws.next(), items), scores);
      for (std::size_t m = 0; m < models; ++m) replicates[m][b] = scores[m];
    }
  };
  draw_in_blocks(resampler.draws(), options.replicates, options.executor, block);
  return replicates;
}

/// Each model's scores with one unit left out at a time; empty where the method does not need them.
ByModel jackknives_of(const Resampler& resampler, const JointStatistic& statistic,
                      std::size_t models, const BootstrapOptions& options) {
  if (options.method != BootstrapMethod::bca) return ByModel(models);
  ByModel values(models, std::vector<double>(resampler.units()));
  run_tasks(options.executor, resampler.units(), [&](std::size_t unit) {
    std::vector<double> scores(models);
    statistic(resampler.without(unit), scores);
    for (std::size_t m = 0; m < models; ++m) values[m][unit] = scores[m];
  });
  return values;
}

/// How often each model takes each place; tied models share theirs.
ByModel shares_of_places(const ByModel& replicates) {
  const std::size_t models = replicates.size();
  ByModel shares(models, std::vector<double>(models));
  const std::size_t count = models == 0 ? 0 : replicates.front().size();
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t a = 0; a < models; ++a) {
      std::size_t better = 0, equal = 0;
      for (const auto& other : replicates) {
        better += other[b] > replicates[a][b];
        equal += other[b] == replicates[a][b];
      }
      for (std::size_t place = better; place < better + equal; ++place)
        shares[a][place] += 1 / static_cast<double>(equal);
    }
  for (auto& row : shares)
    for (double& share : row) share /= static_cast<double>(count);
  return shares;
}

JointBootstrap joint_bootstrap_of(std::size_t size, std::size_t models,
                                  const JointStatistic& statistic,
                                  const BootstrapOptions& options) {
  require(options);
  const Resampler resampler(size, options.clusters, options.seed);
  const ByModel replicates = replicates_of(resampler, statistic, models, options);
  const ByModel jackknives = jackknives_of(resampler, statistic, models, options);
  std::vector<double> points(models);
  statistic(resampler.all(), points);
  JointBootstrap result;
  result.ranks = shares_of_places(replicates);
  for (std::size_t m = 0; m < models; ++m) {
    result.models.push_back(summary(points[m], replicates[m], jackknives[m], options));
    result.differences.push_back(summary(points[m] - points[0],
                                         differences(replicates[m], replicates[0]),
                                         differences(jackknives[m], jackknives[0]), options));
    result.probability_best.push_back(result.ranks[m].front());
  }
  return result;
}

}  // namespace

std::span<const Named<BootstrapMethod>> bootstrap_methods() {
  return bootstrap_names;
}

BootstrapResult bootstrap_indices(std::size_t size, const IndexStatistic& statistic,
                                  const BootstrapOptions& options) {
  const IndexStatistic one[] = {statistic};
  return joint_bootstrap(size, one, options).models.front();
}

BootstrapResult bootstrap(std::span<const double> values, const Statistic& statistic,
                          const BootstrapOptions& options) {
  const IndexStatistic of_chosen = [&](std::span<const std::uint32_t> indices) {
    std::vector<double> chosen(indices.size());
    std::transform(indices.begin(), indices.end(), chosen.begin(),
                   [&](std::uint32_t i) { return values[i]; });
    return statistic(chosen);
  };
  return bootstrap_indices(values.size(), of_chosen, options);
}

BootstrapResult bootstrap_metric(Labels predictions, Labels truths, ClassificationMetric metric,
                                 const BootstrapOptions& options) {
  require(options);
  const CodedItems items = coded_for(metric, predictions, truths);
  const Resampler resampler(truths.size(), options.clusters, options.seed);
  const JointStatistic counted = [&](std::span<const std::uint32_t> indices,
                                     std::span<double> score) {
    CodeTally tally(items.codes, 2 * items.classes);
    tally.sink().add(indices);
    score.front() = balanced_accuracy_of_counts(tally.take());
  };
  std::vector<double> replicates(options.replicates), point(1);
  const BlockTask block = [&](std::size_t first, std::size_t last, ReplicateDraws& draws) {
    CodeTally tally(items.codes, 2 * items.classes);
    std::vector<std::uint32_t> members;
    for (std::size_t b = first; b < last; ++b) {
      if (resampler.clustered())
        tally.sink().add(resampler.items_of(draws.next(), members));
      else
        draws.next(tally.sink());
      replicates[b] = balanced_accuracy_of_counts(tally.take());
    }
  };
  draw_in_blocks(resampler.draws(), options.replicates, options.executor, block);
  counted(resampler.all(), point);
  const ByModel jackknife = jackknives_of(resampler, counted, 1, options);
  return summary(point.front(), std::move(replicates), jackknife.front(), options);
}

JointBootstrap joint_bootstrap(std::size_t size, std::span<const IndexStatistic> models,
                               const BootstrapOptions& options) {
  const JointStatistic each = [&](std::span<const std::uint32_t> indices,
                                  std::span<double> scores) {
    for (std::size_t m = 0; m < scores.size(); ++m) scores[m] = models[m](indices);
  };
  return joint_bootstrap_of(size, models.size(), each, options);
}

JointBootstrap joint_bootstrap_means(std::span<const std::vector<double>> scores,
                                     const BootstrapOptions& options) {
  const CaseMeans means(scores);
  return joint_bootstrap_of(means.cases(), means.models(), std::ref(means), options);
}

std::vector<std::vector<double>> bootstrap_ranks_of_means(
    std::span<const std::vector<double>> scores, const BootstrapOptions& options) {
  require(options);
  const CaseMeans means(scores);
  const Resampler resampler(means.cases(), options.clusters, options.seed);
  return shares_of_places(replicates_of(resampler, std::ref(means), means.models(), options));
}

}  // namespace assay::stats
