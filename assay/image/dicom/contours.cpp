// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/contours.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "assay/error.hpp"
#include "assay/image/dicom/series.hpp"
#include "assay/image/rasterise.hpp"

namespace assay {
namespace {

[[noreturn]] void refuse_contours(const std::string& why) {
  throw Error(Error::Kind::input, why);
}

/// From places in space to indices of a grid whose axes are at right angles.
class ToIndex {
 public:
  explicit ToIndex(const Grid& grid) : grid_(grid) {
    const Point spacing = spacing_mm(grid);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        double product = 0;
        for (std::size_t i = 0; i < 3; ++i) product += grid.affine[i][a] * grid.affine[i][b];
        if (std::abs(product) > 1e-3 * spacing[a] * spacing[b])
          refuse_contours("the grid for its contours is sheared, as with a tilted gantry");
      }
    for (std::size_t a = 0; a < 3; ++a) square_[a] = spacing[a] * spacing[a];
  }

  /// The index of a position in DICOM's LPS.
  Point operator()(double x, double y, double z) const {
    const Point shift = {-x - grid_.affine[0][3], -y - grid_.affine[1][3], z - grid_.affine[2][3]};
    Point out{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < 3; ++i) out[axis] += shift[i] * grid_.affine[i][axis];
      out[axis] /= square_[axis];
    }
    return out;
  }

 private:
  const Grid& grid_;
  Point square_{};
};

/// The polygon of an item of ContourSequence; nothing when it is outside of the grid's slices.
std::optional<SliceContour> polygon_in(const DicomItem& item, const ToIndex& to_index,
                                       const Grid& grid, const std::string& name) {
  constexpr double off_plane = 0.1;  // of the distance between slices
  const std::vector<double> places = item.numbers(DCM_ContourData);
  if (places.size() % 3 != 0)
    refuse_contours("a contour of " + name + " has an incomplete point; export it again");
  if (places.size() < 9) return std::nullopt;  // a point or a line has no inside
  SliceContour out;
  const Point first = to_index(places[0], places[1], places[2]);
  const double slice = std::round(first[2]);
  for (std::size_t i = 0; i < places.size(); i += 3) {
    const Point at = to_index(places[i], places[i + 1], places[i + 2]);
    if (!(std::abs(at[2] - slice) <= off_plane))
      refuse_contours("a contour of " + name +
                      " does not lie on one slice of the grid; rasterise it on the series that it "
                      "was drawn on (--dicom-images)");
    out.points.push_back({at[0], at[1]});
  }
  if (!(slice >= 0 && slice < static_cast<double>(grid.shape[2]))) return std::nullopt;
  out.slice = static_cast<std::size_t>(slice);
  return out;
}

VoxelSpans fill(std::vector<SliceContour> contours, const std::string& name, const Shape& shape,
                RasterRule rule) try {
  return rasterised(std::move(contours), shape, rule);
} catch (const Error& e) {
  throw e.within(name);
}

VoxelSpans voxels_in(const DicomItem& roi, const std::string& name, const Grid& grid,
                     const StructureReading& how) {
  const ToIndex to_index(grid);
  std::vector<SliceContour> contours;
  for (const DicomItem& item : roi.items(DCM_ContourSequence)) {
    if (!item.text(DCM_ContourGeometricType).starts_with("CLOSED")) continue;
    if (auto found = polygon_in(item, to_index, grid, name)) contours.push_back(std::move(*found));
  }
  const auto gap = gap_in(contours);
  if (gap && how.gaps == ContourGaps::error)
    refuse_contours(name + " has slices without a contour between slices " +
                    std::to_string((*gap)[0]) + " and " + std::to_string((*gap)[1]) +
                    "; give --contour-gaps keep if it has several parts, or interpolate if slices "
                    "were skipped");
  VoxelSpans out = fill(std::move(contours), name, grid.shape, how.rule);
  if (!gap || how.gaps != ContourGaps::interpolate) return out;
  const Point spacing = spacing_mm(grid);
  return with_filled_gaps(out, grid.shape, {spacing[0], spacing[1]});
}

/// ROIDisplayColor by the number of the structure, as far as the file was read.
std::map<Label, Color> colors_of(const DicomItem& data) {
  std::map<Label, Color> out;
  for (const DicomItem& roi : data.items(DCM_ROIContourSequence)) {
    const std::vector<double> parts = roi.numbers(DCM_ROIDisplayColor);
    const auto number = roi.number(DCM_ReferencedROINumber);
    const auto is_byte = [](double part) { return part >= 0 && part <= 255; };
    if (!number || parts.size() != 3 || !std::ranges::all_of(parts, is_byte)) continue;
    out[static_cast<Label>(*number)] = {static_cast<std::uint8_t>(parts[0]),
                                        static_cast<std::uint8_t>(parts[1]),
                                        static_cast<std::uint8_t>(parts[2])};
  }
  return out;
}

Grid own_grid(const DicomFile& file, const StructureReading& how) {
  if (how.target) return *how.target;
  const std::string series = contoured_series(file.data());
  if (series.empty())
    refuse_contours("does not say which series it was drawn on; score it against an image");
  return series_grid(find_series(how.image_folders, series));
}

}  // namespace

std::string contoured_series(const DicomItem& data) {
  auto item = data.first(DCM_ReferencedFrameOfReferenceSequence);
  if (item) item = item->first(DCM_RTReferencedStudySequence);
  if (item) item = item->first(DCM_RTReferencedSeriesSequence);
  return item ? item->text(DCM_SeriesInstanceUID) : "";
}

std::vector<StructureName> contour_names(const DicomItem& data) {
  std::vector<StructureName> out;
  std::set<Label> seen;
  const std::map<Label, Color> colors = colors_of(data);
  for (const DicomItem& roi : data.items(DCM_StructureSetROISequence)) {
    const auto number = static_cast<Label>(required_number(roi, DCM_ROINumber, "ROINumber"));
    if (!seen.insert(number).second)
      refuse_contours("lists structure " + std::to_string(number) + " twice; export it again");
    std::string name = roi.text(DCM_ROIName);
    if (name.empty()) name = "structure " + std::to_string(number);
    StructureName& structure = out.emplace_back(StructureName{number, std::move(name)});
    if (const auto found = colors.find(number); found != colors.end())
      structure.color = found->second;
  }
  return out;
}

StructureSet contours_in(const DicomFile& file, const StructureReading& how) {
  const DicomItem data = file.data();
  std::map<Label, DicomItem> drawn;
  for (const DicomItem& roi : data.items(DCM_ROIContourSequence))
    drawn.emplace(
        static_cast<Label>(required_number(roi, DCM_ReferencedROINumber, "ReferencedROINumber")),
        roi);
  StructureSet out = {.grid = own_grid(file, how)};
  require_countable(out.grid);
  for (StructureName& name : contour_names(data)) {
    const auto found = drawn.find(name.number);
    VoxelSpans voxels;
    if (found != drawn.end()) voxels = voxels_in(found->second, name.name, out.grid, how);
    out.structures.push_back({std::move(name), std::move(voxels)});
  }
  return out;
}

}  // namespace assay
