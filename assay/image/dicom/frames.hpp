// SPDX-License-Identifier: Apache-2.0
/// Where the frames of an object are, whether it has one or many.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "assay/image/dicom/dicom_file.hpp"
#include "assay/image/dicom/planes.hpp"

namespace assay {

/// The functional groups of each frame; the data set itself for an object of one frame without
/// any. Throws Error::input unless there are `count`.
std::vector<DicomItem> frame_items(const DicomItem& data, std::size_t count);

/// A functional group of a frame, or the one that all frames share.
std::optional<DicomItem> frame_group(const DicomItem& frame, const DicomItem& data,
                                     const DcmTagKey& sequence);

/// The plane of each frame, in the order in which they are stored.
std::vector<DicomPlane> frame_planes(const DicomItem& data, const std::vector<DicomItem>& frames);

/// The spacing between slices, where it is stated.
std::optional<double> stated_spacing(const DicomItem& data);

/// Rows, Columns and other sizes. Throws Error::input on one below 1 or above `most`.
std::size_t size_in(const DicomItem& data, const DcmTagKey& tag, std::string_view name,
                    double most);

}  // namespace assay
