// SPDX-License-Identifier: Apache-2.0
/// Metrics that are functions of voxel counts alone.
#include <algorithm>
#include <cmath>

#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"

namespace assay::metrics {
namespace {

/// For exact products of two counts, which overflow 64 bits for a gigapixel mask.
__extension__ using Wide = __int128;

double product(std::int64_t a, std::int64_t b) {
  return static_cast<double>(Wide{a} * b);
}

/// TP TN - FP FN, rounded once.
double covariance(const Confusion& c) {
  return static_cast<double>(Wide{c.tp} * c.tn - Wide{c.fp} * c.fn);
}

/// Rounding must not carry a correlation out of its range.
Score correlation(double numerator, double denominator) {
  if (denominator == 0) return Undefined::zero_denominator;
  return std::clamp(numerator / denominator, -1.0, 1.0);
}

Score dice(const Confusion& c, const Parameters& with) {
  return ratio(2 * real(c.tp) + with.dice_smooth,
               2 * real(c.tp) + real(c.fp) + real(c.fn) + with.dice_smooth);
}

Score iou(const Confusion& c) {
  return ratio(real(c.tp), real(c.tp + c.fp + c.fn));
}

Score precision(const Confusion& c) {
  return ratio(real(c.tp), real(c.prediction()));
}

Score recall(const Confusion& c) {
  return ratio(real(c.tp), real(c.reference()));
}

Score specificity(const Confusion& c) {
  return ratio(real(c.tn), real(c.tn + c.fp));
}

Score npv(const Confusion& c) {
  return ratio(real(c.tn), real(c.tn + c.fn));
}

Score accuracy(const Confusion& c) {
  return ratio(real(c.tp + c.tn), real(c.total()));
}

Score balanced_accuracy(const Confusion& c) {
  const auto of_reference = value(recall(c)), of_background = value(specificity(c));
  if (!of_reference || !of_background) return Undefined::zero_denominator;
  return (*of_reference + *of_background) / 2;
}

Score fbeta(const Confusion& c, const Parameters& with) {
  const double b2 = with.beta * with.beta, hits = (1 + b2) * real(c.tp);
  return ratio(hits, hits + b2 * real(c.fn) + real(c.fp));
}

Score mcc(const Confusion& c) {
  // Paired so that a perfect prediction gives two exact roots, and so exactly 1.
  return correlation(covariance(c), std::sqrt(product(c.prediction(), c.reference())) *
                                        std::sqrt(product(c.tn + c.fp, c.tn + c.fn)));
}

Score kappa(const Confusion& c) {
  return correlation(2 * covariance(c),
                     product(c.prediction(), c.fp + c.tn) + product(c.reference(), c.fn + c.tn));
}

Score dice_macro(const Confusion& c) {
  const auto part = [&](std::int64_t hits) {
    const std::int64_t sizes = 2 * hits + c.fp + c.fn;
    return sizes == 0 ? 1.0 : 2 * real(hits) / real(sizes);
  };
  return (part(c.tp) + part(c.tn)) / 2;
}

constexpr Metric overlap_table[] = {
    {.name = "dice",
     .title = "Dice similarity coefficient",
     .brief = "Dice",
     .also = "DSC, Dice score, Dice coefficient, Dice similarity, Sørensen-Dice, Sorensen-Dice, "
             "F1, F1 score",
     .group = "overlap",
     .equation = "2 TP / (2 TP + FP + FN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = 1.0},
     .failure = 0.0,
     .note = "Blind to where errors lie; unstable on lesions of a few voxels.",
     .reference = "Dice 1945; Metrics Reloaded 2024",
     .formula = dice},
    {.name = "iou",
     .title = "Intersection over union (Jaccard index)",
     .brief = "IoU",
     .also = "Jaccard, Jaccard index, Jaccard score, Jaccard coefficient, intersection over union",
     .group = "overlap",
     .equation = "TP / (TP + FP + FN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = 1.0},
     .failure = 0.0,
     .note = "Ranks cases exactly as Dice does: IoU = Dice / (2 - Dice).",
     .reference = "Jaccard 1912; Metrics Reloaded 2024",
     .formula = iou},
    {.name = "precision",
     .title = "Precision (positive predictive value)",
     .also = "PPV, positive predictive value",
     .group = "overlap",
     .equation = "TP / (TP + FP)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = Undefined::both_empty, .prediction = Undefined::prediction_empty},
     .failure = 0.0,
     .note = "Undefined when nothing was predicted; read it together with recall.",
     .reference = "Metrics Reloaded 2024",
     .formula = precision},
    {.name = "recall",
     .title = "Recall (sensitivity)",
     .also = "sensitivity, TPR, true positive rate",
     .group = "overlap",
     .equation = "TP / (TP + FN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = Undefined::both_empty, .reference = Undefined::reference_empty},
     .failure = 0.0,
     .note = "A prediction that fills the image has recall 1.",
     .reference = "Metrics Reloaded 2024",
     .formula = recall},
    {.name = "specificity",
     .title = "Specificity",
     .also = "TNR, true negative rate",
     .group = "overlap",
     .equation = "TN / (TN + FP)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Close to 1 for any small lesion: it depends on how much background the image shows.",
     .reference = "Metrics Reloaded 2024",
     .formula = specificity},
    {.name = "npv",
     .title = "Negative predictive value",
     .brief = "NPV",
     .group = "overlap",
     .equation = "TN / (TN + FN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Close to 1 for any small lesion: it depends on how much background the image shows.",
     .reference = "Metrics Reloaded 2024",
     .formula = npv},
    {.name = "accuracy",
     .title = "Voxel accuracy",
     .also = "ACC",
     .group = "overlap",
     .equation = "(TP + TN) / (TP + FP + FN + TN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Rewards predicting nothing when lesions are small; do not rank by it.",
     .reference = "Metrics Reloaded 2024",
     .formula = accuracy},
    {.name = "balanced_accuracy",
     .title = "Balanced accuracy",
     .also = "BACC",
     .group = "overlap",
     .equation = "(recall + specificity) / 2",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = Undefined::both_empty, .reference = Undefined::reference_empty},
     .failure = 0.0,
     .note = "Half of it is specificity, which hardly moves for small lesions.",
     .reference = "Metrics Reloaded 2024",
     .formula = balanced_accuracy},
    {.name = "fbeta",
     .title = "F-beta score",
     .brief = "F-beta",
     .group = "overlap",
     .equation = "(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = 1.0},
     .failure = 0.0,
     .note =
         "beta is in the settings; with beta 1 it is Dice, above 1 it weighs missed voxels more.",
     .reference = "van Rijsbergen 1979; Metrics Reloaded 2024",
     .formula = fbeta},
    {.name = "mcc",
     .title = "Matthews correlation coefficient",
     .brief = "MCC",
     .also = "Matthews, Matthews correlation",
     .group = "overlap",
     .equation = "(TP TN - FP FN) / sqrt((TP+FP) (TP+FN) (TN+FP) (TN+FN))",
     .unit = "",
     .better = Better::higher,
     .range = {-1, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Depends on the field of view through TN; undefined when a mask is empty or full.",
     .reference = "Matthews 1975",
     .formula = mcc},
    {.name = "kappa",
     .title = "Cohen's kappa",
     .also = "Cohen kappa",
     .group = "overlap",
     .equation = "2 (TP TN - FP FN) / ((TP+FP) (FP+TN) + (TP+FN) (FN+TN))",
     .unit = "",
     .better = Better::higher,
     .range = {-1, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Agreement beyond chance; depends on prevalence.",
     .reference = "Cohen 1960",
     .formula = kappa},
    {.name = "dice_macro",
     .title = "Macro Dice (mean of lesion and background)",
     .brief = "macro Dice",
     .also = "macro Dice",
     .group = "overlap",
     .equation = "(2 TP / (2 TP + FP + FN) + 2 TN / (2 TN + FP + FN)) / 2",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {},
     .failure = 0.0,
     .note = "Background counts half, so values look better than Dice; some papers report this one "
             "as Dice.",
     .reference = "Metrics Reloaded 2024",
     .formula = dice_macro},
};

}  // namespace

constinit const std::span<const Metric> overlap_metrics = overlap_table;

}  // namespace assay::metrics
