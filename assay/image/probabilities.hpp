// SPDX-License-Identifier: Apache-2.0
/// From images to maps of probabilities: of one volume, or of one volume per class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/image/image.hpp"
#include "assay/image/probability_view.hpp"

namespace assay {

/// What the numbers of a prediction can mean.
enum class MapKind {
  labels,         ///< whole numbers only, as in masks and label maps
  probabilities,  ///< from 0 to 1, and not only 0 and 1
  other
};

/// Whether the stored type can hold a probability besides 0 and 1 at all.
bool may_hold_probabilities(const ImageHeader& header);

/// Looks at every number of every class.
MapKind map_kind(const Image& image);

/// Throws Error::input naming the first voxel that is not a number from 0 to 1, and its value.
void require_probabilities(const Image& image);

/// The most likely class of each voxel; the lower one if two are equal. Class k is label k. Throws
/// Error::input on numbers that are not probabilities, or on more than 256 classes.
LabelView likeliest_labels(const Image& image, Buffer& scratch, std::vector<Label>& values);

/// The probability that each voxel is one of the classes in `members`, or any but class 0 when that
/// is empty. An image of one volume is the probability itself. Borrows from `image` when its bytes
/// can be used as they are, otherwise from `scratch`. Throws Error::input when classes do not
/// exclude each other: their sum is above 1.
ProbabilityView probability_of(const Image& image, std::span<const Label> members, Buffer& scratch);

/// The voxels that are at least so likely.
View<std::uint8_t> at_least(const ProbabilityView& map, double threshold, Buffer& scratch);

}  // namespace assay
