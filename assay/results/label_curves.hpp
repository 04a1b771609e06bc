// SPDX-License-Identifier: Apache-2.0
/// What `assay.segmentation/1` says about a label beyond one value per case: how its probability
/// maps are calibrated, what each threshold would give, and which lesions were detected.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "assay/cohort.hpp"

namespace assay {
class JsonObject;
}

namespace assay::results {

/// A lesion of the reference.
struct SizedLesion {
  std::string id;  ///< of its case
  double volume_ml = 0;
  bool detected = false;
};

struct LabelCurves {
  std::string key, name;
  std::vector<metrics::SweepMean> sweep{};  ///< empty without maps
  /// The bins of all cases together; all empty without maps.
  std::array<metrics::CalibrationBin, metrics::calibration_bins> calibration{};
  std::size_t maps = 0;  ///< cases that are in the bins
  std::vector<SizedLesion> lesions{};
};

/// One entry per label; empty where the file was scored neither with probability nor with lesion
/// metrics. Throws Error::input where the file is damaged.
std::vector<LabelCurves> label_curves(const JsonObject& file);

}  // namespace assay::results
