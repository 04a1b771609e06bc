// SPDX-License-Identifier: Apache-2.0
//
// A split is part of a result: models trained elsewhere with scikit-learn must find the same
// patients in the same folds. So every draw and every tie is settled as scikit-learn settles it,
// down to the order in which NumPy's unstable argsort leaves groups of equal size.
#include "assay/stats/folds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "assay/error.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {
namespace {

using Counts = std::vector<double>;

void require(std::size_t units, const SplitOptions& options, const char* what) {
  if (options.folds < 2)
    throw Error(Error::Kind::usage, "a cross-validation needs at least two folds");
  if (options.folds > units)
    throw Error(Error::Kind::input, "cannot make " + std::to_string(options.folds) + " folds of " +
                                        std::to_string(units) + " " + what +
                                        "; ask for fewer folds");
}

void require_members(std::span<const std::size_t> counts, const SplitOptions& options) {
  if (std::ranges::all_of(counts, [&](std::size_t count) { return count < options.folds; }))
    throw Error(Error::Kind::input, "no class has as many members as there are folds (" +
                                        std::to_string(options.folds) +
                                        "); ask for fewer folds, or stratify by less");
}

/// Codes without gaps, 0, 1, ..., in ascending order or in order of first appearance.
struct Dense {
  std::vector<std::size_t> codes;   ///< by item
  std::vector<std::size_t> counts;  ///< by code
};

Dense dense_sorted(std::span<const std::size_t> values) {
  std::vector<std::size_t> known(values.begin(), values.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  Dense result{{}, std::vector<std::size_t>(known.size())};
  for (const std::size_t value : values) {
    const auto place = std::lower_bound(known.begin(), known.end(), value) - known.begin();
    result.codes.push_back(static_cast<std::size_t>(place));
    ++result.counts[result.codes.back()];
  }
  return result;
}

Dense dense_by_appearance(std::span<const std::size_t> values) {
  constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();
  const Dense sorted = dense_sorted(values);
  std::vector<std::size_t> place(sorted.counts.size(), unseen);
  Dense result;
  for (const std::size_t code : sorted.codes) {
    if (place[code] == unseen) {
      place[code] = result.counts.size();
      result.counts.push_back(0);
    }
    result.codes.push_back(place[code]);
    ++result.counts[place[code]];
  }
  return result;
}

/// NumPy's quicksort of indices (median of three, insertion sort up to 16): not stable, and the
/// order in which it leaves equal keys is visible in the folds.
class Argsort {
 public:
  explicit Argsort(std::span<const std::size_t> keys) : keys_(keys), order_(keys.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (!order_.empty()) sort(0, order_.size() - 1);
  }

  std::vector<std::size_t> order() && { return std::move(order_); }

 private:
  std::size_t key(std::size_t place) const { return keys_[order_[place]]; }
  void order_pair(std::size_t a, std::size_t b) {
    if (key(b) < key(a)) std::swap(order_[a], order_[b]);
  }

  void sort(std::size_t left, std::size_t right) {
    while (right - left > 15) {
      const std::size_t middle = left + (right - left) / 2;
      order_pair(left, middle);
      order_pair(middle, right);
      order_pair(left, middle);
      const std::size_t split = divide(left, right, key(middle), middle);
      sort(left, split - 1);
      left = split + 1;
    }
    insertion_sort(left, right);
  }

  std::size_t divide(std::size_t left, std::size_t right, std::size_t pivot, std::size_t middle) {
    std::size_t i = left, j = right - 1;
    std::swap(order_[middle], order_[j]);
    for (;;) {
      while (key(++i) < pivot) {
      }
      while (pivot < key(--j)) {
      }
      if (i >= j) break;
      std::swap(order_[i], order_[j]);
    }
    std::swap(order_[i], order_[right - 1]);
    return i;
  }

  void insertion_sort(std::size_t left, std::size_t right) {
    for (std::size_t i = left + 1; i <= right; ++i)
      for (std::size_t j = i; j > left && key(j) < key(j - 1); --j)
        std::swap(order_[j], order_[j - 1]);
  }

  std::span<const std::size_t> keys_;
  std::vector<std::size_t> order_;
};

/// How uneven the classes would be over the folds: the mean of their standard deviations, each
/// class counted as a share of its size.
double unevenness(const std::vector<Counts>& folds, std::span<const std::size_t> sizes) {
  const auto k = static_cast<double>(folds.size());
  Counts deviations;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const auto size = static_cast<double>(sizes[c]);
    double sum = 0, squares = 0;
    for (const Counts& fold : folds) sum += fold[c] / size;
    for (const Counts& fold : folds) {
      const double distance = fold[c] / size - sum / k;
      squares += distance * distance;
    }
    deviations.push_back(std::sqrt(squares / k));
  }
  return mean(deviations);
}

void add(Counts& to, const Counts& what, double sign) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c] += sign * what[c];
}

/// The fold that stays most even with the group in it; the emptiest among nearly equal ones.
std::size_t best_fold(std::vector<Counts>& folds, const Counts& group,
                      std::span<const std::size_t> sizes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  double least = infinity, fewest = infinity;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    add(folds[f], group, 1);
    const double found = unevenness(folds, sizes);
    add(folds[f], group, -1);
    const double members = pairwise_sum(folds[f]);
    const bool near = std::isfinite(least) && std::fabs(found - least) <= 1e-8 + 1e-5 * least;
    if (found < least || (near && members < fewest)) {
      least = found;
      fewest = members;
      best = f;
    }
  }
  return best;
}

/// Groups with the most uneven classes first; equal ones in shuffled or ascending order.
std::vector<std::size_t> placing_order(const std::vector<Counts>& groups,
                                       const SplitOptions& options) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.seed) RandomState(*options.seed).shuffle(std::span(order));
  std::vector<double> spread(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) spread[g] = standard_deviation(groups[g], 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return spread[a] > spread[b]; });
  return order;
}

template <class T>
std::vector<T> chosen(const std::vector<T>& values, std::span<const std::size_t> items) {
  std::vector<T> result;
  if (values.empty()) return result;
  for (const std::size_t item : items) result.push_back(values[item]);
  return result;
}

}  // namespace

std::vector<std::size_t> coded_names(std::span<const std::string> names) {
  std::vector<std::string> known(names.begin(), names.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::size_t> codes;
  for (const std::string& name : names)
    codes.push_back(static_cast<std::size_t>(std::lower_bound(known.begin(), known.end(), name) -
                                             known.begin()));
  return codes;
}

FoldNumbers k_fold(std::size_t size, const SplitOptions& options) {
  require(size, options, "items");
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.seed) RandomState(*options.seed).shuffle(std::span(order));
  FoldNumbers folds(size);
  std::size_t next = 0;
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    const std::size_t members = size / options.folds + (fold < size % options.folds ? 1 : 0);
    for (const std::size_t end = next + members; next < end; ++next) folds[order[next]] = fold;
  }
  return folds;
}

FoldNumbers stratified_k_fold(std::span<const std::size_t> classes, const SplitOptions& options) {
  require(classes.size(), options, "items");
  const Dense dense = dense_by_appearance(classes);
  require_members(dense.counts, options);
  // Items in order of class are dealt to the folds in turn; a class only keeps how many each fold
  // got.
  std::vector<std::vector<std::size_t>> queue(dense.counts.size());
  std::size_t start = 0;
  for (std::size_t c = 0; c < queue.size(); ++c) {
    std::vector<std::size_t> allotted(options.folds);
    for (std::size_t i = start; i < start + dense.counts[c]; ++i) ++allotted[i % options.folds];
    for (std::size_t fold = 0; fold < options.folds; ++fold)
      queue[c].insert(queue[c].end(), allotted[fold], fold);
    start += dense.counts[c];
  }
  if (options.seed) {
    RandomState random(*options.seed);
    for (auto& folds : queue) random.shuffle(std::span(folds));
  }
  FoldNumbers result;
  std::vector<std::size_t> used(queue.size());
  for (const std::size_t code : dense.codes) result.push_back(queue[code][used[code]++]);
  return result;
}

FoldNumbers group_k_fold(std::span<const std::size_t> groups, const SplitOptions& options) {
  const Dense dense = dense_sorted(groups);
  require(dense.counts.size(), options, "groups");
  std::vector<std::size_t> order = Argsort(dense.counts).order();
  std::reverse(order.begin(), order.end());
  std::vector<std::size_t> fold_of(dense.counts.size()), weight(options.folds);
  for (const std::size_t group : order) {
    const auto lightest = std::min_element(weight.begin(), weight.end());
    *lightest += dense.counts[group];
    fold_of[group] = static_cast<std::size_t>(lightest - weight.begin());
  }
  return chosen(fold_of, dense.codes);
}

FoldNumbers stratified_group_k_fold(std::span<const std::size_t> classes,
                                    std::span<const std::size_t> groups,
                                    const SplitOptions& options) {
  if (classes.size() != groups.size())
    throw Error(Error::Kind::input, "each item needs one class and one group");
  const Dense by_class = dense_sorted(classes), by_group = dense_sorted(groups);
  require(by_group.counts.size(), options, "groups");
  require_members(by_class.counts, options);
  std::vector<Counts> counts(by_group.counts.size(), Counts(by_class.counts.size()));
  for (std::size_t i = 0; i < classes.size(); ++i)
    counts[by_group.codes[i]][by_class.codes[i]] += 1;
  std::vector<Counts> folds(options.folds, Counts(by_class.counts.size()));
  std::vector<std::size_t> fold_of(counts.size());
  for (const std::size_t group : placing_order(counts, options)) {
    fold_of[group] = best_fold(folds, counts[group], by_class.counts);
    add(folds[fold_of[group]], counts[group], 1);
  }
  return chosen(fold_of, by_group.codes);
}

FoldNumbers split(const SplitItems& items, const SplitOptions& options) {
  const bool stratified = !items.classes.empty(), grouped = !items.groups.empty();
  if (stratified && grouped) return stratified_group_k_fold(items.classes, items.groups, options);
  if (grouped) return group_k_fold(items.groups, options);
  return stratified ? stratified_k_fold(items.classes, options) : k_fold(items.size, options);
}

NestedFolds nested_split(const SplitItems& items, const SplitOptions& outer,
                         const SplitOptions& inner) {
  NestedFolds result{split(items, outer), {}};
  for (std::size_t fold = 0; fold < outer.folds; ++fold) {
    std::vector<std::size_t> training;
    for (std::size_t i = 0; i < result.outer.size(); ++i)
      if (result.outer[i] != fold) training.push_back(i);
    const FoldNumbers numbers = split(
        {training.size(), chosen(items.classes, training), chosen(items.groups, training)}, inner);
    auto& row = result.inner.emplace_back(result.outer.size());
    for (std::size_t i = 0; i < training.size(); ++i) row[training[i]] = numbers[i];
  }
  return result;
}

QuantileBins quantile_bins(std::span<const double> values, std::size_t bins) {
  if (bins < 2) throw Error(Error::Kind::usage, "bins must be two or more");
  if (bins > values.size())
    throw Error(Error::Kind::input, "cannot make " + std::to_string(bins) + " bins of " +
                                        std::to_string(values.size()) + " values; ask for fewer");
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw Error(Error::Kind::input, "a value that is not finite has no bin");
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  QuantileBins result;
  for (std::size_t edge = 1; edge < bins; ++edge)
    result.edges.push_back(percentile_of_sorted(
        ascending, 100.0 * static_cast<double>(edge) / static_cast<double>(bins)));
  for (const double value : values) {
    const auto above = std::ranges::lower_bound(result.edges, value);
    result.codes.push_back(static_cast<std::size_t>(above - result.edges.begin()));
  }
  return result;
}

std::vector<std::vector<std::size_t>> members(std::span<const std::size_t> classes,
                                              const FoldNumbers& folds, std::size_t count) {
  const std::size_t known = classes.empty() ? 0 : std::ranges::max(classes) + 1;
  std::vector<std::vector<std::size_t>> result(known, std::vector<std::size_t>(count));
  for (std::size_t i = 0; i < classes.size(); ++i) ++result[classes[i]][folds[i]];
  return result;
}

}  // namespace assay::stats
