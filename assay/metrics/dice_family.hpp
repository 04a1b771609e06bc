// SPDX-License-Identifier: Apache-2.0
/// Dice of batches as training code has them: arrays (B, C, ...) of boolean masks, one-hot labels
/// or probabilities, and the gradient of soft Dice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/core/executor.hpp"
#include "assay/core/half.hpp"
#include "assay/stats/named.hpp"

namespace assay {

enum class Reduction { mean, median, sum, none };

/// `assay`: a score per sample and class, `if_empty` put in per entry, the true median. The others
/// reproduce MIPCandy: its documentation, and two releases.
enum class DicePolicy { assay, mipcandy_doc, mipcandy_1_1_1, mipcandy_1_1_2 };

std::span<const Named<Reduction>> reductions();
std::span<const Named<DicePolicy>> dice_policies();

/// Contiguous values of `batch` samples and `classes` classes, the spatial axes as one. `T` is
/// std::uint8_t (masks), Half, float or double.
template <class T>
struct BatchView {
  const T* values = nullptr;
  std::size_t batch = 0, classes = 0, voxels = 0;
};

/// Scores with the shape that they have before and after reduction; no shape: one number.
struct BatchScores {
  std::vector<double> values;
  std::vector<std::size_t> shape;
};

struct DiceOptions {
  double if_empty = 1;
  DicePolicy policy = DicePolicy::assay;
  Executor executor{};
};

struct SoftDiceOptions {
  double smooth = 1;
  bool batch_dice = true;  ///< sum over the batch too: one score per class
  DicePolicy policy = DicePolicy::assay;
  Executor executor{};
};

/// One score per sample; (B, 1, ...) masks. Releases of MIPCandy refuse more than one sample.
BatchScores binary_dice(BatchView<std::uint8_t> outputs, BatchView<std::uint8_t> labels,
                        const DiceOptions& options = {});

/// 2 TP / (2 TP + FP + FN) per sample and class, of one-hot values.
template <class T>
BatchScores dice_similarity_coefficient(BatchView<T> outputs, BatchView<T> labels,
                                        const DiceOptions& options = {});

/// (2 sum pg + smooth) / (sum p + sum g + smooth), per class or per sample and class.
template <class T>
BatchScores soft_dice(BatchView<T> outputs, BatchView<T> labels,
                      const SoftDiceOptions& options = {});

/// The gradient of the reduced score by `outputs`, times `upstream` (one number, or one per score
/// where nothing is reduced), into `gradient`, which is as long as the outputs.
template <class T>
void soft_dice_gradient(BatchView<T> outputs, BatchView<T> labels, Reduction reduction,
                        std::span<const double> upstream, std::span<T> gradient,
                        const SoftDiceOptions& options = {});

/// The mean, median or sum of all scores as one number. MIPCandy's median is the lower of the two
/// middle values. No scores: NaN (the sum is 0).
BatchScores reduced(const BatchScores& scores, Reduction reduction,
                    DicePolicy policy = DicePolicy::assay);

}  // namespace assay
