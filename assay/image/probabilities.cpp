// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/layout.hpp"
#include "assay/image/stored.hpp"
#include "assay/image/volumes.hpp"

namespace assay {
namespace {

/// How many voxels are examined class by class; small enough for the first-level cache.
constexpr std::size_t channel_block = 2048;

/// The numbers of an image by class and voxel, in the precision in which they were stored.
template <class T, bool swapped, class Real>
class Numbers {
 public:
  explicit Numbers(const Image& image)
      : at_(image.voxels().data()), scaling_(image.header().scaling) {
    const ImageHeader& header = image.header();
    class_step_ = sizeof(T) * (header.interleaved ? 1 : header.grid.size());
    voxel_step_ = sizeof(T) * (header.interleaved ? header.channels : 1);
  }

  Real operator()(std::size_t channel, std::size_t voxel) const {
    const auto stored = load_scalar<T, swapped>(at_ + channel * class_step_ + voxel * voxel_step_);
    if constexpr (std::is_same_v<Real, double>) {
      return scaled(stored, scaling_);
    } else {
      return stored;
    }
  }

 private:
  const std::byte* at_;
  Scaling scaling_;
  std::size_t class_step_ = 0, voxel_step_ = 0;
};

/// Calls `use(numbers)` with the numbers as float where that is what is stored, else as double.
template <class Use>
decltype(auto) visit_numbers(const Image& image, Use use) {
  return visit_stored(image.header(), [&]<class T, bool swapped>() {
    if constexpr (std::is_same_v<Scalar<T>, float>) {
      if (image.header().scaling.is_identity()) return use(Numbers<T, swapped, float>(image));
    }
    return use(Numbers<T, swapped, double>(image));
  });
}

template <class Real>
bool is_probability(Real value) {
  return (value >= 0) & (value <= 1);  // not NaN
}

/// A place of an image, class by class within blocks of voxels.
struct ChannelBlock {
  std::size_t channel, first, end;
};

/// Calls `use(block)` until it returns false.
template <class Use>
void for_each_channel_block(const Image& image, Use use) {
  const std::size_t count = image.grid().size();
  for (std::size_t first = 0; first < count; first += channel_block)
    for (std::size_t channel = 0; channel < image.header().channels; ++channel)
      if (!use(ChannelBlock{channel, first, std::min(count, first + channel_block)})) return;
}

/// What occurs among all numbers.
struct Seen {
  bool outside = false, fraction = false;
};

Seen seen_in(const Image& image) {
  return visit_numbers(image, [&](const auto& number) {
    Seen seen;
    for_each_channel_block(image, [&](const ChannelBlock& b) {
      unsigned outside = 0, fraction = 0;
      for (std::size_t i = b.first; i < b.end; ++i) {
        const auto value = number(b.channel, i);
        outside |= static_cast<unsigned>(!is_probability(value));
        fraction |= static_cast<unsigned>((value > 0) & (value < 1));
      }
      seen.outside = seen.outside || outside != 0;
      seen.fraction = seen.fraction || fraction != 0;
      return !(seen.outside && seen.fraction);
    });
    return seen;
  });
}

/// Whether every number is whole; slow, and needed only when some are not from 0 to 1.
bool holds_whole_numbers(const Image& image) {
  return visit_numbers(image, [&](const auto& number) {
    bool whole = true;
    for_each_channel_block(image, [&](const ChannelBlock& b) {
      for (std::size_t i = b.first; i < b.end && whole; ++i) {
        const auto value = static_cast<double>(number(b.channel, i));
        whole = value == std::nearbyint(value) && std::isfinite(value);
      }
      return whole;
    });
    return whole;
  });
}

/// The sum of one voxel's classes may exceed 1 by rounding, as in 8-bit maps, but not by more than
/// this.
constexpr double most_sum = 1.05;

std::vector<std::size_t> channels_of(std::span<const Label> members, std::size_t channels) {
  std::vector<std::size_t> out;
  for (std::size_t k = channels == 1 ? 0 : 1; k < channels && members.empty(); ++k)
    out.push_back(k);
  for (const Label label : members)
    if (std::in_range<std::size_t>(label) && static_cast<std::size_t>(label) < channels)
      out.push_back(static_cast<std::size_t>(label));
  return out;
}

template <class Real, class Number>
std::span<const Real> summed(const Image& image, const Number& number,
                             const std::vector<std::size_t>& channels, Buffer& scratch) {
  const std::size_t count = image.grid().size();
  auto* const out = reinterpret_cast<Real*>(room_in(scratch, count * sizeof(Real)).data());
  std::fill(out, out + count, Real{0});
  for (std::size_t first = 0; first < count; first += channel_block)
    for (const std::size_t channel : channels)
      for (std::size_t i = first; i < std::min(count, first + channel_block); ++i)
        out[i] += number(channel, i);
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i] <= 1) continue;
    if (!(out[i] <= most_sum))
      throw Error(Error::Kind::input,
                  fmt::format("the classes of voxel {} add up to {}: they do not exclude each "
                              "other, so no label is the most likely; give a map per class",
                              place(image.grid(), i), out[i]));
    out[i] = 1;
  }
  return {out, count};
}

/// The stored numbers themselves, where that is possible.
template <class Real>
const Real* as_stored(const Image& image, VoxelType type) {
  const ImageHeader& header = image.header();
  const auto address = reinterpret_cast<std::uintptr_t>(image.voxels().data());
  const bool serves = header.type == type && !header.byte_swapped && header.channels == 1 &&
                      header.scaling.is_identity() && address % alignof(Real) == 0;
  return serves ? reinterpret_cast<const Real*>(image.voxels().data()) : nullptr;
}

void require_few_classes(const Image& image) {
  if (image.header().channels > 256)
    throw Error(
        Error::Kind::unsupported,
        fmt::format("has {} classes; assay takes maps of up to 256", image.header().channels));
}

}  // namespace

bool may_hold_probabilities(const ImageHeader& header) {
  constexpr std::array reals = {VoxelType::f16, VoxelType::f32, VoxelType::f64, VoxelType::f128};
  return !header.scaling.is_identity() || std::ranges::find(reals, header.type) != reals.end();
}

MapKind map_kind(const Image& image) {
  const Seen seen = seen_in(image);
  if (!seen.outside) return seen.fraction ? MapKind::probabilities : MapKind::labels;
  return !seen.fraction && holds_whole_numbers(image) ? MapKind::labels : MapKind::other;
}

void require_probabilities(const Image& image) {
  visit_numbers(image, [&](const auto& number) {
    for_each_channel_block(image, [&](const ChannelBlock& b) {
      for (std::size_t i = b.first; i < b.end; ++i)
        if (!is_probability(number(b.channel, i)))
          throw Error(Error::Kind::input,
                      fmt::format("voxel {} is {}, which is not a probability (0 to 1); apply the "
                                  "sigmoid or softmax first, or ask for other metrics",
                                  place(image.grid(), i), number(b.channel, i)));
      return true;
    });
  });
}

LabelView likeliest_labels(const Image& image, Buffer& scratch, std::vector<Label>& values) {
  require_few_classes(image);
  require_probabilities(image);
  return highest_labels(image, scratch, values);
}

LabelView highest_labels(const Image& image, Buffer& scratch, std::vector<Label>& values) {
  require_few_classes(image);
  values.resize(image.header().channels);
  std::iota(values.begin(), values.end(), Label{0});
  const std::size_t count = image.grid().size();
  auto* const codes = reinterpret_cast<std::uint8_t*>(room_in(scratch, count).data());
  visit_numbers(image, [&](const auto& number) {
    std::array<decltype(number(0, 0)), channel_block> best;
    for_each_channel_block(image, [&](const ChannelBlock& b) {
      for (std::size_t i = b.first; i < b.end; ++i) {
        const auto value = number(b.channel, i);
        if (value != value)
          throw Error(
              Error::Kind::input,
              fmt::format("voxel {} is NaN, so no class has the highest score; write a number",
                          place(image.grid(), i)));
        const bool is_better = b.channel == 0 || value > best[i - b.first];
        best[i - b.first] = is_better ? value : best[i - b.first];
        codes[i] = is_better ? static_cast<std::uint8_t>(b.channel) : codes[i];
      }
      return true;
    });
  });
  return {image.grid(), std::span<const std::uint8_t>(codes, count), values};
}

ProbabilityView probability_of(const Image& image, std::span<const Label> members,
                               Buffer& scratch) {
  const std::size_t count = image.grid().size();
  if (const auto* stored = as_stored<float>(image, VoxelType::f32))
    return {image.grid(), std::span(stored, count)};
  if (const auto* stored = as_stored<double>(image, VoxelType::f64))
    return {image.grid(), std::span(stored, count)};
  const auto channels = channels_of(
      image.header().channels == 1 ? std::span<const Label>() : members, image.header().channels);
  return visit_numbers(image, [&](const auto& number) -> ProbabilityView {
    using Real = std::decay_t<decltype(number(0, 0))>;
    return {image.grid(), summed<Real>(image, number, channels, scratch)};
  });
}

View<std::uint8_t> at_least(const ProbabilityView& map, double threshold, Buffer& scratch) {
  return std::visit(
      [&](const auto& values) -> View<std::uint8_t> {
        const auto room = room_in(scratch, values.size());
        const std::span out(reinterpret_cast<std::uint8_t*>(room.data()), room.size());
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = static_cast<std::uint8_t>(double{values[i]} >= threshold);
        return {map.grid, out};
      },
      map.values);
}

}  // namespace assay
