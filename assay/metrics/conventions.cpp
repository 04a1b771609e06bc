// SPDX-License-Identifier: Apache-2.0
/// How other tools settle what definitions leave open: one row for each tool, with short lists of
/// exceptions.
#include "assay/metrics.hpp"

namespace assay::metrics {
namespace {

using Elements = SurfaceRules::Elements;

constexpr EmptyRule reference_needed = {.both = Undefined::both_empty,
                                        .reference = Undefined::reference_empty};
constexpr EmptyRule not_both_empty = {.both = Undefined::both_empty};
constexpr EmptyRule not_one_empty = {.both = Undefined::both_empty,
                                     .reference = Undefined::reference_empty,
                                     .prediction = Undefined::prediction_empty};
constexpr EmptyRule endless_if_one_empty = {.reference = infinity, .prediction = infinity};
constexpr EmptyRule endless_unless_both = {
    .both = Undefined::both_empty, .reference = infinity, .prediction = infinity};
constexpr EmptyRule endless = {.both = infinity, .reference = infinity, .prediction = infinity};

constexpr std::string_view spec_covers[] = {"dice", "avd", "mcc", "dice_macro"};
constexpr Convention::Override spec_overrides[] = {
    {.metric = "avd", .empty = {.reference = infinity}},
    {.metric = "mcc", .empty = {}, .otherwise = 0.0},
};

constexpr std::string_view monai_covers[] = {
    "dice",  "iou", "precision", "recall", "specificity", "npv", "accuracy", "balanced_accuracy",
    "fbeta", "mcc", "hd",        "hd95",   "assd",        "nsd"};
constexpr Convention::Override monai_overrides[] = {
    {.metric = "dice", .empty = reference_needed},
    {.metric = "iou", .empty = reference_needed},
    {.metric = "fbeta", .empty = not_both_empty},
    {.metric = "hd", .empty = endless_unless_both},
    {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = endless_unless_both},
    {.metric = "masd", .empty = endless_unless_both},
    {.metric = "nsd", .empty = not_both_empty},
};

constexpr std::string_view nnunet_covers[] = {"dice", "iou"};
constexpr Convention::Override nnunet_overrides[] = {
    {.metric = "dice", .empty = not_both_empty},
    {.metric = "iou", .empty = not_both_empty},
};

constexpr std::string_view deepmind_covers[] = {"dice", "hd", "hd95", "masd", "nsd"};
constexpr Convention::Override deepmind_overrides[] = {
    {.metric = "dice", .empty = not_both_empty}, {.metric = "hd", .empty = endless},
    {.metric = "hd95", .empty = endless},        {.metric = "assd", .empty = not_both_empty},
    {.metric = "masd", .empty = not_both_empty}, {.metric = "nsd", .empty = not_both_empty},
};

constexpr std::string_view faces_covers[] = {"dice", "iou", "hd", "hd95", "assd", "masd", "nsd"};
constexpr Convention::Override faces_overrides[] = {
    {.metric = "hd", .empty = endless_if_one_empty},
    {.metric = "hd95", .empty = endless_if_one_empty},
    {.metric = "assd", .empty = endless_if_one_empty},
    {.metric = "masd", .empty = endless_if_one_empty},
};

constexpr std::string_view medpy_covers[] = {"dice", "iou", "precision", "recall", "specificity",
                                             "rvd",  "hd",  "hd95",      "assd"};
constexpr Convention::Override medpy_overrides[] = {
    {.metric = "precision", .empty = {.both = 0.0, .prediction = 0.0}},
    {.metric = "recall", .empty = {.both = 0.0, .reference = 0.0}},
    {.metric = "specificity", .empty = {}, .otherwise = 0.0},
    {.metric = "rvd", .empty = not_both_empty},
    {.metric = "hd", .empty = not_both_empty},
    {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = not_both_empty},
    {.metric = "masd", .empty = not_both_empty},
};

constexpr std::string_view panoptica_covers[] = {
    "dice",          "iou",       "avd", "rvd", "hd", "hd95", "assd", "nsd", "lesion_precision",
    "lesion_recall", "lesion_f1", "pq",  "sq",  "rq"};
constexpr Convention::Override panoptica_overrides[] = {
    {.metric = "dice", .empty = not_both_empty},
    {.metric = "iou", .empty = not_both_empty},
    {.metric = "avd", .empty = not_one_empty},
    {.metric = "rvd", .empty = not_one_empty},
    {.metric = "hd", .empty = not_both_empty},
    {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = endless_unless_both},
    {.metric = "masd", .empty = not_both_empty},
    {.metric = "nsd", .empty = not_one_empty},
    {.metric = "lesion_f1", .empty = not_both_empty},
    {.metric = "sq",
     .empty = {.both = Undefined::both_empty, .reference = 0.0, .prediction = 0.0},
     .otherwise = 0.0},
};

constexpr std::string_view brats_covers[] = {"dice", "recall",      "specificity",
                                             "hd95", "lesion_dice", "lesion_hd95"};
constexpr Convention::Override brats_overrides[] = {
    {.metric = "recall", .empty = {.both = 1.0, .reference = 0.0}},
    {.metric = "specificity", .empty = {}, .otherwise = 0.0},
    {.metric = "hd95", .empty = {.both = 0.0, .reference = 374.0, .prediction = 374.0}},
};

constexpr std::string_view isles_covers[] = {"dice", "lesion_f1", "lesion_count_difference"};

constexpr Convention convention_table[] = {
    {.name = "metrics-reloaded",
     .summary =
         "Metrics Reloaded; Dice and IoU of two empty masks are 1, undefined stays undefined"},
    {.name = "spec",
     .summary =
         "the specification: Dice smoothed by 1e-6, undefined MCC 0, AVD without reference inf",
     .covered = spec_covers,
     .dice_smooth = 1e-6,
     .overrides = spec_overrides},
    {.name = "monai",
     .summary = "MONAI's defaults: Dice and IoU are undefined where the reference is empty",
     .covered = monai_covers,
     .overrides = monai_overrides,
     .surface = {.thin_axes = true}},
    {.name = "nnunet",
     .summary = "nnU-Net: Dice and IoU are undefined where both masks are empty",
     .covered = nnunet_covers,
     .overrides = nnunet_overrides},
    {.name = "deepmind",
     .summary = "surface-distance: points at voxel corners, weighted by the area of the surface",
     .covered = deepmind_covers,
     .overrides = deepmind_overrides,
     .surface = {.elements = Elements::surfels, .thin_axes = true, .steps = true}},
    {.name = "faces",
     .summary = "MeshMetrics: the voxels' faces themselves, weighted by area; no quantisation",
     .covered = faces_covers,
     .overrides = faces_overrides,
     .surface = {.elements = Elements::faces, .thin_axes = true, .steps = true}},
    {.name = "medpy",
     .summary = "medpy: percentiles of both directions as one list; precision and recall of empty "
                "masks are 0",
     .covered = medpy_covers,
     .overrides = medpy_overrides,
     .surface = {.thin_axes = true, .pooled = true}},
    {.name = "panoptica",
     .summary = "panoptica: pooled percentiles, ASSD and NSD as means of the two directions; "
                "lesions match at IoU >= 0.5",
     .covered = panoptica_covers,
     .overrides = panoptica_overrides,
     .surface = {.thin_axes = true, .pooled = true, .assd_of_means = true, .nsd_of_shares = true},
     .lesions = {.rule = LesionRule::iou, .half_matches = true}},
    {.name = "brats2023",
     .summary =
         "BraTS 2023, gliomas: surfaces as in deepmind; HD95 is 374 mm where one mask is empty; "
         "lesions by the brats rule, above 0.05 mL",
     .covered = brats_covers,
     .overrides = brats_overrides,
     .surface = {.elements = Elements::surfels, .thin_axes = true, .steps = true},
     .lesions = {.rule = LesionRule::brats, .least_ml = 0.05}},
    {.name = "isles22",
     .summary = "ISLES 2022: Dice of two empty masks is 1; lesions as in its own scoring",
     .covered = isles_covers},
};

}  // namespace

std::span<const Convention> conventions() {
  return convention_table;
}

}  // namespace assay::metrics
