// SPDX-License-Identifier: Apache-2.0
/// Vectors of floats in the compiler's own notation, and the functions of networks on them. The
/// source is the same for every processor. Everything is inlined, so no code compiled for one
/// processor can be called on another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/model/engine/network.hpp"

namespace assay::model {

template <std::size_t lanes>
struct Vectors;
template <>
struct Vectors<4> {
  typedef float Floats [[gnu::vector_size(16)]];
  typedef std::uint32_t Integers [[gnu::vector_size(16)]];
};
template <>
struct Vectors<8> {
  typedef float Floats [[gnu::vector_size(32)]];
  typedef std::uint32_t Integers [[gnu::vector_size(32)]];
};
template <>
struct Vectors<16> {
  typedef float Floats [[gnu::vector_size(64)]];
  typedef std::uint32_t Integers [[gnu::vector_size(64)]];
};

template <std::size_t lanes>
struct Lanes {
  using Floats = typename Vectors<lanes>::Floats;
  using Integers = typename Vectors<lanes>::Integers;

  [[gnu::always_inline]] static Floats load(const float* at) {
    Floats out;
    __builtin_memcpy(&out, at, sizeof out);
    return out;
  }
  [[gnu::always_inline]] static void store(float* at, Floats value) {
    __builtin_memcpy(at, &value, sizeof value);
  }

  /// The lanes of a vector at `x` that lie before `width`; the others become zero.
  [[gnu::always_inline]] static Floats first(Floats value, std::size_t width, std::size_t x) {
    Floats out = {};
    for (std::size_t i = 0; i < lanes && x + i < width; ++i) out[i] = value[i];
    return out;
  }

  /// exp(x) - 1 for x <= 0, exact near 0: the exponential's series times a power of two.
  [[gnu::always_inline]] static Floats exponential_minus_one(Floats x) {
    constexpr float least = -87.0F, rounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds
    x = x < least ? Floats{} + least : x;
    const Floats shifted = x * 1.44269504F + rounder;
    const Floats n = shifted - rounder;
    x = x - n * 0.693359375F;
    x = x + n * 2.12194440e-4F;
    Floats p = x * 1.9875691500e-4F + 1.3981999507e-3F;
    p = p * x + 8.3334519073e-3F;
    p = p * x + 4.1665795894e-2F;
    p = p * x + 1.6666665459e-1F;
    p = p * x + 5.0000001201e-1F;
    p = p * x * x + x;
    const auto power = reinterpret_cast<Floats>((reinterpret_cast<Integers>(shifted) << 23) +
                                                (127U << 23));  // the rounder's bits shift out
    return p * power + (power - 1.0F);
  }

  /// The error function: a polynomial near 0, one minus an exponential beyond.
  [[gnu::always_inline]] static Floats error_function(Floats a) {
    const Floats t = a < 0.0F ? -a : a, s = a * a;
    Floats far = t * -1.72853470e-5F + 3.83197126e-4F;
    const Floats u = t * -3.88396438e-3F + 2.42546219e-2F;
    far = far * s + u;
    far = far * t - 1.06777877e-1F;
    far = far * t - 6.34846687e-1F;
    far = far * t - 1.28717512e-1F;
    far = far * t - t;
    far = -exponential_minus_one(far);
    far = a < 0.0F ? -far : far;
    Floats near = s * -5.96761703e-4F + 4.99119423e-3F;
    near = near * s - 2.67681349e-2F;
    near = near * s + 1.12819925e-1F;
    near = near * s - 3.76125336e-1F;
    near = near * s + 1.28379166e-1F;
    near = near * a + a;
    return t > 0.927734375F ? far : near;
  }

  template <Activation activation>
  [[gnu::always_inline]] static Floats activated(Floats x) {
    if constexpr (activation == Activation::relu) return x > 0.0F ? x : Floats{};
    if constexpr (activation == Activation::elu) {
      const Floats below = x < 0.0F ? x : Floats{};
      return x > 0.0F ? x : exponential_minus_one(below);
    }
    if constexpr (activation == Activation::gelu) {
      const Floats half = x * 0.5F;
      return half + half * error_function(x * 0.707106781F);
    }
    return x;
  }
};

}  // namespace assay::model
