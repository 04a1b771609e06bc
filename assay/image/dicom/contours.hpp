// SPDX-License-Identifier: Apache-2.0
/// RTSTRUCT: contours drawn on the slices of a series (PS3.3, A.19 and C.8.8).
#pragma once

#include "assay/image/dicom/dicom_file.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {

std::vector<StructureName> contour_names(const DicomItem& data);

/// SeriesInstanceUID of the images that contours were drawn on; "" when it is not stated.
std::string contoured_series(const DicomItem& data);

/// The contours as voxels of the target, or of their series. Throws Error without a path.
StructureSet contours_in(const DicomFile& file, const StructureReading& how);

}  // namespace assay
