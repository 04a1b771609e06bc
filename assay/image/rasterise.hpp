// SPDX-License-Identifier: Apache-2.0
/// From planar contours to voxels, by a named rule. Contours have no voxels of their own, and tools
/// disagree about those on the border, so the rule is part of a result.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "assay/contours.hpp"
#include "assay/image/structures.hpp"
#include "assay/volume.hpp"

namespace assay {

/// A closed polygon on one slice of a grid, in indices of its columns and rows.
struct SliceContour {
  std::size_t slice = 0;
  std::vector<std::array<double, 2>> points{};
};

/// The voxels inside. Contours outside the grid are cut at its border. Throws Error::input when the
/// contours of a slice are millions of voxels long.
VoxelSpans rasterised(std::vector<SliceContour> contours, const Shape& shape, RasterRule rule);

/// A slice without a contour between two that have some; nothing when there is none.
std::optional<std::array<std::size_t, 2>> gap_in(std::span<const SliceContour> contours);

/// Fills slices without voxels between two that have some: their signed distances to the outlines,
/// in pixels of the given width and height, are interpolated (Raya and Udupa 1990).
VoxelSpans with_filled_gaps(const VoxelSpans& voxels, const Shape& shape,
                            std::array<double, 2> pixel_mm);

}  // namespace assay
