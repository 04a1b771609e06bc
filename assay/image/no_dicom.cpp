// SPDX-License-Identifier: Apache-2.0
/// Compiled instead of assay/image/dicom where DCMTK is not found.
#include "assay/error.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {
namespace {

[[noreturn]] void refuse_dicom(const std::string& file) {
  throw Error(
      Error::Kind::unsupported, file,
      "this build of assay does not read DICOM; compile assay from source where DCMTK is installed "
      "(libdcmtk-dev), or convert the file to NIfTI, for example with dcmqi or plastimatch");
}

}  // namespace

std::string dicom_support() {
  throw Error(Error::Kind::unsupported,
              "this build of assay does not read DICOM; compile assay from source where DCMTK is "
              "installed (libdcmtk-dev)");
}

DicomSummary read_dicom_summary(const std::filesystem::path& path) {
  refuse_dicom(path.string());
}

std::vector<StructureName> read_structure_names(const std::filesystem::path& path) {
  refuse_dicom(path.string());
}

StructureSet read_structures(const std::filesystem::path& path, const StructureReading&) {
  refuse_dicom(path.string());
}

StructureSet parse_structures(Buffer, const StructureReading&) {
  refuse_dicom("");
}

Image decode_dicom(Buffer, const std::filesystem::path& path) {
  refuse_dicom(path.string());
}

Image read_slices(const std::vector<std::filesystem::path>& files, Buffer) {
  refuse_dicom(files.front().string());
}

ImageHeader read_slices_header(const std::vector<std::filesystem::path>& files) {
  refuse_dicom(files.front().string());
}

}  // namespace assay
