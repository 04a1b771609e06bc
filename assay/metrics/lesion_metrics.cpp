// SPDX-License-Identifier: Apache-2.0
/// Metrics that count lesions, not voxels.
#include <cstdlib>

#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"

namespace assay::metrics {
namespace {

Score lesion_precision(const LesionEvidence& e) {
  return ratio(real(e.confirmed), real(e.predictions));
}

Score lesion_recall(const LesionEvidence& e) {
  return ratio(real(e.detected), real(e.references));
}

/// Nothing to find and no false alarm. Small lesions may have been left out, together with the
/// predictions next to them.
bool has_no_lesion(const LesionEvidence& e) {
  return e.references == 0 && e.false_alarms() == 0;
}

Score lesion_f1(const LesionEvidence& e) {
  if (has_no_lesion(e)) return 1.0;
  if (!e.harmonic_f1)
    return ratio(2 * real(e.detected), real(2 * e.detected + e.missed() + e.false_alarms()));
  const auto p = value(lesion_precision(e)), r = value(lesion_recall(e));
  if (!p || !r || *p + *r == 0) return 0.0;
  return 2 * *p * *r / (*p + *r);
}

/// The mean over the reference's lesions and the false alarms, as in BraTS.
Score lesion_dice(const LesionEvidence& e) {
  if (has_no_lesion(e)) return 1.0;
  return ratio(e.dice_sum, real(e.references + e.false_alarms()));
}

Score lesion_hd95(const LesionEvidence& e) {
  if (has_no_lesion(e)) return 0.0;
  return ratio(e.hd95_sum_mm + real(e.missed() + e.false_alarms()) * e.penalty_mm,
               real(e.references + e.false_alarms()));
}

Score lesion_count_difference(const LesionEvidence& e) {
  return real(std::abs(e.predictions - e.references));
}

Score sq(const LesionEvidence& e) {
  return ratio(e.iou_sum, real(e.iou_pairs));
}

Score rq(const LesionEvidence& e) {
  return ratio(2 * real(e.iou_pairs), real(e.references + e.predictions));
}

Score pq(const LesionEvidence& e) {
  return ratio(2 * e.iou_sum, real(e.references + e.predictions));
}

constexpr EmptyRule perfect_if_both = {.both = 1.0};
constexpr EmptyRule not_both = {.both = Undefined::both_empty};

constexpr Metric lesion_table[] = {
    {.name = "lesion_precision",
     .title = "Lesion-wise precision",
     .also = "lesion PPV",
     .group = "lesion",
     .equation = "true lesions of the prediction / its lesions",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = Undefined::both_empty, .prediction = Undefined::prediction_empty},
     .failure = 0.0,
     .note = "--lesion-rule, --connectivity and --min-lesion-ml decide which lesions are true.",
     .reference = "Commowick et al. 2018 (PPVL)",
     .formula = lesion_precision},
    {.name = "lesion_recall",
     .title = "Lesion-wise recall",
     .also = "lesion sensitivity, lesion TPR, lesion-wise sensitivity",
     .group = "lesion",
     .equation = "detected lesions of the reference / its lesions",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = Undefined::both_empty, .reference = Undefined::reference_empty},
     .failure = 0.0,
     .note = "Small lesions count as much as large ones: read it together with the sensitivity by "
             "size.",
     .reference = "Commowick et al. 2018 (SensL)",
     .formula = lesion_recall},
    {.name = "lesion_f1",
     .title = "Lesion-wise F1 score",
     .brief = "lesion F1",
     .also = "lesion-wise F1, lesion F1 score",
     .group = "lesion",
     .equation = "2 detected / (2 detected + missed + false)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = perfect_if_both,
     .failure = 0.0,
     .note = "The harmonic mean of lesion_precision and lesion_recall under the anima rule.",
     .reference = "ISLES challenge 2022",
     .formula = lesion_f1},
    {.name = "lesion_dice",
     .title = "Lesion-wise Dice",
     .brief = "lesion Dice",
     .group = "lesion",
     .equation = "sum of Dice over the reference's lesions / (lesions + false lesions)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = perfect_if_both,
     .failure = 0.0,
     .note =
         "Scores each lesion against everything matched with it; missed and false lesions count 0.",
     .reference = "BraTS challenge 2023",
     .formula = lesion_dice},
    {.name = "lesion_hd95",
     .title = "Lesion-wise HD95",
     .brief = "lesion HD95",
     .group = "lesion",
     .equation =
         "(sum of HD95 over detected lesions + penalty (missed + false)) / (lesions + false)",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = {.both = 0.0},
     .failure = infinity,
     .note = "The penalty is the image's diagonal, 374 mm under the brats rule: it dominates.",
     .reference = "BraTS challenge 2023",
     .formula = lesion_hd95},
    {.name = "lesion_count_difference",
     .title = "Difference in the number of lesions",
     .group = "lesion",
     .equation = "|lesions of the prediction - lesions of the reference|",
     .unit = "",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = {.both = 0.0},
     .failure = std::nullopt,
     .note = "Zero does not mean that the same lesions were found.",
     .reference = "ISLES challenge 2022",
     .formula = lesion_count_difference},
    {.name = "pq",
     .title = "Panoptic quality",
     .brief = "PQ",
     .group = "lesion",
     .equation = "sum of IoU over pairs with IoU > 0.5 / (pairs + false / 2 + missed / 2)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = not_both,
     .failure = 0.0,
     .note = "Pairs need IoU > 0.5, whatever the --lesion-rule; pq = sq * rq.",
     .reference = "Kirillov et al. 2019",
     .formula = pq},
    {.name = "sq",
     .title = "Segmentation quality",
     .brief = "SQ",
     .group = "lesion",
     .equation = "mean IoU over pairs with IoU > 0.5",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = not_both,
     .failure = 0.0,
     .note = "Covers only lesions that were found; undefined when none was.",
     .reference = "Kirillov et al. 2019",
     .formula = sq},
    {.name = "rq",
     .title = "Recognition quality",
     .brief = "RQ",
     .group = "lesion",
     .equation = "pairs with IoU > 0.5 / (pairs + false / 2 + missed / 2)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = not_both,
     .failure = 0.0,
     .note = "F1 of lesions at IoU > 0.5, a strict limit for small ones.",
     .reference = "Kirillov et al. 2019",
     .formula = rq},
};

}  // namespace

constinit const std::span<const Metric> lesion_metrics = lesion_table;

}  // namespace assay::metrics
