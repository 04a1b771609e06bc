// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/intensity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::model {
namespace {

constexpr std::size_t block_size = 1 << 18;

std::size_t blocks(std::size_t count) {
  return (count + block_size - 1) / block_size;
}

template <class T>
std::span<T> block_of(std::span<T> values, std::size_t number) {
  const std::size_t first = number * block_size;
  return values.subspan(first, std::min(block_size, values.size() - first));
}

[[noreturn]] void refuse_value(View<float> image) {
  const auto bad =
      std::ranges::find_if(image.voxels, [](float value) { return !std::isfinite(value); });
  const auto index = static_cast<std::size_t>(bad - image.voxels.begin());
  const Shape& shape = image.grid.shape;
  throw Error(
      Error::Kind::input,
      fmt::format("voxel ({}, {}, {}) is {}, not a finite number; replace such voxels in the "
                  "image",
                  index % shape[0], index / shape[0] % shape[1], index / (shape[0] * shape[1]),
                  *bad));
}

struct BlockRange {
  IntensityRange range;
  bool is_finite = true;
};

/// Keeps independent minima and maxima per lane, so that the compiler may use vectors without
/// reordering anything.
BlockRange range_of(std::span<const float> values) {
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> low{}, high{}, bad{};
  low.fill(values.front());
  high.fill(values.front());
  const auto take = [&](std::size_t lane, float value) {
    low[lane] = value < low[lane] ? value : low[lane];
    high[lane] = value > high[lane] ? value : high[lane];
    bad[lane] += value - value;  // NaN as soon as one is infinite or NaN
  };
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
  for (; i < values.size(); ++i) take(0, values[i]);
  return {{std::ranges::min(low), std::ranges::max(high)},
          std::ranges::all_of(bad, [](float lane) { return lane == 0; })};
}

/// Maps floats to unsigned integers of the same order; -0 and 0 get the same key.
std::uint32_t key(float value) {
  constexpr std::uint32_t sign = 0x80000000U;
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

float value_of(std::uint32_t key) {
  constexpr std::uint32_t sign = 0x80000000U;
  return std::bit_cast<float>((key & sign) != 0 ? key & ~sign : ~key);
}

/// Finds values by rank without sorting. First the bin of the rank among the upper halves of the
/// keys is found, then its bin among the lower halves of the keys in it.
class Ranks {
 public:
  explicit Ranks(std::span<const float> values) : values_(values), upper_(half_keys) {
    for (const float value : values) ++upper_[key(value) >> 16];
  }

  float at(std::size_t rank) const {
    const std::uint32_t upper = bin(upper_, rank);
    std::vector<std::size_t> lower(half_keys);
    for (const float value : values_)
      if (const std::uint32_t k = key(value); k >> 16 == upper) ++lower[k & 0xFFFFU];
    return value_of(upper << 16 | bin(lower, rank));
  }

 private:
  static constexpr std::size_t half_keys = 1 << 16;

  /// The bin that holds the rank; `rank` becomes the rank inside that bin.
  static std::uint32_t bin(const std::vector<std::size_t>& counts, std::size_t& rank) {
    std::uint32_t at = 0;
    for (; rank >= counts[at]; ++at) rank -= counts[at];
    return at;
  }

  std::span<const float> values_;
  std::vector<std::size_t> upper_;
};

double quantile(const Ranks& ranks, std::size_t count, double at) {
  const double place = at * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const double share = place - std::floor(place);
  const float low = ranks.at(below);
  if (share == 0) return low;
  const float high = ranks.at(below + 1);
  const double difference = high - low;  // rounded to float, as in numpy
  return share < 0.5 ? low + difference * share : high - difference * (1 - share);
}

/// Without a range, every voxel would become 0 / 0.
[[noreturn]] void refuse_constant(const char* what, double value) {
  throw Error(Error::Kind::input,
              fmt::format("{} {:.6g}: there is no range to scale by; check the image, or use a "
                          "recipe with intensity \"none\"",
                          what, value));
}

struct Scale {
  float low = 0, range = 1;
  bool keeps_zero = false;
};

struct Moments {
  double sum = 0, squares = 0;
  std::size_t count = 0;
};

/// Sums block by block, in the order of the blocks, so that the result is the same to the bit for
/// any number of threads.
template <class Add>
Moments moments_of(std::span<const float> values, const Executor& executor, const Add& add) {
  std::vector<Moments> found(blocks(values.size()));
  run_tasks(executor, found.size(), [&](std::size_t number) {
    for (const float value : block_of(values, number)) add(found[number], value);
  });
  Moments out;
  for (const Moments& one : found) {
    out.sum += one.sum;
    out.squares += one.squares;
    out.count += one.count;
  }
  return out;
}

/// Mean and standard deviation (divided by n), in two passes.
Scale deviation_scale(std::span<const float> values, bool nonzero, const Executor& executor) {
  const Moments first = moments_of(values, executor, [&](Moments& m, float value) {
    if (nonzero && value == 0) return;
    m.sum += value;
    ++m.count;
  });
  const double mean = first.sum / static_cast<double>(std::max<std::size_t>(first.count, 1));
  const Moments second = moments_of(values, executor, [&](Moments& m, float value) {
    if (nonzero && value == 0) return;
    m.squares += (value - mean) * (value - mean);
  });
  const double deviation =
      std::sqrt(second.squares / static_cast<double>(std::max<std::size_t>(first.count, 1)));
  if (!(deviation > 0))
    refuse_constant(nonzero ? "all voxels other than 0 of the prepared image are"
                            : "all voxels of the prepared image are",
                    mean);
  return {static_cast<float>(mean), static_cast<float>(deviation), nonzero};
}

Scale scale_of(View<float> image, const Recipe& recipe, const Executor& executor) {
  using enum IntensityRule;
  const IntensityRange range = model::range_of(image, executor);
  if (recipe.intensity == fixed)
    return {static_cast<float>(recipe.mean.front()),
            static_cast<float>(recipe.standard_deviation.front())};
  if (recipe.intensity == zscore || recipe.intensity == zscore_nonzero)
    return deviation_scale(image.voxels, recipe.intensity == zscore_nonzero, executor);
  if (range.low == range.high) refuse_constant("all voxels of the prepared image are", range.low);
  if (std::isinf(range.high - range.low))
    throw Error(Error::Kind::input, "the image's values are too far apart for single precision");
  if (recipe.intensity == min_max) {
    const float width = range.high - range.low;
    return {range.low, recipe.epsilon == 0 ? width : static_cast<float>(width + recipe.epsilon)};
  }
  const auto [low, high] = quantiles(image.voxels, recipe.quantiles);
  const double width = high - low + recipe.epsilon;
  if (!(width > 0)) refuse_constant("both quantiles of the prepared image are", low);
  return {static_cast<float>(low), static_cast<float>(width)};
}

}  // namespace

IntensityRange range_of(View<float> image, const Executor& executor) {
  std::vector<BlockRange> found(blocks(image.voxels.size()));
  run_tasks(executor, found.size(),
            [&](std::size_t number) { found[number] = range_of(block_of(image.voxels, number)); });
  IntensityRange out = found.front().range;
  for (const BlockRange& one : found) {
    if (!one.is_finite) refuse_value(image);
    out = {std::min(out.low, one.range.low), std::max(out.high, one.range.high)};
  }
  return out;
}

std::array<double, 2> quantiles(std::span<const float> values, const std::array<double, 2>& at) {
  const Ranks ranks(values);
  return {quantile(ranks, values.size(), at[0]), quantile(ranks, values.size(), at[1])};
}

void scale_to_bytes(std::span<float> values, const IntensityRange& range, double upper) {
  constexpr std::size_t bins = 1000;
  const double low = range.low, width = (static_cast<double>(range.high) - low) / bins;
  if (width == 0) return;
  std::vector<std::size_t> counts(bins);
  std::size_t not_zero = 0;
  for (const float value : values) {
    not_zero += std::abs(value) >= 1e-15F;
    ++counts[std::min(static_cast<std::size_t>((value - low) / width), bins - 1)];
  }
  const auto left_out = static_cast<std::size_t>((1 - upper) * static_cast<double>(not_zero));
  std::size_t bin = 0;
  for (std::size_t seen = counts[0]; seen < values.size() - left_out; seen += counts[++bin]) {
  }
  const double high = static_cast<double>(bin == 0 ? 0 : bin - 1) * width;
  const double scale = high > 0 ? 255 / high : 1;
  for (float& value : values)
    value = static_cast<float>(std::clamp(scale * (value - low), 0.0, 255.0));
}

void round_values(std::span<float> values) {
  for (float& value : values) value = std::nearbyint(value);
}

void normalise(Volume<float>& image, const Recipe& recipe, const Executor& executor) {
  if (recipe.intensity == IntensityRule::none) return;
  const Scale scale = scale_of(image.view(), recipe, executor);
  const bool cuts = recipe.intensity == IntensityRule::fixed && !recipe.clip_values.empty();
  const IntensityRange limits = cuts ? IntensityRange{static_cast<float>(recipe.clip_values[0]),
                                                      static_cast<float>(recipe.clip_values[1])}
                                     : IntensityRange{};
  const std::span<float> all = image.voxels();
  run_tasks(executor, blocks(all.size()), [&](std::size_t number) {
    const auto values = block_of(all, number);
    if (cuts)
      for (float& value : values) value = std::clamp(value, limits.low, limits.high);
    for (float& value : values)
      value = scale.keeps_zero && value == 0 ? 0 : (value - scale.low) / scale.range;
    if (recipe.clip)
      for (float& value : values) value = std::clamp(value, 0.0F, 1.0F);
  });
}

}  // namespace assay::model
