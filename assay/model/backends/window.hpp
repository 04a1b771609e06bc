// SPDX-License-Identifier: Apache-2.0
/// Where the windows of a network lie on an image, and how much each voxel of a window counts.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "assay/model.hpp"

namespace assay::model {

/// The windows of an image. An image that is smaller than the window along an axis is padded with
/// zeros on both sides. If the padding is odd, the side after the image gets the extra voxel.
struct WindowPlan {
  Shape window{};
  Shape padded{};                                    ///< the image with its padding
  Shape before{};                                    ///< padding in front of the image
  std::array<std::vector<std::size_t>, 3> starts{};  ///< along each axis, in the padded image
};

/// As MONAI's sliding_window_inference lays them: steps of window * (1 - overlap), rounded down,
/// and the last window moved back to the end of the image.
WindowPlan window_plan(const Shape& image, const ScoreRules& rules);

/// One weight for each voxel of a window, x fastest. A Gaussian is 1 in the centre and at least
/// 0.001.
std::vector<float> window_weights(const Shape& window, WindowWeights weights);

}  // namespace assay::model
