// SPDX-License-Identifier: Apache-2.0
/// From the voxel type in a header to code for that type: the one place that knows all types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "assay/base/bytes.hpp"
#include "assay/base/half.hpp"
#include "assay/image.hpp"

namespace assay {

/// The type in which a stored T is computed: T itself, but double for 128-bit and float for 16-bit
/// numbers.
template <class T>
using Scalar = std::conditional_t<std::is_same_v<T, Binary128>, double,
                                  std::conditional_t<std::is_same_v<T, Half>, float, T>>;

template <class T, bool swapped>
Scalar<T> load_scalar(const std::byte* at) {
  if constexpr (std::is_same_v<T, Binary128>) {
    return nearest_double(load<T, swapped>(at));
  } else if constexpr (std::is_same_v<T, Half>) {
    return to_float(load<T, swapped>(at));
  } else {
    return load<T, swapped>(at);
  }
}

template <class T, class Visitor>
decltype(auto) visit_order(bool swapped, Visitor&& visitor) {
  if constexpr (sizeof(T) > 1) {
    if (swapped) return std::forward<Visitor>(visitor).template operator()<T, true>();
  }
  return std::forward<Visitor>(visitor).template operator()<T, false>();
}

/// Calls `visitor.operator()<T, swapped>()` for the type and byte order that `header` names.
template <class Visitor>
decltype(auto) visit_stored(const ImageHeader& header, Visitor&& visitor) {
  const bool swapped = header.byte_swapped;
  switch (header.type) {
    case VoxelType::u8: return visit_order<std::uint8_t>(swapped, visitor);
    case VoxelType::i8: return visit_order<std::int8_t>(swapped, visitor);
    case VoxelType::u16: return visit_order<std::uint16_t>(swapped, visitor);
    case VoxelType::i16: return visit_order<std::int16_t>(swapped, visitor);
    case VoxelType::u32: return visit_order<std::uint32_t>(swapped, visitor);
    case VoxelType::i32: return visit_order<std::int32_t>(swapped, visitor);
    case VoxelType::u64: return visit_order<std::uint64_t>(swapped, visitor);
    case VoxelType::i64: return visit_order<std::int64_t>(swapped, visitor);
    case VoxelType::f32: return visit_order<float>(swapped, visitor);
    case VoxelType::f64: return visit_order<double>(swapped, visitor);
    case VoxelType::f128: return visit_order<Binary128>(swapped, visitor);
    case VoxelType::f16: return visit_order<Half>(swapped, visitor);
  }
  __builtin_unreachable();
}

/// The value that a stored number means: computed in double, product first, as nibabel does.
template <class T>
double scaled(T stored, const Scaling& scaling) {
  const auto value = static_cast<double>(stored);
  return scaling.is_identity() ? value : value * scaling.slope + scaling.intercept;
}

/// Throws Error when there are several volumes: masks and labels have one.
void require_one_volume(const Image& image);

/// "(3, 4, 5)": where voxel number `index` is.
std::string place(const Grid& grid, std::size_t index);

}  // namespace assay
