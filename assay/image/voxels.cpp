// SPDX-License-Identifier: Apache-2.0
// Foreground in one pass without arithmetic on voxels. Scaling is monotonic, even after rounding,
// so the stored numbers that mean "foreground" are an interval. A binary search over the type's
// values finds its ends with exactly the arithmetic of the definition. The pass over the voxels
// only compares stored numbers with two bounds, which vector instructions do at the speed of memory
// for every type.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "assay/base/processor.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/layout.hpp"
#include "assay/image/map_signs.hpp"
#include "assay/image/stored.hpp"

namespace assay {
namespace {

/// Numbers of type T as unsigned integers in the same order.
template <class T>
struct Keys {
  using Key = Bits<T>;
  static constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));

  static Key of(T value) {
    const auto bits = std::bit_cast<Key>(value);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<Key>((bits & sign) != 0 ? ~bits : bits | sign);
    } else {
      return static_cast<Key>(std::is_signed_v<T> ? bits ^ sign : bits);
    }
  }
  static T value(Key key) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<T>(static_cast<Key>((key & sign) != 0 ? key ^ sign : ~key));
    } else {
      return std::bit_cast<T>(static_cast<Key>(std::is_signed_v<T> ? key ^ sign : key));
    }
  }
  static Key least() { return of(std::numeric_limits<T>::lowest()); }
  static Key greatest() { return of(std::numeric_limits<T>::max()); }
};

/// An interval of stored numbers. For integers both ends belong to it. For floating point neither
/// does, so that a bound is never a denormal number, which some libraries make the processor treat
/// as 0.
template <class T>
struct Interval {
  T low, high;

  bool contains(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return (value > low) & (value < high);
    } else {
      return (value >= low) & (value <= high);
    }
  }
};

/// The first finite number for which `holds`, which is false up to some point and true from there.
template <class T, class Predicate>
std::optional<Bits<T>> first_key(Predicate holds) {
  auto low = Keys<T>::least(), high = Keys<T>::greatest();
  if (!holds(Keys<T>::value(high))) return std::nullopt;
  while (low < high) {
    const auto middle = static_cast<Bits<T>>(low + (high - low) / 2);
    if (holds(Keys<T>::value(middle))) {
      high = middle;
    } else {
      low = static_cast<Bits<T>>(middle + 1);
    }
  }
  return low;
}

/// All numbers from the first for which `holds` on.
template <class T, class Predicate>
Interval<T> upper_interval(Predicate holds) {
  using Limits = std::numeric_limits<T>;
  const auto key = first_key<T>(holds);
  if constexpr (std::is_floating_point_v<T>) {
    if (!key) return {Limits::infinity(), Limits::infinity()};
    if (*key == Keys<T>::least()) return {-Limits::infinity(), Limits::infinity()};
    return {Keys<T>::value(static_cast<Bits<T>>(*key - 1)), Limits::infinity()};
  } else {
    if (!key) return {Limits::max(), Limits::lowest()};
    return {Keys<T>::value(*key), Limits::max()};
  }
}

/// All numbers before the first for which `holds`.
template <class T, class Predicate>
Interval<T> lower_interval(Predicate holds) {
  using Limits = std::numeric_limits<T>;
  const auto key = first_key<T>(holds);
  if constexpr (std::is_floating_point_v<T>) {
    return {-Limits::infinity(), key ? Keys<T>::value(*key) : Limits::infinity()};
  } else {
    if (!key) return {Limits::lowest(), Limits::max()};
    if (*key == Keys<T>::least()) return {Limits::max(), Limits::lowest()};
    return {Limits::lowest(), Keys<T>::value(static_cast<Bits<T>>(*key - 1))};
  }
}

enum class Trend { rising, falling };

/// The stored numbers whose value satisfies `holds`, which is true from some value on (rising) or
/// up to some value (falling).
template <class T, class Predicate>
Interval<T> stored_interval(const Scaling& scaling, Trend trend, Predicate holds) {
  const auto holds_for = [&](T stored) {
    // A long double is exact for 64-bit integers too, where a double is not.
    return scaling.is_identity() ? holds(static_cast<long double>(stored))
                                 : holds(static_cast<long double>(scaled(stored, scaling)));
  };
  if ((scaling.slope > 0) == (trend == Trend::rising)) return upper_interval<T>(holds_for);
  return lower_interval<T>([&](T stored) { return !holds_for(stored); });
}

/// The stored numbers whose value is finite: with a large slope not even all integers are.
template <class T>
Interval<T> finite_interval(const Scaling& scaling) {
  constexpr long double most = std::numeric_limits<double>::max();
  const auto a =
      stored_interval<T>(scaling, Trend::rising, [](long double v) { return v >= -most; });
  const auto b =
      stored_interval<T>(scaling, Trend::falling, [](long double v) { return v <= most; });
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

template <class T>
Interval<T> foreground_interval(const Scaling& scaling, std::optional<double> threshold) {
  return stored_interval<T>(scaling, Trend::rising, [&](long double value) {
    return threshold ? value >= *threshold : value > 0;
  });
}

/// How many voxels are examined before a decision; small enough for the first-level cache.
constexpr std::size_t voxel_block = 512;

/// Whether all voxels of a block are stored alike, as nearly everywhere in a mask. One of them then
/// stands for all, and only reading is left to do.
template <class T>
bool is_uniform(const std::byte* block) {
  return std::memcmp(block, block + sizeof(T), (voxel_block - 1) * sizeof(T)) == 0;
}

/// 1 for foreground, 0 for the rest; returns whether every voxel was finite. Bitwise operators, a
/// fixed trip count and local bounds, which no output can overwrite, let compilers vectorise it.
template <class T, bool swapped, class Test>
bool mark_block(const std::byte* in, std::uint8_t* out, Test is_foreground,
                Interval<Scalar<T>> finite) {
  Bits<Scalar<T>> all_finite = 1;
  for (std::size_t i = 0; i < voxel_block; ++i) {
    const Scalar<T> value = load_scalar<T, swapped>(in + i * sizeof(T));
    out[i] = static_cast<std::uint8_t>(is_foreground(value));
    if constexpr (std::is_floating_point_v<Scalar<T>>)
      all_finite &= static_cast<Bits<Scalar<T>>>(finite.contains(value));
  }
  return all_finite != 0;
}

/// Counts the values that are not finite and says where the first is: slow, and only for the
/// message.
template <class T, bool swapped>
void require_finite(const Image& image, const Interval<Scalar<T>>& finite) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < image.grid().size(); ++i) {
    if (finite.contains(load_scalar<T, swapped>(image.voxels().data() + i * sizeof(T)))) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  throw Error(Error::Kind::input,
              fmt::format("{} voxel{} NaN or infinite, the first at {}; replace {} (by 0 for "
                          "background) and score again",
                          count, count == 1 ? " is" : "s are", place(image.grid(), first),
                          count == 1 ? "it" : "them"));
}

/// Marks block by block; `look(in, voxels)` gets each block while it is in the cache.
template <class T, bool swapped, class Test, class Look>
bool mark(const std::byte* in, std::span<std::uint8_t> out, const Test& is_foreground,
          const Interval<Scalar<T>>& finite, const Look& look) {
  std::size_t done = 0;
  for (; done + voxel_block <= out.size(); done += voxel_block) {
    const std::byte* block = in + done * sizeof(T);
    if (is_uniform<T>(block)) {
      const Scalar<T> value = load_scalar<T, swapped>(block);
      if (!finite.contains(value)) return false;
      std::memset(out.data() + done, static_cast<int>(is_foreground(value)), voxel_block);
      look(block, 1);
      continue;
    }
    if (!mark_block<T, swapped>(block, out.data() + done, is_foreground, finite)) return false;
    look(block, voxel_block);
  }
  const std::size_t rest = done;
  for (; done < out.size(); ++done) {
    const Scalar<T> value = load_scalar<T, swapped>(in + done * sizeof(T));
    out[done] = static_cast<std::uint8_t>(is_foreground(value));
    if (!finite.contains(value)) return false;
  }
  look(in + rest * sizeof(T), out.size() - rest);
  return true;
}

#if defined(__x86_64__)
/// The same code for AVX2: the baseline processor can neither swap bytes nor compare many numbers
/// at once.
template <class T, bool swapped, class Test, class Look>
[[gnu::flatten, gnu::target("avx2")]] bool mark_avx2(const std::byte* in,
                                                     std::span<std::uint8_t> out,
                                                     const Test& is_foreground,
                                                     const Interval<Scalar<T>>& finite,
                                                     const Look& look) {
  return mark<T, swapped>(in, out, is_foreground, finite, look);
}
#endif

template <class T, bool swapped, class Test, class Look>
bool mark_by_processor(const std::byte* in, std::span<std::uint8_t> out, const Test& is_foreground,
                       const Interval<Scalar<T>>& finite, const Look& look) {
#if defined(__x86_64__)
  if (has_avx2()) return mark_avx2<T, swapped>(in, out, is_foreground, finite, look);
#endif
  return mark<T, swapped>(in, out, is_foreground, finite, look);
}

constexpr auto look_away = [](const std::byte*, std::size_t) {};

/// A byte per voxel by a test of stored numbers.
template <class T, bool swapped, class Test, class Look>
View<std::uint8_t> marked(const Image& image, Buffer& scratch, const Test& is_foreground,
                          const Look& look) {
  using S = Scalar<T>;
  const auto finite = finite_interval<S>(image.header().scaling);
  const auto room = room_in(scratch, image.grid().size());
  const std::span out(reinterpret_cast<std::uint8_t*>(room.data()), room.size());
  const bool can_overflow =
      std::is_integral_v<S> && !(finite.contains(std::numeric_limits<S>::lowest()) &&
                                 finite.contains(std::numeric_limits<S>::max()));
  if (!mark_by_processor<T, swapped>(image.voxels().data(), out, is_foreground, finite, look) ||
      can_overflow)
    require_finite<T, swapped>(image, finite);
  return {image.grid(), out};
}

template <class T, bool swapped, class Look>
View<std::uint8_t> foreground_of(const Image& image, std::optional<double> threshold,
                                 Buffer& scratch, const Look& look) {
  const auto foreground = foreground_interval<Scalar<T>>(image.header().scaling, threshold);
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    // The bytes already say "not 0", so there is nothing to convert.
    if (foreground.low == 1 && foreground.high == 255)
      return {image.grid(),
              {reinterpret_cast<const std::uint8_t*>(image.voxels().data()), image.grid().size()}};
  }
  return marked<T, swapped>(
      image, scratch, [foreground](Scalar<T> value) { return foreground.contains(value); }, look);
}

/// Every value except 0 is above or below it: two intervals, neither of which ends at a denormal
/// number.
template <class T, bool swapped>
View<std::uint8_t> nonzero_of(const Image& image, Buffer& scratch) {
  const Scaling& scaling = image.header().scaling;
  const auto above = foreground_interval<Scalar<T>>(scaling, {});
  const auto below = stored_interval<Scalar<T>>(scaling, Trend::falling,
                                                [](long double value) { return value < 0; });
  return marked<T, swapped>(
      image, scratch,
      [above, below](Scalar<T> value) {
        return int{above.contains(value)} | int{below.contains(value)};
      },
      look_away);
}

/// Shows a block of stored numbers to `signs` as the values that they mean.
template <class T, bool swapped>
void show(MapSigns& signs, const std::byte* block, std::size_t voxels, const Scaling& scaling) {
  const auto stored = [&](std::size_t i) { return load_scalar<T, swapped>(block + i * sizeof(T)); };
  if (scaling.is_identity())
    signs.look(voxels, stored);
  else
    signs.look(voxels, [&](std::size_t i) { return scaled(stored(i), scaling); });
}

/// Whether integers stay whole numbers.
bool holds_only_whole_numbers(const Scaling& scaling) {
  return is_whole(scaling.slope) && is_whole(scaling.intercept);
}

template <class T, bool swapped>
JudgedMask judged_mask_of(const Image& image, Buffer& scratch) {
  const Scaling& scaling = image.header().scaling;
  MapSigns signs;
  if constexpr (std::is_integral_v<T>) {
    const View<std::uint8_t> mask = foreground_of<T, swapped>(image, {}, scratch, look_away);
    if (!holds_only_whole_numbers(scaling))
      show<T, swapped>(signs, image.voxels().data(), image.grid().size(), scaling);
    return {mask, signs.is_map()};
  } else {
    const View<std::uint8_t> mask = foreground_of<T, swapped>(
        image, {}, scratch, [&](const std::byte* block, std::size_t voxels) {
          show<T, swapped>(signs, block, voxels, scaling);
        });
    return {mask, signs.is_map()};
  }
}

}  // namespace

std::string place(const Grid& grid, std::size_t index) {
  const auto [width, height, depth] = grid.shape;
  return fmt::format("({}, {}, {})", index % width, index / width % height, index / width / height);
}

View<std::uint8_t> foreground(const Image& image, std::optional<double> threshold,
                              Buffer& scratch) {
  if (threshold && std::isnan(*threshold))
    throw Error(Error::Kind::usage, "the threshold is not a number");
  require_one_volume(image);
  return visit_stored(image.header(), [&]<class T, bool swapped>() {
    return foreground_of<T, swapped>(image, threshold, scratch, look_away);
  });
}

View<std::uint8_t> nonzero(const Image& image, Buffer& scratch) {
  require_one_volume(image);
  return visit_stored(image.header(), [&]<class T, bool swapped>() {
    return nonzero_of<T, swapped>(image, scratch);
  });
}

JudgedMask judged_mask(const Image& image, Buffer& scratch) {
  require_one_volume(image);
  return visit_stored(image.header(), [&]<class T, bool swapped>() {
    return judged_mask_of<T, swapped>(image, scratch);
  });
}

void require_one_volume(const Image& image) {
  if (image.header().channels != 1) refuse_volumes(image.header().channels, describe(image.grid()));
}

namespace {

template <class Value>
std::vector<Value> values_as(const Image& image) {
  std::vector<Value> out(image.grid().size() * image.header().channels);
  visit_stored(image.header(), [&]<class T, bool swapped>() {
    const std::byte* at = image.voxels().data();
    for (Value& value : out) {
      value = static_cast<Value>(scaled(load_scalar<T, swapped>(at), image.header().scaling));
      at += sizeof(T);
    }
  });
  return out;
}

}  // namespace

std::vector<double> values(const Image& image) {
  return values_as<double>(image);
}

Volume<float> intensities(const Image& image) {
  require_one_volume(image);
  return {image.grid(), values_as<float>(image)};
}

}  // namespace assay
