// SPDX-License-Identifier: Apache-2.0
/// Dice of batches as training code has them: arrays (B, C, ...) of boolean masks, one-hot labels
/// or probabilities, and the gradient of soft Dice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/base/half.hpp"
#include "assay/base/named.hpp"
#include "assay/executor.hpp"

namespace assay::metrics {

enum class Reduction { mean, median, sum, none };

/// `assay`: a score per sample and class, `if_empty` used per entry, the true median. The others
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

/// Scores with their shape, before or after reduction; an empty shape means one number.
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

/// The sums that every Dice score follows from: of p, of g, and of p times g.
struct OverlapSums {
  double both = 0, outputs = 0, labels = 0;
  double volume() const { return outputs + labels; }
};

/// The evidence of soft Dice, gathered once for the scores and their gradients.
struct SoftDiceSums {
  std::vector<OverlapSums> sums;      ///< one for each score
  std::vector<std::size_t> score_of;  ///< the score that each sample and class belongs to
  std::vector<std::size_t> shape;     ///< of the scores
};

template <class T>
SoftDiceSums soft_dice_sums(BatchView<T> outputs, BatchView<T> labels,
                            const SoftDiceOptions& options = {});

/// (2 sum pg + smooth) / (sum p + sum g + smooth), per class or per sample and class.
BatchScores soft_dice(const SoftDiceSums& evidence, double smooth);

/// The same from the arrays.
template <class T>
BatchScores soft_dice(BatchView<T> outputs, BatchView<T> labels,
                      const SoftDiceOptions& options = {}) {
  return soft_dice(soft_dice_sums(outputs, labels, options), options.smooth);
}

/// Where a gradient comes from: how the scores were reduced, and the derivative of everything after
/// that with respect to the result (one number, or one for each score where nothing was reduced).
struct Upstream {
  Reduction reduction = Reduction::mean;
  std::span<const double> gradient;
};

/// Writes the gradient of the reduced score, times the upstream one, to `gradient`. Soft Dice is
/// symmetric: with the labels as `other` it is the gradient with respect to the outputs, and with
/// the outputs as `other` the gradient with respect to the labels.
template <class T>
void soft_dice_gradient(const SoftDiceSums& evidence, BatchView<T> other, const Upstream& upstream,
                        std::span<T> gradient, const SoftDiceOptions& options = {});

/// The gradient with respect to `outputs`, from the arrays.
template <class T>
void soft_dice_gradient(BatchView<T> outputs, BatchView<T> labels, const Upstream& upstream,
                        std::span<T> gradient, const SoftDiceOptions& options = {}) {
  soft_dice_gradient(soft_dice_sums(outputs, labels, options), labels, upstream, gradient, options);
}

/// The mean, median or sum of all scores as one number. MIPCandy's median is the lower of the two
/// middle values. No scores: NaN (the sum is 0).
BatchScores reduced(const BatchScores& scores, Reduction reduction,
                    DicePolicy policy = DicePolicy::assay);

}  // namespace assay::metrics
