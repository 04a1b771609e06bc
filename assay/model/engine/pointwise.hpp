// SPDX-License-Identifier: Apache-2.0
/// The loops that treat one voxel at a time: the classifier with its argmax, and the second half of
/// a normalisation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/model/engine/kernels.hpp"
#include "assay/model/engine/lanes.hpp"

namespace assay::model {

template <class Set>
struct Pointwise {
  using L = Lanes<Set::lanes>;
  using Floats = typename L::Floats;
  static constexpr std::size_t lanes = Set::lanes;

  /// The logits of four classes at `lanes` voxels.
  [[gnu::always_inline]] static void block(const ClassifierPlan& plan, const ClassifierRow& row,
                                           std::size_t x, std::size_t first, Floats* sums) {
    const float* weights = plan.weights + first * plan.inputs;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < classes_abreast; ++k) sums[k] = Floats{} + plan.bias[first + k];
    for (std::size_t c = 0; c < plan.inputs; ++c) {
      const Floats voxels = L::load(row.row + c * row.stride + x);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < classes_abreast; ++k)
        sums[k] = sums[k] + weights[c * classes_abreast + k] * voxels;
    }
  }

  static void keep(const ClassifierRow& row, std::size_t k, std::size_t x, Floats logits) {
    for (std::size_t i = 0; i < lanes && x + i < row.width; ++i)
      row.logits[k * row.class_stride + x + i] = logits[i];
  }

  /// A class wins only with a larger logit than all before it, so ties go to the lower class.
  static void classify(const ClassifierPlan& plan, const ClassifierRow& row) {
    for (std::size_t x = 0; x < row.width; x += lanes) {
      Floats best = Floats{} - __builtin_inff(), winner = {};
      for (std::size_t first = 0; first < plan.classes; first += classes_abreast) {
        Floats sums[classes_abreast];
        block(plan, row, x, first, sums);
        for (std::size_t k = 0; k < classes_abreast; ++k) {
          const auto wins = sums[k] > best;
          best = wins ? sums[k] : best;
          winner = wins ? Floats{} + static_cast<float>(first + k) : winner;
          if (row.logits != nullptr && first + k < plan.classes) keep(row, first + k, x, sums[k]);
        }
      }
      for (std::size_t i = 0; i < lanes && x + i < row.width; ++i)
        row.labels[x + i] = static_cast<std::uint8_t>(winner[i]);
    }
  }

  template <Activation activation>
  static void normalise_row(const NormalisedRow& row) {
    for (std::size_t x = 0; x < row.padded_width; x += lanes) {
      const Floats value = L::load(row.row + x) * row.scale + row.shift;
      L::store(row.row + x, L::first(L::template activated<activation>(value), row.width, x));
    }
  }

  static void normalise(const NormalisedRow& row) {
    constexpr void (*by_activation[])(const NormalisedRow&) = {
        normalise_row<Activation::none>, normalise_row<Activation::relu>,
        normalise_row<Activation::elu>, normalise_row<Activation::gelu>};
    by_activation[static_cast<std::size_t>(row.activation)](row);
  }
};

}  // namespace assay::model
