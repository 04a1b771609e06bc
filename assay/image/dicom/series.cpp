// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/series.hpp"

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom/frames.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/layout.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;          ///< that are looked at for a series
constexpr std::size_t series_within = 1 << 16;       ///< bytes from the start that name the series
constexpr std::uint32_t after_groups = 0x7FE0'0000;  ///< everything but pixels

bool is_in_series(const fs::path& path, const std::string& series_uid) try {
  const auto class_uid = class_of_file(path);
  if (!class_uid || is_structure_class(*class_uid)) return false;
  return dicom_series(InputFile(path).read_start(series_within).bytes()) == series_uid;
} catch (const Error&) {  // what cannot be read is not in the series
  return false;
}

std::vector<fs::path> series_below(const fs::path& folder, const std::string& series_uid) {
  std::vector<fs::path> out;
  std::error_code trouble;
  std::size_t looked_at = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, trouble), end;
       !trouble && it != end && looked_at++ < most_files; it.increment(trouble))
    if (is_in_series(it->path(), series_uid)) out.push_back(it->path());
  std::ranges::sort(out);
  return out;
}

/// The planes of a file, and their sizes.
struct PlanesOfFile {
  std::vector<DicomPlane> planes;
  std::size_t columns = 0, rows = 0;
  std::optional<double> spacing_mm;
};

std::size_t frame_count(const DicomItem& data) {
  return data.number(DCM_NumberOfFrames) ? size_in(data, DCM_NumberOfFrames, "NumberOfFrames", 1e6)
                                         : 1;
}

PlanesOfFile planes_of_file(const DicomItem& data) {
  return {.planes = frame_planes(data, frame_items(data, frame_count(data))),
          .columns = size_in(data, DCM_Columns, "Columns", 65535),
          .rows = size_in(data, DCM_Rows, "Rows", 65535),
          .spacing_mm = stated_spacing(data)};
}

/// The stored numbers, and what they mean.
ImageHeader pixel_header(const DicomItem& data, const Grid& grid) {
  const std::size_t bits = size_in(data, DCM_BitsAllocated, "BitsAllocated", 64);
  const bool is_signed = data.number(DCM_PixelRepresentation).value_or(0) != 0;
  if (data.number(DCM_SamplesPerPixel).value_or(1) != 1 || (bits != 8 && bits != 16 && bits != 32))
    throw Error(
        Error::Kind::unsupported,
        "is a colour image or has an unsupported pixel type; assay reads one number of 8, 16 "
        "or 32 bits per pixel");
  ImageHeader out = {.grid = grid};
  out.type = bits == 8    ? (is_signed ? VoxelType::i8 : VoxelType::u8)
             : bits == 16 ? (is_signed ? VoxelType::i16 : VoxelType::u16)
                          : (is_signed ? VoxelType::i32 : VoxelType::u32);
  const auto shared = data.first(DCM_SharedFunctionalGroupsSequence);
  const auto group = shared ? shared->first(DCM_PixelValueTransformationSequence) : std::nullopt;
  const DicomItem from = group.value_or(data);
  out.scaling = {from.number(DCM_RescaleSlope).value_or(1),
                 from.number(DCM_RescaleIntercept).value_or(0)};
  return out;
}

}  // namespace

std::vector<fs::path> find_series(const std::vector<fs::path>& folders,
                                  const std::string& series_uid) {
  for (const fs::path& folder : folders)
    if (auto found = series_below(folder, series_uid); !found.empty()) return found;
  throw Error(Error::Kind::input,
              "was drawn on series " + series_uid +
                  ", which is not beside it; name the folder of its images with --dicom-images");
}

Grid series_grid(const std::vector<fs::path>& files) {
  PlanesOfFile all;
  for (const fs::path& path : files) try {
      const DicomFile file = DicomFile::read(path, after_groups);
      PlanesOfFile one = planes_of_file(file.data());
      if (!all.planes.empty() && (one.columns != all.columns || one.rows != all.rows))
        throw Error(Error::Kind::input, "has another size than the slices before it");
      one.planes.insert(one.planes.begin(), all.planes.begin(), all.planes.end());
      all = std::move(one);
    } catch (const Error& e) {
      throw e.about(path.string());
    }
  Grid grid = stack_of(all.planes, all.columns, all.rows, all.spacing_mm).grid;
  require_countable(grid);
  return grid;
}

Image image_in(const DicomFile& file) {
  const DicomItem data = file.data();
  const PlanesOfFile planes = planes_of_file(data);
  const PlaneStack stack = stack_of(planes.planes, planes.columns, planes.rows, planes.spacing_mm);
  const ImageHeader header = pixel_header(data, stack.grid);
  const std::size_t frame = planes.columns * planes.rows * bytes_per_voxel(header.type);
  const auto pixels = file.pixels(frame * planes.planes.size());
  if (stack.grid.shape[2] != planes.planes.size())
    throw Error(
        Error::Kind::input,
        "its frames are not one volume: some are missing, or several have the same position");
  Buffer voxels;
  const std::span<std::byte> room = room_in(voxels, voxel_bytes(header));
  for (std::size_t f = 0; f < stack.slices.size(); ++f)
    std::ranges::copy(pixels.subspan(f * frame, frame),
                      room.begin() + static_cast<std::ptrdiff_t>(stack.slices[f] * frame));
  return {header, std::move(voxels), 0};
}

}  // namespace assay
