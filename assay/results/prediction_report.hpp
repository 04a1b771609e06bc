// SPDX-License-Identifier: Apache-2.0
/// `assay.prediction/1`: what a prediction run did, in a form for programs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/results/provenance.hpp"

namespace assay::results {

inline constexpr std::string_view prediction_schema = "assay.prediction/1";

/// A comparison of a prediction with a stored one.
struct PredictionCheck {
  std::string against;  ///< the file
  std::string space;    ///< where they were compared: "native", "model"
  std::size_t voxels = 0, differing = 0;
  std::optional<double> greatest_logit_difference{};
};

/// What became of one image.
struct PredictedImage {
  std::string image, output{}, error{};      ///< paths as given; `error`: "" when all went well
  std::string warning{};                     ///< anything unusual; "" when there was nothing
  std::map<unsigned, std::size_t> voxels{};  ///< by class, on the image's own grid
  double voxel_ml = 0, seconds = 0;
  bool from_cache = false;
  std::optional<PredictionCheck> check{};
};

struct PredictionReport {
  metrics::PredictionSource source;
  std::vector<PredictedImage> images{};
};

/// The text of an `assay.prediction/1` file.
std::string prediction_text(const PredictionReport& report, const Provenance& provenance);

}  // namespace assay::results
