// SPDX-License-Identifier: Apache-2.0
/// Images of several volumes: one of them, or the class with the highest score.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// Volume `number`, from 1, in `scratch`. Throws Error::input when there are fewer.
Image one_volume(const Image& image, std::size_t number, Buffer scratch);

/// The class with the highest number in each voxel; the lower one if two are equal. Class k is
/// label k. Throws Error::input on NaN, or on more than 256 classes.
LabelView highest_labels(const Image& image, Buffer& scratch, std::vector<Label>& values);

}  // namespace assay
