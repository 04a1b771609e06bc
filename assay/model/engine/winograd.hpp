// SPDX-License-Identifier: Apache-2.0
/// The inner loops of a network, for any width of vector.
//
// A 3x3x3 convolution costs 27 multiplications per pair of channels and voxel. Winograd's minimal
// filtering (Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016) computes
// 4x4 outputs of a 3x3 filter from 6x6 inputs with 36 products instead of 144. Filter and inputs
// are transformed, multiplied point by point, and the product is transformed back,
//
//     Y = A' [ (G g G') . (B' d B) ] A.
//
// Here it is applied to the two slow axes, z and y, while the three taps along x stay direct. That
// costs 6.75 multiplications per pair of channels and voxel instead of 27. Three observations make
// it cheap.
//
//  * Dilation. A convolution with dilation d is d^3 independent dense ones on the sub-lattices of
//    every d-th voxel. Along z and y the neighbours of a voxel are other rows, so a sub-lattice is
//    only another choice of rows: a tile takes 6x6 rows that lie d apart. Along x the taps read the
//    same row d voxels to the left and right. No dilation costs more than another.
//  * Vectors run along x. The transforms work on whole rows, lane by lane: no shuffles, and any
//    number of channels without padding.
//  * After the transform, all that is left for each of the 36 frequencies is a small matrix
//    product: outputs x (inputs * 3), times (inputs * 3) x voxels. Its right side is C rows in the
//    first-level cache; its left side was transformed when the weights were packed.
//
// One tile is processed chunk by chunk along x, so that the transformed values stay in the
// second-level cache. Bias and activation are applied on the way out. The result is stored past the
// caches, since nothing reads it before the next layer. Products are summed in one fixed order, so
// the result does not depend on which thread computes a tile.
//
// The transforms interpolate at six points. With the usual 0, +-1, +-2 and infinity their
// coefficients grow to 8 and more, and so do rounding errors. With +-1/sqrt(2) and +-sqrt(2)
// instead they stay near 1 at the same number of instructions (on the choice of points: Barabasz,
// Anderson, Soodhalter & Gregg, ACM TOMS 46, 2020). Measured on random networks, errors fall to
// less than half. Tests hold the logits to within 2e-6 of those in double precision.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/model/engine/kernels.hpp"
#include "assay/model/engine/lanes.hpp"

namespace assay::model {

/// `Set` names a processor: lanes, registers, and how to store past the caches.
template <class Set>
struct Winograd {
  using L = Lanes<Set::lanes>;
  using Floats = typename L::Floats;
  static constexpr std::size_t lanes = Set::lanes, across = Set::vectors * lanes;
  static constexpr float near_point =
      0.707106781F;  ///< the other points are +-this, +-its double, 0 and infinity

  /// B' applied to six values.
  [[gnu::always_inline]] static void into_frequencies(const Floats* d, Floats* out) {
    const Floats a = d[4] - 2 * d[2], b = d[3] - 2 * d[1];
    const Floats c = d[4] - 0.5F * d[2], e = 2 * d[3] - d[1];
    out[0] = d[0] + (d[4] - 2.5F * d[2]);
    out[1] = a + near_point * b;
    out[2] = a - near_point * b;
    out[3] = c + near_point * e;
    out[4] = c - near_point * e;
    out[5] = d[1] + (d[5] - 2.5F * d[3]);
  }

  /// A' applied to six values: four outputs.
  [[gnu::always_inline]] static void out_of_frequencies(const Floats* m, Floats* out) {
    const Floats s1 = m[1] + m[2], e1 = m[1] - m[2], s2 = m[3] + m[4], e2 = m[3] - m[4];
    out[0] = m[0] + (s1 + s2);
    out[1] = near_point * (e1 + 2 * e2);
    out[2] = 0.5F * s1 + 2 * s2;
    out[3] = near_point * (0.5F * e1 + 4 * e2) + m[5];
  }

  /// One vector of one channel: 6x6 rows into 36 frequencies, `stride` floats apart.
  [[gnu::always_inline]] static void transform_vector(const float* const* rows, std::ptrdiff_t x,
                                                      float* out, std::size_t stride) {
    Floats half[frequencies], in[window_side], done[window_side];
    for (std::size_t k = 0; k < window_side; ++k) {
#pragma GCC unroll 6
      for (std::size_t j = 0; j < window_side; ++j) in[j] = L::load(rows[window_side * j + k] + x);
      into_frequencies(in, done);
#pragma GCC unroll 6
      for (std::size_t j = 0; j < window_side; ++j) half[window_side * j + k] = done[j];
    }
    for (std::size_t j = 0; j < window_side; ++j) {
      into_frequencies(half + window_side * j, done);
#pragma GCC unroll 6
      for (std::size_t k = 0; k < window_side; ++k)
        L::store(out + (window_side * j + k) * stride, done[k]);
    }
  }

  static void clear(float* out, std::size_t stride) {
    for (std::size_t f = 0; f < frequencies; ++f) L::store(out + f * stride, Floats{});
  }

  /// All channels of a chunk that starts at `x0`, with the halo on both sides.
  static void transform_inputs(const ConvolutionPlan& plan, const ConvolutionTile& tile,
                               std::size_t x0, std::size_t chunk) {
    const std::size_t length = chunk + 2 * plan.halo;
    const auto first = static_cast<std::ptrdiff_t>(x0) - static_cast<std::ptrdiff_t>(plan.halo);
    const auto end = static_cast<std::ptrdiff_t>(tile.padded_width);
    for (std::size_t c = 0; c < plan.inputs; ++c) {
      const float* rows[frequencies];
      for (std::size_t f = 0; f < frequencies; ++f)
        rows[f] = tile.rows[f] + c * tile.row_strides[f];
      float* out = tile.scratch + c * (plan.chunk + 2 * plan.halo);
      for (std::size_t i = 0; i < length; i += lanes) {
        const std::ptrdiff_t x = first + static_cast<std::ptrdiff_t>(i);
        if (x >= 0 && x < end)
          transform_vector(rows, x, out + i, plan.before);
        else
          clear(out + i, plan.before);
      }
    }
  }

  /// One block of the matrix product of one frequency: `outputs` rows of `across` voxels.
  template <std::size_t outputs>
  static void multiply(const ConvolutionPlan& plan, const float* in, const float* weights,
                       float* out) {
    Floats sums[outputs][Set::vectors] = {};
    const std::size_t stride = plan.chunk + 2 * plan.halo;
    const float* taps[3] = {in - plan.dilation, in, in + plan.dilation};
    for (std::size_t c = 0; c < plan.inputs; ++c) {
#pragma GCC unroll 3
      for (std::size_t t = 0; t < 3; ++t) {
        Floats voxels[Set::vectors];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < Set::vectors; ++v)
          voxels[v] = L::load(taps[t] + c * stride + v * lanes);
#pragma GCC unroll 16
        for (std::size_t o = 0; o < outputs; ++o)
#pragma GCC unroll 4
          for (std::size_t v = 0; v < Set::vectors; ++v)
            sums[o][v] = sums[o][v] + weights[t * outputs + o] * voxels[v];
      }
      weights += 3 * outputs;
    }
#pragma GCC unroll 16
    for (std::size_t o = 0; o < outputs; ++o)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Set::vectors; ++v)
        L::store(out + o * plan.chunk + v * lanes, sums[o][v]);
  }

  using Multiply = void (*)(const ConvolutionPlan&, const float*, const float*, float*);

  template <std::size_t outputs = 1>
  static Multiply multiply_of(std::size_t count) {
    if constexpr (outputs < Set::most_outputs)
      if (count > outputs) return multiply_of<outputs + 1>(count);
    return multiply<outputs>;
  }

  /// The products of all frequencies; blocks of outputs are as equal in size as possible.
  static void multiply_all(const ConvolutionPlan& plan, const float* before, float* after,
                           std::size_t chunk) {
    const std::size_t blocks = (plan.outputs + Set::most_outputs - 1) / Set::most_outputs;
    const std::size_t small = plan.outputs / blocks, larger = plan.outputs % blocks;
    const Multiply by_size[2] = {multiply_of(small), multiply_of(small + 1)};
    const float* weights = plan.weights;
    for (std::size_t f = 0; f < frequencies; ++f) {
      float* out = after + f * plan.after;
      for (std::size_t b = 0; b < blocks; ++b) {
        const bool is_larger = b < larger;
        const std::size_t count = small + (is_larger ? 1 : 0);
        for (std::size_t x = 0; x < chunk; x += across)
          by_size[is_larger ? 1 : 0](plan, before + f * plan.before + plan.halo + x, weights,
                                     out + x);
        weights += count * plan.inputs * 3;
        out += count * plan.chunk;
      }
    }
  }

  /// One vector of one output channel: 36 products into 4x4 rows.
  template <Activation activation>
  [[gnu::always_inline]] static void inverse_vector(const float* in, std::size_t stride, float bias,
                                                    Floats* out) {
    Floats half[window_side * tile_side], column[window_side], done[tile_side];
    for (std::size_t k = 0; k < window_side; ++k) {
#pragma GCC unroll 6
      for (std::size_t j = 0; j < window_side; ++j)
        column[j] = L::load(in + (window_side * j + k) * stride);
      out_of_frequencies(column, done);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < tile_side; ++j) half[window_side * j + k] = done[j];
    }
    for (std::size_t j = 0; j < tile_side; ++j) {
      out_of_frequencies(half + window_side * j, out + tile_side * j);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < tile_side; ++k)
        out[tile_side * j + k] = L::template activated<activation>(out[tile_side * j + k] + bias);
    }
  }

  /// Stores what lies within the volume, and zeros up to the padded width.
  template <Activation activation>
  static void transform_outputs(const ConvolutionPlan& plan, const ConvolutionTile& tile,
                                const float* after, std::size_t x0) {
    const std::size_t left = tile.padded_width - x0;
    const std::size_t length = left < plan.chunk ? left : plan.chunk;
    for (std::size_t o = 0; o < plan.outputs; ++o)
      for (std::size_t i = 0; i < length; i += lanes) {
        Floats out[tile_side * tile_side];
        inverse_vector<activation>(after + o * plan.chunk + i, plan.after, plan.bias[o], out);
        const std::size_t x = x0 + i;
        const bool is_whole = x + lanes <= tile.width;
        const Floats* found = out;
        for (std::size_t r = 0; r < tile_side * tile_side; ++r) {
          if (tile.outputs[r] == nullptr) continue;
          Set::stream(tile.outputs[r] + o * tile.output_stride + x,
                      is_whole ? found[r] : L::first(found[r], tile.width, x));
        }
      }
  }

  using Outputs = void (*)(const ConvolutionPlan&, const ConvolutionTile&, const float*,
                           std::size_t);

  static void convolve(const ConvolutionPlan& plan, const ConvolutionTile& tile) {
    constexpr Outputs outputs[] = {
        transform_outputs<Activation::none>, transform_outputs<Activation::relu>,
        transform_outputs<Activation::elu>, transform_outputs<Activation::gelu>};
    float* after = tile.scratch + frequencies * plan.before;
    for (std::size_t x = 0; x < tile.padded_width; x += plan.chunk) {
      const std::size_t left = tile.padded_width - x;
      const std::size_t used =
          left < plan.chunk ? (left + across - 1) / across * across : plan.chunk;
      transform_inputs(plan, tile, x, used);
      multiply_all(plan, tile.scratch, after, used);
      outputs[static_cast<std::size_t>(plan.activation)](plan, tile, after, x);
    }
    Set::finish();
  }
};

}  // namespace assay::model
