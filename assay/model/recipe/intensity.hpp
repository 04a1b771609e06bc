// SPDX-License-Identifier: Apache-2.0
/// What a recipe does to the values of voxels.
#pragma once

#include <array>
#include <span>

#include "assay/model.hpp"

namespace assay::model {

struct IntensityRange {
  float low = 0, high = 0;
};

/// The least and the greatest value. Throws an Error::input that gives the position of a voxel that
/// is not a finite number.
IntensityRange range_of(View<float> image, const Executor& executor);

/// numpy.quantile with linear interpolation, in numpy's own arithmetic. All values must be finite.
std::array<double, 2> quantiles(std::span<const float> values, const std::array<double, 2>& at);

/// Scales values to 0 ... 255 as mri_convert and FastSurfer conform them. A histogram of 1000 bins
/// gives the value below which the share `upper` of the nonzero voxels lies; higher values become
/// 255. Rounding comes later, after resampling.
void scale_to_bytes(std::span<float> values, const IntensityRange& range, double upper);

/// Rounds to whole numbers, halves to even.
void round_values(std::span<float> values);

/// (value - low) / (high - low + epsilon) in float, by the recipe's rule. Throws Error::input when
/// there is no range to divide by.
void normalise(Volume<float>& image, const Recipe& recipe, const Executor& executor);

}  // namespace assay::model
