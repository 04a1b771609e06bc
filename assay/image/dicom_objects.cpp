// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom_objects.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "assay/base/ascii.hpp"
#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/layout.hpp"

namespace assay {
namespace {

constexpr std::size_t class_within = 2048;  ///< bytes from the start that say what a file is

template <class T>
Image label_map(const StructureSet& set, VoxelType type, Buffer scratch) {
  const ImageHeader header = {.grid = set.grid, .type = type};
  const std::span<std::byte> room = room_in(scratch, voxel_bytes(header));
  std::ranges::fill(room, std::byte{0});
  auto* const voxels = reinterpret_cast<T*>(room.data());
  for (const Structure& each : set.structures)
    for (const VoxelSpan& span : each.voxels)
      std::fill(voxels + span.first, voxels + span.end, static_cast<T>(each.is.number));
  return {header, std::move(scratch), 0};
}

/// Whether a file may be DICOM by its name: it ends in .dcm, in the end of a UID, or has no ending.
bool may_be_dicom(std::string_view file_name) {
  constexpr std::array<std::string_view, 3> endings = {".dcm", ".dicom", ".ima"};
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return true;
  const std::string ending = ascii_lowered(file_name.substr(dot));
  return std::ranges::find(endings, ending) != endings.end() ||
         std::ranges::all_of(ending.substr(1), is_ascii_digit);  // the end of a UID
}

}  // namespace

std::optional<std::string> class_of_file(const std::filesystem::path& path) {
  std::error_code trouble;
  if (!may_be_dicom(path.filename().string()) || !std::filesystem::is_regular_file(path, trouble))
    return std::nullopt;
  try {
    return dicom_class(InputFile(path).read_start(class_within).bytes());
  } catch (const Error&) {  // reading the file will say why it is not possible
    return std::nullopt;
  }
}

bool is_structure_class(std::string_view class_uid) {
  constexpr std::array<std::string_view, 3> classes = {segmentation_class, label_map_class,
                                                       contours_class};
  return std::ranges::find(classes, class_uid) != classes.end();
}

bool is_image_class(std::string_view class_uid) {
  // Presentation states, what is derived, waveforms and reports, documents, radiotherapy; then the
  // directory of a disc.
  constexpr std::array<std::string_view, 6> others = {
      "1.2.840.10008.5.1.4.1.1.11.",  "1.2.840.10008.5.1.4.1.1.66",   "1.2.840.10008.5.1.4.1.1.88.",
      "1.2.840.10008.5.1.4.1.1.104.", "1.2.840.10008.5.1.4.1.1.481.", "1.2.840.10008.1.3.10"};
  return std::ranges::none_of(others,
                              [&](std::string_view each) { return class_uid.starts_with(each); });
}

bool holds_structures(const std::filesystem::path& path) {
  const auto found = class_of_file(path);
  return found && is_structure_class(*found);
}

Image label_map_of(const StructureSet& set, Buffer scratch) {
  if (const auto both = overlap_in(set))
    throw Error(Error::Kind::input, "structures " + std::to_string((*both)[0]) + " and " +
                                        std::to_string((*both)[1]) +
                                        " overlap, so they are not one label map; score them as "
                                        "structures");
  Label greatest = 0;
  for (const Structure& each : set.structures) {
    greatest = std::max(greatest, each.is.number);
    if (each.is.number < 0 || each.is.number > std::numeric_limits<std::int32_t>::max())
      throw Error(Error::Kind::input,
                  "has a structure with the impossible number " + std::to_string(each.is.number));
  }
  if (greatest < 256) return label_map<std::uint8_t>(set, VoxelType::u8, std::move(scratch));
  return label_map<std::int32_t>(set, VoxelType::i32, std::move(scratch));
}

}  // namespace assay
