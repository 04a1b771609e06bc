// SPDX-License-Identifier: Apache-2.0
/// From the planes of a DICOM object to a grid.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/volume.hpp"

namespace assay {

/// One plane: its first pixel, and which way columns and rows go, in DICOM's LPS.
struct DicomPlane {
  Point position{}, along_row{}, along_column{};
  double column_spacing = 1, row_spacing = 1;  ///< between columns, and between rows
};

/// Throws Error::input unless orientation and spacing are those of a plane.
DicomPlane plane_of(std::span<const double> position, std::span<const double> orientation,
                    std::span<const double> pixel_spacing);

/// Planes that are parallel and evenly spaced, some of which may be absent.
struct PlaneStack {
  Grid grid{};                      ///< as many slices as from the first plane to the last
  std::vector<std::size_t> slices;  ///< of each plane
};

/// `columns` and `rows` are those of every plane; `spacing_mm` is between slices, where it is
/// known. Throws Error::input on planes that are not parallel, not evenly spaced, or shifted
/// against each other as with a tilted gantry.
PlaneStack stack_of(std::span<const DicomPlane> planes, std::size_t columns, std::size_t rows,
                    std::optional<double> spacing_mm);

}  // namespace assay
