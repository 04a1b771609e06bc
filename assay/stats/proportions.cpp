// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/proportions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double level) {
  if (trials == 0 || successes > trials || !(level > 0 && level < 1))
    throw Error(Error::Kind::usage,
                "a proportion needs at least one trial, no more successes than trials and a "
                "confidence level between 0 and 1");
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n, z = normal_quantile(1 - (1 - level) / 2);
  const double denominator = 1 + z * z / n, centre = (p + z * z / (2 * n)) / denominator;
  const double reach = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator;
  return {p, std::max(centre - reach, 0.0), std::min(centre + reach, 1.0)};
}

//
// Accuracy and balanced accuracy are both weighted sums of right answers: an item of a class with n
// items counts 1 / (classes * n). The classes of the items are given, only the answers vary.
//
// One score. Wilson's interval (1927) covers well even near 0 and 1, but it is made for one
// proportion of independent items. So the variance of the score is estimated from the data (the
// squares of residuals from each class's share, with n - 1 for n; residuals of one cluster added
// before squaring), and Wilson's formula is used with the number of independent items that would
// have that variance, 1 + p (1 - p) / variance. For accuracy without clusters that is the number of
// items itself. With clusters Student's quantile with clusters - 1 degrees of freedom takes the
// place of the normal one, and the effective number is at most that of independent items: this is
// the interval of Korn and Graubard (1998) in Wilson's form, recommended by Dean and Pagano (2015)
// for few clusters. Where the data show no variance at all (all right, all wrong), clusters are
// taken to answer as one item.
//
// Two models. The test flips the difference of each item, or of each cluster; see sign_flip.cpp.
// The interval is that of Bonett and Price (2012) for paired proportions: one item more that only
// the first got right, and one more that only the second did, then the usual variance. Weights and
// clusters enter as above. At 0 the test decides: the interval ends there where the two disagree.

namespace {

using Members = std::vector<std::vector<std::size_t>>;

/// The items, and the weight of each.
class Design {
 public:
  Design(const CodedItems& items, Clusters clusters)
      : counts_(items.classes), members_(cluster_members(clusters)) {
    if (items.codes.empty()) throw Error(Error::Kind::input, "there are no items to score");
    if (!clusters.empty() && (clusters.size() != items.codes.size() || members_.size() < 2))
      throw Error(Error::Kind::input, "clusters must be two or more, and one for each item");
    for (const std::uint32_t code : items.codes) {
      classes_.push_back(code / 2);
      ++counts_[code / 2];
    }
  }

  std::size_t items() const { return classes_.size(); }
  std::size_t classes() const { return counts_.size(); }
  std::size_t class_of(std::size_t item) const { return classes_[item]; }
  std::size_t count_of(std::size_t item) const { return counts_[classes_[item]]; }
  const std::vector<std::size_t>& counts() const { return counts_; }
  const Members& clusters() const { return members_; }

  double weight(std::size_t item) const {
    return 1 / static_cast<double>(classes() * count_of(item));
  }

  double score(std::span<const double> values) const {
    std::vector<double> sums(classes());
    for (std::size_t i = 0; i < items(); ++i) sums[classes_[i]] += values[i];
    double out = 0;
    for (std::size_t k = 0; k < classes(); ++k) out += sums[k] / static_cast<double>(counts_[k]);
    return out / static_cast<double>(classes());
  }

  /// The quantile of a two-sided interval.
  double quantile(double level) const {
    return members_.empty()
               ? normal_quantile((1 + level) / 2)
               : student_t_quantile((1 + level) / 2, static_cast<double>(members_.size() - 1));
  }

 private:
  std::vector<std::size_t> classes_{}, counts_;
  Members members_;
};

/// The variance of a score if items were independent, and with the clusters.
struct Variances {
  double items = 0, clusters = 0;
};

/// Weighted distances of items from the mean of their class, enlarged for having estimated it. An
/// item that is alone in its class has none.
std::vector<double> residuals(const Design& design, std::span<const double> values) {
  std::vector<double> means(design.classes()), out(design.items());
  for (std::size_t i = 0; i < design.items(); ++i)
    means[design.class_of(i)] += values[i] / static_cast<double>(design.count_of(i));
  for (std::size_t i = 0; i < design.items(); ++i) {
    const auto n = static_cast<double>(design.count_of(i));
    if (n > 1)
      out[i] = (values[i] - means[design.class_of(i)]) * design.weight(i) * std::sqrt(n / (n - 1));
  }
  return out;
}

/// `alone` is the variance of an item that is alone in its class.
template <class Alone>
Variances variances(const Design& design, std::span<const double> values, const Alone& alone) {
  const std::vector<double> found = residuals(design, values);
  Variances out;
  for (const double residual : found) out.items += squared(residual);
  for (const auto& cluster : design.clusters()) {
    double sum = 0;
    for (const std::size_t i : cluster) sum += found[i];
    out.clusters += squared(sum);
  }
  if (!design.clusters().empty()) {
    const auto n = static_cast<double>(design.items());
    const auto count = static_cast<double>(design.clusters().size());
    out.clusters *= count / (count - 1) * (n - 1) / n;
  }
  for (std::size_t i = 0; i < design.items(); ++i)
    if (design.count_of(i) == 1) {
      const double more = alone(values[i]) * squared(design.weight(i));
      out.items += more;
      out.clusters += more;
    }
  return out;
}

/// The effective number of items, given their weights; the second takes a cluster as one item.
double independent_items(const Design& design) {
  double squares = 0;
  for (std::size_t i = 0; i < design.items(); ++i) squares += squared(design.weight(i));
  return 1 / squares;
}

double independent_clusters(const Design& design) {
  double squares = 0;
  for (const auto& cluster : design.clusters()) {
    double weight = 0;
    for (const std::size_t i : cluster) weight += design.weight(i);
    squares += squared(weight);
  }
  return 1 / squares;
}

/// Variances below this are rounding errors of sums of residuals.
constexpr double no_variance = 1e-14;

double effective(double score, double variance, double without_variance) {
  return variance > no_variance ? 1 + score * (1 - score) / variance : without_variance;
}

Interval wilson(double share, double items, double z) {
  const double denominator = 1 + z * z / items;
  const double centre = (share + z * z / (2 * items)) / denominator;
  const double reach =
      z * std::sqrt(share * (1 - share) / items + squared(z / (2 * items))) / denominator;
  return {share, std::max(centre - reach, 0.0), std::min(centre + reach, 1.0)};
}

std::vector<double> right_answers(const CodedItems& items) {
  std::vector<double> out;
  for (const std::uint32_t code : items.codes) out.push_back(static_cast<double>(code % 2));
  return out;
}

/// What an answer of each class counts as a whole number, and how far sums of these may be off.
struct WholeWeights {
  std::vector<std::int64_t> by_class{};
  std::int64_t slack = 0;
};

/// The least number that all counts divide; nothing when it is large.
std::optional<std::int64_t> common_multiple(const std::vector<std::size_t>& counts,
                                            std::int64_t most) {
  std::int64_t out = 1;
  for (const std::size_t count : counts) {
    const auto n = static_cast<std::int64_t>(count);
    const std::int64_t factor = n / std::gcd(out, n);
    if (factor > most / out) return std::nullopt;
    out *= factor;
  }
  return out;
}

/// In proportion to the weights: exactly where that is possible, otherwise rounded.
WholeWeights whole_weights(const Design& design) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const auto multiple = common_multiple(design.counts(), most);
  WholeWeights out;
  for (const std::size_t count : design.counts()) {
    const auto n = static_cast<std::int64_t>(count);
    out.by_class.push_back((multiple.value_or(most) + n / 2) / n);
  }
  if (!multiple) out.slack = static_cast<std::int64_t>(design.items());
  return out;
}

/// What each item, or each cluster, adds in favour of the second model.
std::vector<std::int64_t> units_of(const Design& design, const std::vector<double>& differences,
                                   const WholeWeights& weights) {
  const auto unit = [&](std::size_t i) {
    return static_cast<std::int64_t>(differences[i]) * weights.by_class[design.class_of(i)];
  };
  std::vector<std::int64_t> out;
  for (const auto& cluster : design.clusters()) {
    std::int64_t sum = 0;
    for (const std::size_t i : cluster) sum += unit(i);
    // A sum that is 0 except for rounding favours neither side.
    out.push_back(std::abs(sum) <= weights.slack ? 0 : sum);
  }
  if (design.clusters().empty())
    for (std::size_t i = 0; i < design.items(); ++i) out.push_back(unit(i));
  return out;
}

/// Bonett and Price's interval.
Interval paired_interval(const Design& design, double difference, double variance, double level) {
  const double items = independent_items(design), shrink = items / (items + 2);
  const double centre = difference * shrink;
  const double reach =
      design.quantile(level) * std::sqrt(variance * squared(shrink) + 2 / squared(items + 2));
  return {difference, std::max(centre - reach, -1.0), std::min(centre + reach, 1.0)};
}

/// The interval, changed where needed to agree with the test on whether the difference may be 0.
Interval agreeing(Interval interval, bool rejected) {
  const bool excludes = interval.lower > 0 || interval.upper < 0;
  if (rejected == excludes) return interval;
  // The end towards 0 is moved to it, which shortens the interval or extends it to contain 0.
  double& end = (interval.estimate > 0) ? interval.lower : interval.upper;
  end = 0;
  return interval;
}

}  // namespace

ScoreInterval score_interval(const CodedItems& items, Clusters clusters, double level) {
  const Design design(items, clusters);
  const std::vector<double> right = right_answers(items);
  const double score = design.score(right);
  const auto alone = [&](double) { return score * (1 - score); };
  const Variances found = variances(design, right, alone);
  ScoreInterval out;
  out.effective_items = effective(score, found.items, independent_items(design));
  if (!clusters.empty()) {
    const double clustered = effective(score, found.clusters, independent_clusters(design));
    out.design_effect = std::max(1.0, out.effective_items / clustered);
    out.effective_items = std::min(out.effective_items, clustered);
    out.clusters = design.clusters().size();
  }
  out.interval = wilson(score, out.effective_items, design.quantile(level));
  return out;
}

ScoreDifference score_difference(const CodedItems& first, const CodedItems& second,
                                 Clusters clusters, const ScoreDifferenceOptions& options) {
  const auto same_class = [](std::uint32_t a, std::uint32_t b) { return a / 2 == b / 2; };
  if (first.classes != second.classes || !std::ranges::equal(first.codes, second.codes, same_class))
    throw Error(Error::Kind::input, "the two models must have the same items");
  const Design design(first, clusters);
  std::vector<double> differences = right_answers(second);
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] -= static_cast<double>(first.codes[i] % 2);
  const Variances found = variances(design, differences, squared);
  const double variance = std::max(found.items, found.clusters);
  const WholeWeights weights = whole_weights(design);
  ScoreDifference out;
  out.standard_error = std::sqrt(variance);
  out.test =
      sign_flip(units_of(design, differences, weights),
                {.slack = weights.slack, .seed = options.seed, .executor = options.executor});
  const double difference = design.score(differences);
  out.interval = agreeing(paired_interval(design, difference, variance, options.level),
                          out.test.pvalue <= 1 - options.level + 1e-12);
  return out;
}

}  // namespace assay::stats
