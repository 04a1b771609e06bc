// SPDX-License-Identifier: Apache-2.0
/// The functions of assay/image/dicom_objects.hpp, by the class of an object.
#include <algorithm>
#include <array>

#include "assay/error.hpp"
#include "assay/image/dicom/contours.hpp"
#include "assay/image/dicom/dicom_file.hpp"
#include "assay/image/dicom/segmentation.hpp"
#include "assay/image/dicom/series.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The list of contours comes after everything that a summary needs.
constexpr std::uint32_t after_names = 0x3006'0039;
constexpr std::uint32_t after_contours = 0x3006'0080;

/// A class of objects with structures, and how to read them.
struct StructureClass {
  std::string_view uid;
  std::vector<StructureName> (*names)(const DicomItem& data);
  StructureSet (*read)(const DicomFile& file, const StructureReading& how);
};

constexpr std::array structure_classes = {
    StructureClass{segmentation_class, segment_names, segments_in},
    StructureClass{label_map_class, segment_names, segments_in},
    StructureClass{contours_class, contour_names, contours_in},
};

const StructureClass* structure_class(std::string_view uid) {
  const auto* const found = std::ranges::find(structure_classes, uid, &StructureClass::uid);
  return found == structure_classes.end() ? nullptr : found;
}

StructureSet structures_in(const DicomFile& file, const StructureReading& how) {
  const std::string uid = file.class_uid();
  if (const StructureClass* found = structure_class(uid)) return found->read(file, how);
  throw Error(Error::Kind::unsupported, "is a DICOM object without structures (class " + uid +
                                            "); give a segmentation or an RTSTRUCT");
}

/// A series is searched in the folders that were named, then next to the file, then in the study
/// that contains the file's folder.
StructureReading beside(const fs::path& path, StructureReading how) {
  const fs::path folder = fs::absolute(path).parent_path();
  how.image_folders.insert(how.image_folders.end(), {folder, folder.parent_path()});
  return how;
}

std::string referenced_series(const DicomItem& data) {
  if (const auto series = data.first(DCM_ReferencedSeriesSequence))
    return series->text(DCM_SeriesInstanceUID);
  return contoured_series(data);
}

}  // namespace

DicomSummary read_dicom_summary(const fs::path& path) try {
  const DicomFile file = DicomFile::read(path, after_names);
  const DicomItem data = file.data();
  DicomSummary out = {.class_uid = file.class_uid(),
                      .study_uid = data.text(DCM_StudyInstanceUID),
                      .series_uid = data.text(DCM_SeriesInstanceUID),
                      .referenced_series_uid = referenced_series(data),
                      .patient_id = data.text(DCM_PatientID),
                      .patient_name = data.text(DCM_PatientName),
                      .modality = data.text(DCM_Modality),
                      .series_number = data.text(DCM_SeriesNumber),
                      .series_description = data.text(DCM_SeriesDescription)};
  if (const StructureClass* found = structure_class(out.class_uid))
    out.structures = found->names(data);
  return out;
} catch (const Error& e) {
  throw e.about(path.string());
}

std::vector<StructureName> read_structure_names(const fs::path& path) try {
  const DicomFile file = DicomFile::read(path, after_contours);
  const StructureClass* found = structure_class(file.class_uid());
  return found == nullptr ? std::vector<StructureName>() : found->names(file.data());
} catch (const Error& e) {
  throw e.about(path.string());
}

StructureSet read_structures(const fs::path& path, const StructureReading& how) try {
  return structures_in(DicomFile::read(path), beside(path, how));
} catch (const Error& e) {
  throw e.about(path.string());
}

StructureSet parse_structures(Buffer file, const StructureReading& how) {
  return structures_in(DicomFile::parsed(std::move(file)), how);
}

Image decode_dicom(Buffer bytes, const fs::path& path) {
  const DicomFile file = DicomFile::parsed(std::move(bytes));
  const std::string uid = file.class_uid();
  if (!is_structure_class(uid)) return image_in(file);
  if (uid == segmentation_class)
    if (auto map = fractional_map(file, {})) return std::move(*map);
  return label_map_of(structures_in(file, beside(path, {.gaps = ContourGaps::keep})), {});
}

}  // namespace assay
