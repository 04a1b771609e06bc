// SPDX-License-Identifier: Apache-2.0
/// Metrics of volume: how much was found, whether or not it lies in the right place.
#include <cstdlib>

#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"

namespace assay::metrics {
namespace {

Score rvd(const Confusion& c) {
  return ratio(real(c.prediction() - c.reference()), real(c.reference()));
}

Score avd(const Confusion& c) {
  return ratio(real(std::abs(c.prediction() - c.reference())), real(c.reference()));
}

Score volume_similarity(const Confusion& c) {
  const std::int64_t sizes = c.prediction() + c.reference();
  return ratio(real(sizes - std::abs(c.fn - c.fp)), real(sizes));
}

Score volume(std::int64_t voxels, double voxel_ml) {
  if (voxel_ml == 0) return Undefined::no_voxel_size;
  return real(voxels) * voxel_ml;
}

Score volume_prediction_ml(const Confusion& c, double voxel_ml) {
  return volume(c.prediction(), voxel_ml);
}

Score volume_reference_ml(const Confusion& c, double voxel_ml) {
  return volume(c.reference(), voxel_ml);
}

Score fp_volume_ml(const Confusion& c, double voxel_ml) {
  return volume(c.fp, voxel_ml);
}

Score fn_volume_ml(const Confusion& c, double voxel_ml) {
  return volume(c.fn, voxel_ml);
}

constexpr Metric volume_table[] = {
    // In other tools "AVD" may mean a volume in mL, and only their users can know that.
    {.name = "avd",
     .title = "Relative absolute volume difference",
     .brief = "AVD",
     .also = "AVDR, absolute volume difference ratio",
     .group = "overlap",
     .equation = "|V_prediction - V_reference| / V_reference",
     .unit = "",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = {.both = 0.0, .reference = Undefined::reference_empty},
     .failure = 1.0,
     .note = "Zero does not mean overlap, only equal volume.",
     .reference = "MeshNet stroke benchmark; Metrics Reloaded 2024 (AVDR)",
     .formula = avd},
    {.name = "rvd",
     .title = "Relative volume difference, signed",
     .brief = "RVD",
     .also = "relative volume difference",
     .group = "overlap",
     .equation = "(V_prediction - V_reference) / V_reference",
     .unit = "",
     .better = Better::zero,
     .range = {-1, infinity},
     .empty = {.both = 0.0, .reference = Undefined::reference_empty},
     .failure = 1.0,
     .note = "Its mean over cases hides errors of opposite sign: it shows bias, not accuracy.",
     .reference = "Heimann et al. 2009",
     .formula = rvd},
    {.name = "volume_similarity",
     .title = "Volume similarity",
     .also = "volumetric similarity",
     .group = "overlap",
     .equation = "1 - |FN - FP| / (2 TP + FP + FN)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = {.both = 1.0},
     .failure = 0.0,
     .note = "1 for any two masks of equal size, even if they do not touch.",
     .reference = "Taha and Hanbury 2015",
     .formula = volume_similarity},
    {.name = "volume_prediction_ml",
     .title = "Volume of the prediction",
     .brief = "predicted volume",
     .group = "overlap",
     .equation = "(TP + FP) * voxel volume",
     .unit = "mL",
     .better = Better::neither,
     .range = {0, infinity},
     .empty = {},
     .failure = std::nullopt,
     .note = "The voxel volume is the determinant of the reference's affine.",
     .reference = "",
     .formula = volume_prediction_ml},
    {.name = "volume_reference_ml",
     .title = "Volume of the reference",
     .brief = "reference volume",
     .group = "overlap",
     .equation = "(TP + FN) * voxel volume",
     .unit = "mL",
     .better = Better::neither,
     .range = {0, infinity},
     .empty = {},
     .failure = std::nullopt,
     .note = "The voxel volume is the determinant of the reference's affine.",
     .reference = "",
     .formula = volume_reference_ml},
    {.name = "fp_volume_ml",
     .title = "False-positive volume",
     .brief = "false-positive volume",
     .group = "overlap",
     .equation = "FP * voxel volume",
     .unit = "mL",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = {},
     .failure = std::nullopt,
     .note = "Defined for empty references too, where Dice says nothing about the size of the "
             "false alarm.",
     .reference = "autoPET challenge 2022",
     .formula = fp_volume_ml},
    {.name = "fn_volume_ml",
     .title = "False-negative volume",
     .brief = "false-negative volume",
     .group = "overlap",
     .equation = "FN * voxel volume",
     .unit = "mL",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = {},
     .failure = std::nullopt,
     .note = "Missed volume; grows with the lesion, so read it together with recall.",
     .reference = "autoPET challenge 2022",
     .formula = fn_volume_ml},
};

}  // namespace

constinit const std::span<const Metric> volume_metrics = volume_table;

}  // namespace assay::metrics
