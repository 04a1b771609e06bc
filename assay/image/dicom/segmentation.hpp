// SPDX-License-Identifier: Apache-2.0
/// DICOM segmentations (PS3.3, A.51 and C.8.20): binary, fractional and label maps.
#pragma once

#include "assay/image/dicom/dicom_file.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {

/// The segments that a segmentation lists.
std::vector<StructureName> segment_names(const DicomItem& data);

/// Throws Error without a path.
StructureSet segments_in(const DicomFile& file, const StructureReading& how);

/// A fractional segmentation of one segment as probabilities from 0 to 1; nothing for any other.
std::optional<Image> fractional_map(const DicomFile& file, Buffer scratch);

}  // namespace assay
