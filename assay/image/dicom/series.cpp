// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/series.hpp"

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom/frames.hpp"
#include "assay/image/dicom/pixels.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/layout.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;          ///< files examined when searching for a series
constexpr std::size_t series_within = 1 << 16;       ///< bytes from the start that name the series
constexpr std::uint32_t after_groups = 0x7FE0'0000;  ///< everything but pixels

bool is_in_series(const fs::path& path, const std::string& series_uid) try {
  const auto class_uid = class_of_file(path);
  if (!class_uid || is_structure_class(*class_uid)) return false;
  const auto quickly = dicom_series(InputFile(path).read_start(series_within).bytes());
  // The quick way does not know big-endian or deflated files.
  return (quickly ? *quickly : read_dicom_summary(path).series_uid) == series_uid;
} catch (const Error&) {  // a file that cannot be read is not in the series
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

/// The frames of one file or of several.
struct Slices {
  PixelFormat format;
  std::vector<DicomPlane> planes{};
  std::vector<Scaling> scalings{};
  std::optional<double> spacing_mm{};  ///< of a single slice, which has no neighbour
};

std::size_t frame_count(const DicomItem& data) {
  return data.number(DCM_NumberOfFrames) ? size_in(data, DCM_NumberOfFrames, "NumberOfFrames", 1e6)
                                         : 1;
}

Slices slices_of(const DicomItem& data) {
  const std::vector<DicomItem> frames = frame_items(data, frame_count(data));
  return {.format = pixel_format(data),
          .planes = frame_planes(data, frames),
          .scalings = frame_scalings(data, frames),
          .spacing_mm = stated_spacing(data)};
}

void append(Slices& all, const Slices& more) {
  if (all.planes.empty()) all.format = more.format;
  if (more.format.columns != all.format.columns || more.format.rows != all.format.rows)
    throw Error(Error::Kind::input, "has another size than the slices before it");
  if (more.format != all.format)
    throw Error(Error::Kind::input, "has another pixel type than the slices before it");
  all.planes.insert(all.planes.end(), more.planes.begin(), more.planes.end());
  all.scalings.insert(all.scalings.end(), more.scalings.begin(), more.scalings.end());
  all.spacing_mm = more.spacing_mm;
}

Slices slices_of(const std::vector<fs::path>& files) {
  Slices all;
  for (const fs::path& path : files) try {
      append(all, slices_of(DicomFile::read(path, after_groups).data()));
    } catch (const Error& e) {
      throw e.about(path.string());
    }
  return all;
}

/// The positions of the slices. All slices are present, so their own distance counts, not the
/// stated one: the thickness of a slice may be less than the distance to the next.
PlaneStack stack_of_slices(const Slices& slices) {
  const auto stated = slices.planes.size() == 1 ? slices.spacing_mm : std::nullopt;
  return stack_of(slices.planes, slices.format.columns, slices.format.rows, stated);
}

/// Throws Error::input unless there is one frame for each slice.
void require_one_volume(const PlaneStack& stack) {
  std::vector<std::size_t> at = stack.slices;
  std::ranges::sort(at);
  const std::size_t frames = at.size(), slices = stack.grid.shape[2];
  if (std::ranges::adjacent_find(at) != at.end())
    throw Error(Error::Kind::input,
                "has several slices at the same position, as with time points or echoes; split it "
                "into one series for each volume");
  if (frames == slices) return;
  std::size_t missing = 0;  // the first slice that is missing
  while (at[missing] == missing) ++missing;
  throw Error(Error::Kind::input,
              "slices are missing: there are " + std::to_string(frames) +
                  ", and evenly spaced ones from the first to the last would be " +
                  std::to_string(slices) + " (the first gap is after slice " +
                  std::to_string(missing) + "); copy the whole series");
}

bool have_one_scaling(const std::vector<Scaling>& scalings) {
  return std::ranges::all_of(scalings, [&](const Scaling& each) {
    return each.slope == scalings[0].slope && each.intercept == scalings[0].intercept;
  });
}

/// A volume that is filled frame by frame. Where slopes differ between slices, as in PET, it holds
/// the scaled values as floats.
class SliceVolume {
 public:
  SliceVolume(const Slices& slices, Buffer scratch)
      : slices_(slices), stack_(stack_of_slices(slices)), voxels_(std::move(scratch)) {
    require_one_volume(stack_);
    header_.grid = stack_.grid;
    as_stored_ = have_one_scaling(slices.scalings);
    header_.type = as_stored_ ? slices.format.type() : VoxelType::f32;
    if (as_stored_) header_.scaling = slices.scalings.front();
  }

  const ImageHeader& header() const { return header_; }

  /// The frames of the next file.
  void add(const DicomFile& file, std::size_t frames) {
    const std::size_t frame = slices_.format.frame_bytes();
    if (frames > stack_.slices.size() - added_) refuse_change();
    const auto pixels = file.pixels(frame * frames);
    if (added_ == 0) room_in(voxels_, voxel_bytes(header_));
    for (std::size_t f = 0; f < frames; ++f) place(pixels.subspan(f * frame, frame));
  }

  Image image() && {
    if (added_ != stack_.slices.size()) refuse_change();
    return {header_, std::move(voxels_), 0};
  }

 private:
  [[noreturn]] static void refuse_change() {
    throw Error(Error::Kind::input, "changed while it was read; read it again");
  }

  void place(std::span<const std::byte> pixels) {
    const std::size_t number = added_++;
    const std::size_t size = voxel_bytes(header_) / stack_.grid.shape[2];
    const auto into = voxels_.bytes().subspan(stack_.slices[number] * size, size);
    if (as_stored_) {
      std::ranges::copy(pixels, into.begin());
      return clear_unused_bits(into, slices_.format);
    }
    const std::span<float> values(reinterpret_cast<float*>(into.data()), size / sizeof(float));
    rescale(pixels, slices_.format, slices_.scalings[number], values);
  }

  const Slices& slices_;
  PlaneStack stack_;
  ImageHeader header_{};
  Buffer voxels_;
  bool as_stored_ = true;
  std::size_t added_ = 0;
};

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
  Grid grid = stack_of_slices(slices_of(files)).grid;
  require_countable(grid);
  return grid;
}

Image image_in(const DicomFile& file) {
  const Slices slices = slices_of(file.data());
  SliceVolume volume(slices, {});
  volume.add(file, slices.planes.size());
  return std::move(volume).image();
}

ImageHeader read_slices_header(const std::vector<fs::path>& files) {
  return SliceVolume(slices_of(files), {}).header();
}

Image read_slices(const std::vector<fs::path>& files, Buffer scratch) {
  const Slices slices = slices_of(files);
  SliceVolume volume(slices, std::move(scratch));
  for (const fs::path& path : files) try {
      const DicomFile file = DicomFile::read(path);
      volume.add(file, frame_count(file.data()));
    } catch (const Error& e) {
      throw e.about(path.string());
    }
  return std::move(volume).image();
}

}  // namespace assay
