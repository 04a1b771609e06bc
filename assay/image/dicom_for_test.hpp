// SPDX-License-Identifier: Apache-2.0
/// Small DICOM files for tests: a header, a nested series that is not the file's own, the series.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

inline std::string little_endian(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255U);
  return out;
}

inline std::string dicom_tag(std::uint32_t tag) {
  return little_endian(tag >> 16, 2) + little_endian(tag & 0xFFFFU, 2);
}

/// An element of up to 65,535 bytes; `kind` is left out where elements do not say theirs.
inline std::string dicom_element(std::uint32_t tag, const std::string& kind, std::string value) {
  if (value.size() % 2 != 0) value += '\0';
  const auto size = static_cast<std::uint32_t>(value.size());
  return dicom_tag(tag) + kind + little_endian(size, kind.empty() ? 4 : 2) + value;
}

inline std::string dicom_file(const std::string& series, bool is_explicit = true) {
  const std::string kind = is_explicit ? "UI" : "", undefined = "\xFF\xFF\xFF\xFF";
  const std::string nested = dicom_tag(0xFFFE'E000) + undefined +
                             dicom_element(0x0020'000E, kind, "9.9.9") + dicom_tag(0xFFFE'E00D) +
                             little_endian(0, 4) + dicom_tag(0xFFFE'E0DD) + little_endian(0, 4);
  const std::string sequence_kind = is_explicit ? std::string("SQ\0\0", 4) : "";
  return std::string(128, '\0') + "DICM" +
         dicom_element(0x0002'0010, "UI",
                       is_explicit ? "1.2.840.10008.1.2.1" : "1.2.840.10008.1.2") +
         dicom_element(0x0008'0016, kind, "1.2.840.10008.5.1.4.1.1.77.1.6") +
         dicom_tag(0x0008'1115) + sequence_kind + undefined + nested +
         dicom_element(0x0020'000D, kind, "1.2.3") + dicom_element(0x0020'000E, kind, series) +
         dicom_element(0x0028'0002, is_explicit ? "US" : "", std::string("\3\0", 2));
}

}  // namespace assay
