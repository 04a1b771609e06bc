// SPDX-License-Identifier: Apache-2.0
#include "assay/image/label_file.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "assay/error.hpp"
#include "assay/image.hpp"

namespace assay {
namespace {

/// Headers keep affines in single precision, and quaternions round; scoring allows as much.
constexpr double largest_shift_voxels = 0.1;

/// How to walk the file so that it lies on `grid`. Throws Error::input when it cannot.
AxisMap map_onto(const Grid& grid, const Grid& found) {
  const AxisMap map = axis_map(found, grid);
  const double limit_mm = largest_shift_voxels * std::ranges::min(spacing_mm(grid));
  if (!(greatest_corner_shift_mm(reoriented(found, map), grid) <= limit_mm))
    throw Error(Error::Kind::input, "it is on another grid (" + describe(found) +
                                        ") than the image (" + describe(grid) +
                                        "); bring the labels back to the grid of the image");
  return map;
}

/// A label map may list labels that do not occur; only those that do must be in range.
template <class Code>
std::vector<std::uint8_t> byte_labels(std::span<const Code> codes, std::span<const Label> values,
                                      std::size_t classes) {
  std::vector<std::uint8_t> out(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Label value = values[codes[i]];
    if (value < 0 || value >= static_cast<Label>(classes))
      throw Error(Error::Kind::input, "it has the label " + std::to_string(value) + "; with " +
                                          std::to_string(classes) + " classes labels are 0 to " +
                                          std::to_string(classes - 1));
    out[i] = static_cast<std::uint8_t>(value);
  }
  return out;
}

}  // namespace

Volume<std::uint8_t> read_labels_on(const Grid& grid, const std::filesystem::path& path,
                                    std::size_t classes) {
  const Image image = read_image(path);
  const AxisMap map = map_onto(grid, image.grid());
  Buffer scratch;
  std::vector<Label> values;
  const LabelView found = labels(image, scratch, values);
  std::vector<std::uint8_t> voxels = std::visit(
      [&](const auto& codes) { return byte_labels(codes, found.values, classes); }, found.codes);
  if (map.is_identity()) return {grid, std::move(voxels)};
  Volume<std::uint8_t> out(grid);
  reorient(View<std::uint8_t>{image.grid(), voxels}, map, out.voxels());
  return out;
}

}  // namespace assay
