// SPDX-License-Identifier: Apache-2.0
/// The published results that others are compared with: Table 1 of "State-of-the-Art Stroke Lesion
/// Segmentation at 1/1000th of Parameters", 14 models.
#pragma once

#include <span>
#include <string_view>

namespace assay::parity {

struct PublishedValue {
  double mean = 0, std = 0;
  bool differs = false;  ///< starred: differs from the best model (Holm-corrected p < 0.05)
};

struct PublishedModel {
  std::string_view key, name;
  long long parameters = 0;
  PublishedValue dice, avd, mcc;
};

/// In the paper's order: by descending Dice.
std::span<const PublishedModel> published_models();

}  // namespace assay::parity
