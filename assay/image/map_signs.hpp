// SPDX-License-Identifier: Apache-2.0
/// Distinguishes maps, such as those of probabilities, from masks and label maps.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace assay {

/// Whether a value is a whole number; beyond 2^53 every double is.
inline bool is_whole(double value) {
  // Converts to an integer, because the baseline processor has no instruction that truncates a
  // double.
  return std::abs(value) >= 0x1p53 ||
         value == static_cast<double>(static_cast<std::int64_t>(value));
}

/// Examines the values of an image block by block. A map has two or more different values besides
/// 0, at least one of them not whole. Nearly all images have one value besides 0, so whether a
/// value is whole is checked only after a second one appears.
class MapSigns {
 public:
  bool is_map() const { return has_others_ && has_fraction_; }

  /// `value(i)` is the i-th of `count` finite numbers.
  template <class ValueAt>
  void look(std::size_t count, const ValueAt& value) {
    if (is_map()) return;
    if (!has_others_) has_others_ = finds_others(count, value);
    if (!has_others_) return;
    if (first_ == 0) {
      std::size_t i = 0;
      while (value(i) == 0) ++i;
      first_ = static_cast<double>(value(i));
      has_fraction_ = !is_whole(first_);
      has_others_ = finds_others(count, value);
    }
    double last = 0;  // values come in runs
    for (std::size_t i = 0; i < count && has_others_ && !has_fraction_; ++i) {
      const auto here = static_cast<double>(value(i));
      has_fraction_ = here != last && !is_whole(here);
      last = here;
    }
  }

 private:
  /// Whether there is a value that is neither 0 nor the first one seen. It has no branches, so that
  /// compilers vectorise it.
  template <class ValueAt>
  bool finds_others(std::size_t count, const ValueAt& value) const {
    using Value = std::decay_t<decltype(value(0))>;
    const auto first = static_cast<Value>(first_);
    std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t> found = 0;
    for (std::size_t i = 0; i < count; ++i)
      found |= static_cast<decltype(found)>(int{value(i) != 0} & int{value(i) != first});
    return found != 0;
  }

  double first_ = 0;
  bool has_others_ = false, has_fraction_ = false;
};

}  // namespace assay
