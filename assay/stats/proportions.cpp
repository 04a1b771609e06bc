// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/proportions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

namespace {

struct Sample {
  double successes, trials, tail;

  double share() const { return successes / trials; }
  double z() const { return normal_quantile(1 - tail); }
};

Interval around(const Sample& sample, double centre, double reach) {
  return {sample.share(), std::max(centre - reach, 0.0), std::min(centre + reach, 1.0)};
}

Interval wilson(const Sample& sample) {
  const double p = sample.share(), n = sample.trials, z = sample.z();
  const double denominator = 1 + z * z / n;
  const double reach = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator;
  return around(sample, (p + z * z / (2 * n)) / denominator, reach);
}

Interval clopper_pearson(const Sample& sample) {
  const double successes = sample.successes, failures = sample.trials - successes;
  const double lower = successes == 0 ? 0 : beta_quantile(sample.tail, successes, failures + 1);
  const double upper = failures == 0 ? 1 : beta_quantile(1 - sample.tail, successes + 1, failures);
  return {sample.share(), lower, upper};
}

Interval jeffreys(const Sample& sample) {
  const double a = sample.successes + 0.5, b = sample.trials - sample.successes + 0.5;
  return {sample.share(), beta_quantile(sample.tail, a, b), beta_quantile(1 - sample.tail, a, b)};
}

Interval agresti_coull(const Sample& sample) {
  const double z = sample.z(), n = sample.trials + z * z;
  const double p = (sample.successes + z * z / 2) / n;
  return around(sample, p, z * std::sqrt(p * (1 - p) / n));
}

Interval normal(const Sample& sample) {
  const double p = sample.share();
  return around(sample, p, sample.z() * std::sqrt(p * (1 - p) / sample.trials));
}

struct ProportionRow {
  ProportionMethod method;
  Interval (*interval)(const Sample&);
};

constexpr std::array proportion_rows = {
    ProportionRow{ProportionMethod::wilson, wilson},
    ProportionRow{ProportionMethod::clopper_pearson, clopper_pearson},
    ProportionRow{ProportionMethod::jeffreys, jeffreys},
    ProportionRow{ProportionMethod::agresti_coull, agresti_coull},
    ProportionRow{ProportionMethod::normal, normal},
};

constexpr std::array proportion_names = {
    Named<ProportionMethod>{"wilson", ProportionMethod::wilson},
    Named<ProportionMethod>{"clopper_pearson", ProportionMethod::clopper_pearson},
    Named<ProportionMethod>{"beta", ProportionMethod::clopper_pearson},
    Named<ProportionMethod>{"jeffreys", ProportionMethod::jeffreys},
    Named<ProportionMethod>{"agresti_coull", ProportionMethod::agresti_coull},
    Named<ProportionMethod>{"normal", ProportionMethod::normal},
};

}  // namespace

std::span<const Named<ProportionMethod>> proportion_methods() {
  return proportion_names;
}

Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double level,
                             ProportionMethod method) {
  if (trials == 0 || successes > trials || !(level > 0 && level < 1))
    throw Error(Error::Kind::usage,
                "a proportion needs at least one trial, no more successes than trials and a "
                "confidence level between 0 and 1");
  const auto row = std::ranges::find(proportion_rows, method, &ProportionRow::method);
  return row->interval(
      {static_cast<double>(successes), static_cast<double>(trials), (1 - level) / 2});
}

}  // namespace assay::stats
