// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/solids.hpp"

#include <algorithm>

#include "assay/metrics/label_boxes.hpp"
#include "assay/metrics/region_bits.hpp"

namespace assay::metrics {
namespace {

std::optional<Box> joint(const std::optional<Box>& a, const std::optional<Box>& b) {
  return a && b ? joint_box(*a, *b) : a ? a : b;
}

Box widened(Box box, const Shape& shape, Index room) {
  for (std::size_t k = 0; k < 3; ++k) {
    box.low[k] = std::max<Index>(0, box.low[k] - room);
    box.high[k] = std::min(static_cast<Index>(shape[k]), box.high[k] + room);
  }
  return box;
}

}  // namespace

std::optional<Solids> solids_of(const PackedMask& prediction, const PackedMask& reference,
                                const Grid& grid, Index room) {
  const auto around = joint(bounding_box(prediction), bounding_box(reference));
  if (!around) return std::nullopt;
  const Box box = widened(*around, grid.shape, room);
  return Solids{.prediction = cropped(prediction, box),
                .reference = cropped(reference, box),
                .axes = axes_of(grid.shape),
                .has_axis = grid.has_axis,
                .spacing_mm = spacing_mm(grid),
                .box = box};
}

LabelSolids::LabelSolids(const LabelView& prediction, const LabelView& reference,
                         std::optional<Label> ignored)
    : prediction_{prediction, label_boxes(prediction)},
      reference_{reference, label_boxes(reference)},
      ignored_(ignored) {}

std::optional<Box> LabelSolids::Side::box(const Region& region) const {
  std::optional<Box> out;
  for (std::size_t code = 0; code < boxes.size(); ++code)
    if (region.contains(labels.values[code])) out = joint(out, boxes[code]);
  return out;
}

std::optional<Solids> LabelSolids::of(const Region& region, Index room) const {
  const auto around = joint(prediction_.box(region), reference_.box(region));
  if (!around) return std::nullopt;
  const Grid& grid = reference_.labels.grid;
  const Box box = widened(*around, grid.shape, room);
  Solids out = {.prediction = cropped(prediction_.labels, region, box),
                .reference = cropped(reference_.labels, region, box),
                .axes = axes_of(grid.shape),
                .has_axis = grid.has_axis,
                .spacing_mm = spacing_mm(grid),
                .box = box};
  if (ignored_) {
    const BitVolume ignored = cropped(reference_.labels, {"", "", {*ignored_}}, box);
    out.prediction.clear(ignored);
    out.reference.clear(ignored);
  }
  return out;
}

}  // namespace assay::metrics
