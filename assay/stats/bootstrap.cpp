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
#include "assay/stats/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/core/error.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/resampler.hpp"

namespace assay {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array method_names = {
    Named<BootstrapMethod>{"percentile", BootstrapMethod::percentile},
    Named<BootstrapMethod>{"bca", BootstrapMethod::bca},
    Named<BootstrapMethod>{"BCa", BootstrapMethod::bca},
    Named<BootstrapMethod>{"basic", BootstrapMethod::basic},
};

/// What an interval is made from.
struct Evidence {
  double point;
  std::vector<double> ascending;  ///< replicates
  std::function<std::vector<double>()> jackknife;
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
  const double skew = acceleration(evidence.jackknife());
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
                        const std::function<std::vector<double>()>& jackknife,
                        const BootstrapOptions& options) {
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

std::vector<double> jackknife_of(const Resampler& resampler, const IndexStatistic& statistic) {
  std::vector<double> values(resampler.units());
  for (std::size_t unit = 0; unit < values.size(); ++unit)
    values[unit] = statistic(resampler.without(unit));
  return values;
}

/// Scores samples of coded items by counting.
class CodeCounter {
 public:
  explicit CodeCounter(CodedItems items)
      : items_(std::move(items)), counts_(2 * items_.classes), more_(2 * items_.classes) {}

  double operator()(std::span<const std::uint32_t> indices) {
    std::fill(counts_.begin(), counts_.end(), 0U);
    std::fill(more_.begin(), more_.end(), 0U);
    // Two tables, so that two items of one class in a row do not wait for each other.
    const std::size_t even = indices.size() & ~std::size_t{1};
    for (std::size_t i = 0; i < even; i += 2) {
      ++counts_[items_.codes[indices[i]]];
      ++more_[items_.codes[indices[i + 1]]];
    }
    if (even < indices.size()) ++counts_[items_.codes[indices[even]]];
    for (std::size_t code = 0; code < counts_.size(); ++code) counts_[code] += more_[code];
    return balanced_accuracy_of_counts(counts_);
  }

 private:
  CodedItems items_;
  std::vector<std::uint32_t> counts_, more_;
};

/// Adds the places that models take in one replicate; tied models share theirs.
void add_places(std::vector<std::vector<double>>& places, std::span<const double> scores) {
  for (std::size_t a = 0; a < scores.size(); ++a) {
    std::size_t better = 0, equal = 0;
    for (const double other : scores) {
      better += other > scores[a];
      equal += other == scores[a];
    }
    for (std::size_t place = better; place < better + equal; ++place)
      places[a][place] += 1 / static_cast<double>(equal);
  }
}

}  // namespace

std::span<const Named<BootstrapMethod>> bootstrap_methods() {
  return method_names;
}

BootstrapResult bootstrap_indices(std::size_t size, const IndexStatistic& statistic,
                                  const BootstrapOptions& options) {
  const IndexStatistic one[] = {statistic};
  return joint_bootstrap(size, one, options).models.front();
}

BootstrapResult bootstrap(std::span<const double> values, const Statistic& statistic,
                          const BootstrapOptions& options) {
  std::vector<double> chosen;
  const IndexStatistic of_chosen = [&](std::span<const std::uint32_t> indices) {
    chosen.resize(indices.size());
    std::transform(indices.begin(), indices.end(), chosen.begin(),
                   [&](std::uint32_t i) { return values[i]; });
    return statistic(chosen);
  };
  return bootstrap_indices(values.size(), of_chosen, options);
}

BootstrapResult bootstrap_metric(Labels predictions, Labels truths, ClassificationMetric metric,
                                 const BootstrapOptions& options) {
  require(options);
  const bool balanced = metric == ClassificationMetric::balanced_accuracy;
  CodeCounter counter(balanced ? coded_items(predictions, truths)
                               : coded_as_one_class(predictions, truths));
  Resampler resampler(truths.size(), options.clusters, options.seed);
  std::vector<double> replicates(options.replicates);
  for (double& replicate : replicates) replicate = counter(resampler.draw());
  const auto jackknife = [&] { return jackknife_of(resampler, std::ref(counter)); };
  return summary(counter(resampler.all()), std::move(replicates), jackknife, options);
}

JointBootstrap joint_bootstrap(std::size_t size, std::span<const IndexStatistic> models,
                               const BootstrapOptions& options) {
  require(options);
  Resampler resampler(size, options.clusters, options.seed);
  std::vector<std::vector<double>> replicates(models.size(),
                                              std::vector<double>(options.replicates));
  JointBootstrap result;
  result.ranks.assign(models.size(), std::vector<double>(models.size()));
  std::vector<double> scores(models.size());
  for (std::size_t b = 0; b < options.replicates; ++b) {
    const auto indices = resampler.draw();
    for (std::size_t m = 0; m < models.size(); ++m)
      replicates[m][b] = scores[m] = models[m](indices);
    add_places(result.ranks, scores);
  }
  const auto all = resampler.all();
  for (std::size_t m = 0; m < models.size(); ++m) {
    const auto jackknife = [&] { return jackknife_of(resampler, models[m]); };
    result.models.push_back(summary(models[m](all), replicates[m], jackknife, options));
    const IndexStatistic from_first = [&](std::span<const std::uint32_t> indices) {
      return models[m](indices) - models[0](indices);
    };
    const auto difference_jackknife = [&] { return jackknife_of(resampler, from_first); };
    result.differences.push_back(summary(from_first(all), differences(replicates[m], replicates[0]),
                                         difference_jackknife, options));
    for (double& share : result.ranks[m]) share /= static_cast<double>(options.replicates);
    result.probability_best.push_back(result.ranks[m].front());
  }
  return result;
}

JointBootstrap joint_bootstrap_means(std::span<const std::vector<double>> scores,
                                     const BootstrapOptions& options) {
  std::vector<IndexStatistic> models;
  for (const std::vector<double>& row : scores) {
    if (row.size() != scores.front().size())
      throw Error(Error::Kind::input, "the models were not scored on the same cases");
    models.emplace_back([&row](std::span<const std::uint32_t> indices) {
      double sum = 0;
      for (const std::uint32_t i : indices) sum += row[i];
      return sum / static_cast<double>(indices.size());
    });
  }
  return joint_bootstrap(scores.empty() ? 0 : scores.front().size(), models, options);
}

}  // namespace assay
