// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/frames.hpp"

#include <string>

#include "assay/error.hpp"

namespace assay {
namespace {

/// Numbers of a functional group, or of the data set where there are no groups.
std::vector<double> numbers_of_group(const std::optional<DicomItem>& group, const DicomItem& data,
                                     const DcmTagKey& tag) {
  return group ? group->numbers(tag) : data.numbers(tag);
}

}  // namespace

std::vector<DicomItem> frame_items(const DicomItem& data, std::size_t count) {
  std::vector<DicomItem> items = data.items(DCM_PerFrameFunctionalGroupsSequence);
  if (items.empty() && count == 1) items.push_back(data);
  if (items.size() != count)
    throw Error(Error::Kind::input, "states " + std::to_string(count) + " frames and describes " +
                                        std::to_string(items.size()) + "; export it again");
  return items;
}

std::optional<DicomItem> frame_group(const DicomItem& frame, const DicomItem& data,
                                     const DcmTagKey& sequence) {
  if (auto own = frame.first(sequence)) return own;
  const auto shared = data.first(DCM_SharedFunctionalGroupsSequence);
  return shared ? shared->first(sequence) : std::nullopt;
}

std::vector<DicomPlane> frame_planes(const DicomItem& data, const std::vector<DicomItem>& frames) {
  std::vector<DicomPlane> out;
  out.reserve(frames.size());
  std::vector<double> orientation, spacing;
  for (const DicomItem& frame : frames) {
    // Orientation and spacing are usually shared, and are then read only once.
    const bool has_own =
        frame.first(DCM_PlaneOrientationSequence) || frame.first(DCM_PixelMeasuresSequence);
    if (has_own || orientation.empty()) {
      orientation = numbers_of_group(frame_group(frame, data, DCM_PlaneOrientationSequence), data,
                                     DCM_ImageOrientationPatient);
      spacing = numbers_of_group(frame_group(frame, data, DCM_PixelMeasuresSequence), data,
                                 DCM_PixelSpacing);
    }
    const auto position = frame_group(frame, data, DCM_PlanePositionSequence);
    out.push_back(
        plane_of(numbers_of_group(position, data, DCM_ImagePositionPatient), orientation, spacing));
  }
  return out;
}

std::optional<double> stated_spacing(const DicomItem& data) {
  const auto shared = data.first(DCM_SharedFunctionalGroupsSequence);
  const auto measures = shared ? shared->first(DCM_PixelMeasuresSequence) : std::nullopt;
  const DicomItem from = measures.value_or(data);
  const auto between = from.number(DCM_SpacingBetweenSlices);
  return between ? between : from.number(DCM_SliceThickness);
}

std::size_t size_in(const DicomItem& data, const DcmTagKey& tag, std::string_view name,
                    double most) {
  const double value = required_number(data, tag, name);
  if (!(value >= 1 && value <= most))
    throw Error(Error::Kind::input,
                "states an impossible " + std::string(name) + "; export it again");
  return static_cast<std::size_t>(value);
}

}  // namespace assay
