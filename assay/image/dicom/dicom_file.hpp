// SPDX-License-Identifier: Apache-2.0
/// A DICOM file as its readers see it: the one place that talks to DCMTK. DCMTK parses the header;
/// plain pixels are the file's own bytes, so that 10,000 frames need not be copied twice.
#pragma once

#include <dcmtk/config/osconfig.h>
// DCMTK requires its configuration first.
#include <dcmtk/dcmdata/dctk.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/image/dicom/outline.hpp"
#include "assay/memory.hpp"

namespace assay {

/// A data set or an item of a sequence; borrows from its file. Absent values are "" or nothing.
class DicomItem {
 public:
  explicit DicomItem(DcmItem* item) : item_(item) {}

  /// The whole value as UTF-8 text, without padding.
  std::string text(const DcmTagKey& tag) const;
  /// The numbers of a value; where they are texts, backslashes separate them. Throws Error::input
  /// on one that is not a finite number.
  std::vector<double> numbers(const DcmTagKey& tag) const;
  std::optional<double> number(const DcmTagKey& tag) const;
  std::vector<DicomItem> items(const DcmTagKey& sequence) const;
  std::optional<DicomItem> first(const DcmTagKey& sequence) const;

 private:
  DcmItem* item_;
};

/// Throws Error::input that names the attribute, if it is absent.
double required_number(const DicomItem& item, const DcmTagKey& tag, std::string_view name);

class DicomFile {
 public:
  /// Parses the elements before `stop`; with the default it parses everything, and pixels are
  /// available. Throws Error.
  static DicomFile read(const std::filesystem::path& path, std::uint32_t stop = pixel_data_tag);
  /// The same for a whole file in memory.
  static DicomFile parsed(Buffer bytes, std::uint32_t stop = pixel_data_tag);

  DicomItem data() const { return DicomItem(format_->getDataset()); }
  std::string class_uid() const { return data().text(DCM_SOPClassUID); }

  /// All pixels, decompressed, lowest byte first. Throws Error::unsupported on a transfer syntax
  /// that DCMTK does not decode, Error::input when there are fewer than `wanted` bytes.
  std::span<const std::byte> pixels(std::size_t wanted) const;

 private:
  DicomFile(Buffer bytes, std::size_t file_size, std::uint32_t stop);
  void parse(std::span<const std::byte> bytes);

  Buffer bytes_;
  DicomOutline outline_;
  std::unique_ptr<DcmFileFormat> format_;
};

}  // namespace assay
