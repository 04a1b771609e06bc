// SPDX-License-Identifier: Apache-2.0
// All three scores need the same three sums: of p, of g and of p times g. They are taken in one
// pass over both arrays, in blocks of fixed size whose partial sums are added in order, so that any
// number of threads gives the same bits. Within a block 32 independent lanes run side by side (the
// compiler makes vectors of them); float lanes are folded into doubles every 32 rows, before their
// rounding can add up.
//
// The gradient of one score is a line in g: with a = 2 / (S + s) and b = -(2 I + s) / (S + s)^2,
// dD/dp_i = a g_i + b. So one multiplication per voxel is left after the forward sums.
#include "assay/metrics/training_batches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/base/processor.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/stats/moments.hpp"

namespace assay::metrics {
namespace {

constexpr std::array reduction_names = {
    Named<Reduction>{"mean", Reduction::mean},
    Named<Reduction>{"median", Reduction::median},
    Named<Reduction>{"sum", Reduction::sum},
    Named<Reduction>{"none", Reduction::none},
};

constexpr std::array policy_names = {
    Named<DicePolicy>{"assay", DicePolicy::assay},
    Named<DicePolicy>{"mipcandy-doc", DicePolicy::mipcandy_doc},
    Named<DicePolicy>{"mipcandy-1.1.1", DicePolicy::mipcandy_1_1_1},
    Named<DicePolicy>{"mipcandy-1.1.2", DicePolicy::mipcandy_1_1_2},
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using DiceSums = OverlapSums;

DiceSums& operator+=(DiceSums& sums, const DiceSums& more) {
  sums.both += more.both;
  sums.outputs += more.outputs;
  sums.labels += more.labels;
  return sums;
}

constexpr std::size_t dice_lanes = 32, rows = 32, dice_block = 1U << 16;

double wide(double x) {
  return x;
}
float wide(float x) {
  return x;
}
float wide(Half x) {
  return to_float(x);
}
void narrow(double x, double& out) {
  out = x;
}
void narrow(double x, float& out) {
  out = static_cast<float>(x);
}
void narrow(double x, Half& out) {
  out = to_half(static_cast<float>(x));
}

template <class T>
using Lane = decltype(wide(T{}));

template <class T>
[[gnu::always_inline]] inline DiceSums fold_rows(const T* p, const T* g, std::size_t count) {
  std::array<Lane<T>, dice_lanes> both{}, outputs{}, labels{};
  for (std::size_t row = 0; row < count; ++row, p += dice_lanes, g += dice_lanes)
    for (std::size_t k = 0; k < dice_lanes; ++k) {
      const Lane<T> a = wide(p[k]), b = wide(g[k]);
      both[k] += a * b;
      outputs[k] += a;
      labels[k] += b;
    }
  DiceSums sums;
  for (std::size_t k = 0; k < dice_lanes; ++k) sums += {both[k], outputs[k], labels[k]};
  return sums;
}

template <class T>
[[gnu::always_inline]] inline DiceSums sum_block(const T* p, const T* g, std::size_t size) {
  DiceSums sums;
  std::size_t at = 0;
  for (; at + dice_lanes * rows <= size; at += dice_lanes * rows)
    sums += fold_rows(p + at, g + at, rows);
  const std::size_t left = (size - at) / dice_lanes;
  sums += fold_rows(p + at, g + at, left);
  for (at += left * dice_lanes; at < size; ++at)
    sums += {double{wide(p[at])} * double{wide(g[at])}, double{wide(p[at])}, double{wide(g[at])}};
  return sums;
}

template <class T>
#if defined(__x86_64__)
[[gnu::target("avx2")]]
#endif
DiceSums
sums_avx2(const T* p, const T* g, std::size_t size) {
  return sum_block(p, g, size);
}

template <class T>
DiceSums sums_of(const T* p, const T* g, std::size_t size) {
  return has_avx2() ? sums_avx2(p, g, size) : sum_block(p, g, size);
}
DiceSums sums_of(const std::uint8_t* p, const std::uint8_t* g, std::size_t size) {
  const Confusion c = count_foreground({p, size}, std::span(g, size));
  return {static_cast<double>(c.tp), static_cast<double>(c.prediction()),
          static_cast<double>(c.reference())};
}

/// The pieces of fixed size that a batch is divided into; none contains more than one class.
struct Blocks {
  std::size_t voxels, per_entry;

  explicit Blocks(std::size_t size)
      : voxels(size), per_entry((size + dice_block - 1) / dice_block) {}
  std::size_t start(std::size_t task) const {
    return task / per_entry * voxels + task % per_entry * dice_block;
  }
  std::size_t size(std::size_t task) const {
    return std::min(dice_block, voxels - task % per_entry * dice_block);
  }
};

/// The sums of every sample and class.
template <class T>
std::vector<DiceSums> sums_by_entry(BatchView<T> outputs, BatchView<T> labels,
                                    const Executor& executor) {
  const std::size_t entries = outputs.batch * outputs.classes;
  const Blocks blocks(outputs.voxels);
  std::vector<DiceSums> partial(entries * blocks.per_entry), sums(entries);
  run_tasks(executor, partial.size(), [&](std::size_t task) {
    const std::size_t start = blocks.start(task);
    partial[task] = sums_of(outputs.values + start, labels.values + start, blocks.size(task));
  });
  for (std::size_t i = 0; i < partial.size(); ++i) sums[i / blocks.per_entry] += partial[i];
  return sums;
}

template <class T>
void require_same_shape(const BatchView<T>& outputs, const BatchView<T>& labels) {
  if (outputs.batch != labels.batch || outputs.classes != labels.classes ||
      outputs.voxels != labels.voxels)
    throw Error(Error::Kind::usage, "outputs and labels must have the same shape");
}

BatchScores one(double value) {
  return {{value}, {}};
}

/// Hard Dice scores; the policy decides what happens where both masks are empty.
BatchScores hard_scores(const std::vector<DiceSums>& sums, std::vector<std::size_t> shape,
                        const DiceOptions& options) {
  const auto empty = [](const DiceSums& s) { return s.volume() == 0; };
  const bool any_decides =
      options.policy == DicePolicy::mipcandy_doc || options.policy == DicePolicy::mipcandy_1_1_1;
  if (any_decides && std::ranges::any_of(sums, empty)) return one(options.if_empty);
  BatchScores scores = {{}, std::move(shape)};
  for (const DiceSums& s : sums) {
    double score = 2 * s.both / s.volume();
    if (empty(s))
      score = options.policy == DicePolicy::mipcandy_1_1_2
                  ? (options.if_empty == 0 ? nan : 0 / options.if_empty)
                  : options.if_empty;
    scores.values.push_back(score);
  }
  return scores;
}

/// No sums yet, only which score each sample and class belongs to.
SoftDiceSums no_sums(std::size_t batch, std::size_t classes, const SoftDiceOptions& options) {
  SoftDiceSums found = {{}, std::vector<std::size_t>(batch * classes), {batch, classes}};
  std::iota(found.score_of.begin(), found.score_of.end(), std::size_t{0});
  if (!options.batch_dice) {
    found.sums.resize(batch * classes);
    return found;
  }
  const bool all_classes = options.policy == DicePolicy::mipcandy_doc;
  found.sums.resize(all_classes ? 1 : classes);
  found.shape = all_classes ? std::vector<std::size_t>{} : std::vector<std::size_t>{classes};
  for (std::size_t& score : found.score_of) score = all_classes ? 0 : score % classes;
  return found;
}

/// The positions of the one or two scores that are the median.
std::vector<std::size_t> median_places(const std::vector<double>& values, DicePolicy policy) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  const std::size_t lower = (values.size() - 1) / 2, upper = values.size() / 2;
  if (lower == upper || policy != DicePolicy::assay) return {order[lower]};
  return {order[lower], order[upper]};
}

/// The derivative of the reduced score with respect to each score.
std::vector<double> weights_of(const BatchScores& scores, const Upstream& upstream,
                               DicePolicy policy) {
  const auto& [reduction, gradient] = upstream;
  const std::size_t count = scores.values.size();
  const bool each = reduction == Reduction::none && !scores.shape.empty();
  if (gradient.size() != (each ? count : 1) && gradient.size() != 1)
    throw Error(Error::Kind::usage, "grad_output must be one number, or one for each score");
  if (count == 0) return {};
  std::vector<double> weights(count, gradient.front());
  if (each && gradient.size() == count) weights.assign(gradient.begin(), gradient.end());
  if (reduction == Reduction::mean)
    for (double& weight : weights) weight /= static_cast<double>(count);
  if (reduction == Reduction::median) {
    const auto places = median_places(scores.values, policy);
    std::ranges::fill(weights, 0.0);
    for (const std::size_t place : places)
      weights[place] += gradient.front() / static_cast<double>(places.size());
  }
  return weights;
}

template <class T>
[[gnu::always_inline]] inline void line_block(const T* g, T* out, std::size_t size, double slope,
                                              double offset) {
  const auto a = static_cast<Lane<T>>(slope), b = static_cast<Lane<T>>(offset);
  for (std::size_t i = 0; i < size; ++i) narrow(a * wide(g[i]) + b, out[i]);
}

template <class T>
#if defined(__x86_64__)
[[gnu::target("avx2")]]
#endif
void line_avx2(const T* g, T* out, std::size_t size, double slope, double offset) {
  line_block(g, out, size, slope, offset);
}

template <class T>
void line(const T* g, T* out, std::size_t size, double slope, double offset) {
  has_avx2() ? line_avx2(g, out, size, slope, offset) : line_block(g, out, size, slope, offset);
}

}  // namespace

std::span<const Named<Reduction>> reductions() {
  return reduction_names;
}

std::span<const Named<DicePolicy>> dice_policies() {
  return policy_names;
}

BatchScores binary_dice(BatchView<std::uint8_t> outputs, BatchView<std::uint8_t> labels,
                        const DiceOptions& options) {
  require_same_shape(outputs, labels);
  if (outputs.classes != 1)
    throw Error(Error::Kind::usage, "binary_dice needs shape (B, 1, ...), not " +
                                        std::to_string(outputs.classes) + " channels");
  const bool release =
      options.policy == DicePolicy::mipcandy_1_1_1 || options.policy == DicePolicy::mipcandy_1_1_2;
  if (release && outputs.batch > 1)
    throw Error(Error::Kind::unsupported,
                "binary_dice of this MIPCandy release fails for more than one sample; policy "
                "'assay' scores each");
  const std::vector<DiceSums> sums = sums_by_entry(outputs, labels, options.executor);
  if (options.policy == DicePolicy::assay) return hard_scores(sums, {outputs.batch, 1}, options);
  // As documented: only a batch that is empty altogether counts as empty.
  const bool all_empty =
      std::ranges::all_of(sums, [](const DiceSums& s) { return s.volume() == 0; });
  if (all_empty) return one(options.if_empty);
  BatchScores scores = {{}, {outputs.batch, 1}};
  for (const DiceSums& s : sums) scores.values.push_back(2 * s.both / s.volume());
  return scores;
}

template <class T>
BatchScores dice_similarity_coefficient(BatchView<T> outputs, BatchView<T> labels,
                                        const DiceOptions& options) {
  require_same_shape(outputs, labels);
  return hard_scores(sums_by_entry(outputs, labels, options.executor),
                     {outputs.batch, outputs.classes}, options);
}

template <class T>
SoftDiceSums soft_dice_sums(BatchView<T> outputs, BatchView<T> labels,
                            const SoftDiceOptions& options) {
  require_same_shape(outputs, labels);
  SoftDiceSums found = no_sums(outputs.batch, outputs.classes, options);
  const std::vector<DiceSums> by_entry = sums_by_entry(outputs, labels, options.executor);
  for (std::size_t i = 0; i < by_entry.size(); ++i) found.sums[found.score_of[i]] += by_entry[i];
  return found;
}

BatchScores soft_dice(const SoftDiceSums& evidence, double smooth) {
  BatchScores scores = {{}, evidence.shape};
  for (const DiceSums& s : evidence.sums)
    scores.values.push_back((2 * s.both + smooth) / (s.volume() + smooth));
  return scores;
}

template <class T>
void soft_dice_gradient(const SoftDiceSums& evidence, BatchView<T> other, const Upstream& upstream,
                        std::span<T> gradient, const SoftDiceOptions& options) {
  const std::size_t entries = other.batch * other.classes;
  if (evidence.score_of.size() != entries || gradient.size() != entries * other.voxels)
    throw Error(Error::Kind::usage, "the gradient needs arrays of the shape that was summed");
  const std::vector<double> weights =
      weights_of(soft_dice(evidence, options.smooth), upstream, options.policy);
  std::vector<double> slopes, offsets;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const DiceSums& s = evidence.sums[i];
    const double below = s.volume() + options.smooth;
    slopes.push_back(weights[i] * 2 / below);
    offsets.push_back(-weights[i] * (2 * s.both + options.smooth) / (below * below));
  }
  const Blocks blocks(other.voxels);
  run_tasks(options.executor, entries * blocks.per_entry, [&](std::size_t task) {
    const std::size_t score = evidence.score_of[task / blocks.per_entry];
    const std::size_t start = blocks.start(task);
    line(other.values + start, gradient.data() + start, blocks.size(task), slopes[score],
         offsets[score]);
  });
}

BatchScores reduced(const BatchScores& scores, Reduction reduction, DicePolicy policy) {
  if (reduction == Reduction::none) return scores;
  if (reduction == Reduction::sum) return one(stats::pairwise_sum(scores.values));
  if (reduction == Reduction::mean) return one(stats::mean(scores.values));
  const auto is_nan = [](double x) { return std::isnan(x); };
  if (scores.values.empty() || std::ranges::any_of(scores.values, is_nan)) return one(nan);
  double sum = 0;
  const auto places = median_places(scores.values, policy);
  for (const std::size_t place : places) sum += scores.values[place];
  return one(sum / static_cast<double>(places.size()));
}

// The types that arrays have; everything above is compiled for these and no others.
template BatchScores dice_similarity_coefficient(BatchView<Half>, BatchView<Half>,
                                                 const DiceOptions&);
template BatchScores dice_similarity_coefficient(BatchView<float>, BatchView<float>,
                                                 const DiceOptions&);
template BatchScores dice_similarity_coefficient(BatchView<double>, BatchView<double>,
                                                 const DiceOptions&);
template SoftDiceSums soft_dice_sums(BatchView<Half>, BatchView<Half>, const SoftDiceOptions&);
template void soft_dice_gradient(const SoftDiceSums&, BatchView<Half>, const Upstream&,
                                 std::span<Half>, const SoftDiceOptions&);
template SoftDiceSums soft_dice_sums(BatchView<float>, BatchView<float>, const SoftDiceOptions&);
template void soft_dice_gradient(const SoftDiceSums&, BatchView<float>, const Upstream&,
                                 std::span<float>, const SoftDiceOptions&);
template SoftDiceSums soft_dice_sums(BatchView<double>, BatchView<double>, const SoftDiceOptions&);
template void soft_dice_gradient(const SoftDiceSums&, BatchView<double>, const Upstream&,
                                 std::span<double>, const SoftDiceOptions&);

}  // namespace assay::metrics
