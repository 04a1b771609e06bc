// SPDX-License-Identifier: Apache-2.0
/// How other tools settle what definitions leave open: one row for each, exceptions in small lists.
#include "assay/metrics/metric.hpp"

namespace assay {
namespace {

using Elements = SurfaceRules::Elements;

constexpr EmptyRule reference_needed = {.both = Undefined::both_empty,
                                        .reference = Undefined::reference_empty};
constexpr EmptyRule not_both_empty = {.both = Undefined::both_empty};
constexpr EmptyRule endless_if_one_empty = {.reference = infinity, .prediction = infinity};
constexpr EmptyRule endless_unless_both = {
    .both = Undefined::both_empty, .reference = infinity, .prediction = infinity};
constexpr EmptyRule endless = {.both = infinity, .reference = infinity, .prediction = infinity};

constexpr Convention::Override spec_overrides[] = {
    {.metric = "avd", .empty = {.reference = infinity}},
    {.metric = "mcc", .empty = {}, .otherwise = 0.0},
};
constexpr Convention::Override monai_overrides[] = {
    {.metric = "dice", .empty = reference_needed},
    {.metric = "iou", .empty = reference_needed},
    {.metric = "hd", .empty = endless_unless_both},
    {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = endless_unless_both},
    {.metric = "masd", .empty = endless_unless_both},
    {.metric = "nsd", .empty = not_both_empty},
};
constexpr Convention::Override nnunet_overrides[] = {
    {.metric = "dice", .empty = not_both_empty},
    {.metric = "iou", .empty = not_both_empty},
};
constexpr Convention::Override deepmind_overrides[] = {
    {.metric = "dice", .empty = not_both_empty}, {.metric = "hd", .empty = endless},
    {.metric = "hd95", .empty = endless},        {.metric = "assd", .empty = not_both_empty},
    {.metric = "masd", .empty = not_both_empty}, {.metric = "nsd", .empty = not_both_empty},
};
constexpr Convention::Override faces_overrides[] = {
    {.metric = "hd", .empty = endless_if_one_empty},
    {.metric = "hd95", .empty = endless_if_one_empty},
    {.metric = "assd", .empty = endless_if_one_empty},
    {.metric = "masd", .empty = endless_if_one_empty},
};
constexpr Convention::Override medpy_overrides[] = {
    {.metric = "hd", .empty = not_both_empty},
    {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = not_both_empty},
    {.metric = "masd", .empty = not_both_empty},
};
constexpr Convention::Override panoptica_overrides[] = {
    {.metric = "dice", .empty = not_both_empty}, {.metric = "iou", .empty = not_both_empty},
    {.metric = "hd", .empty = not_both_empty},   {.metric = "hd95", .empty = not_both_empty},
    {.metric = "assd", .empty = not_both_empty}, {.metric = "masd", .empty = not_both_empty},
    {.metric = "nsd", .empty = not_both_empty},
};
constexpr Convention::Override brats_overrides[] = {
    {.metric = "hd95", .empty = {.both = 0.0, .reference = 374.0, .prediction = 374.0}},
};

constexpr Convention table[] = {
    {.name = "metrics-reloaded",
     .summary =
         "Metrics Reloaded; Dice and IoU of two empty masks are 1, undefined stays undefined"},
    {.name = "spec",
     .summary =
         "the specification: Dice smoothed by 1e-6, undefined MCC 0, AVD without reference inf",
     .dice_smooth = 1e-6,
     .overrides = spec_overrides},
    {.name = "monai",
     .summary = "MONAI's defaults: Dice and IoU are undefined where the reference is empty",
     .overrides = monai_overrides},
    {.name = "nnunet",
     .summary = "nnU-Net: Dice and IoU are undefined where both masks are empty",
     .overrides = nnunet_overrides},
    {.name = "deepmind",
     .summary = "surface-distance: points at voxel corners, weighted by the area of the surface",
     .overrides = deepmind_overrides,
     .surface = {.elements = Elements::surfels, .steps = true}},
    {.name = "faces",
     .summary = "MeshMetrics: the voxels' faces themselves, weighted by area; no quantisation",
     .overrides = faces_overrides,
     .surface = {.elements = Elements::faces, .steps = true}},
    {.name = "medpy",
     .summary = "medpy: percentiles of both directions as one list; empty masks are undefined",
     .overrides = medpy_overrides,
     .surface = {.pooled = true}},
    {.name = "panoptica",
     .summary = "panoptica: pooled percentiles, ASSD and NSD as means of the two directions",
     .overrides = panoptica_overrides,
     .surface = {.pooled = true, .assd_of_means = true, .nsd_of_shares = true}},
    {.name = "brats2023",
     .summary = "BraTS 2023: as deepmind; HD95 is 374 mm where one mask is empty",
     .overrides = brats_overrides,
     .surface = {.elements = Elements::surfels, .steps = true}},
    {.name = "isles22",
     .summary = "ISLES 2022: Dice of two empty masks is 1; lesions as in its own scoring"},
};

}  // namespace

std::span<const Convention> conventions() {
  return table;
}

}  // namespace assay
