// SPDX-License-Identifier: Apache-2.0
/// The two masks of a region, cut to the part of the image where they lie. Boundaries and lesions
/// are measured in it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/metrics/bit_volume.hpp"
#include "assay/metrics/region_bits.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// Both masks in one box around them, as `cropped` leaves them.
struct Solids {
  BitVolume prediction, reference;
  Axes axes{true, true, true};      ///< along which the image extends
  Axes has_axis{true, true, true};  ///< those of one voxel too, if the image has them
  Point spacing_mm{1, 1, 1};
  Box box{};  ///< its place in the image
};

/// Nothing when both are empty. `room` is by how many voxels the box extends beyond the masks on
/// every side, as far as the image has them.
std::optional<Solids> solids_of(const PackedMask& prediction, const PackedMask& reference,
                                const Grid& grid, Index room = 0);

/// The smallest box around every label, by its code, in one pass over the map; nothing for a label
/// that does not occur. Background gets the whole image, since its box is not worth measuring.
std::vector<std::optional<Box>> label_boxes(const LabelView& labels);

/// Two label maps on one grid. Any region can be cut from them without a mask of the whole image.
class LabelSolids {
 public:
  /// Voxels that are `ignored` in the reference belong to neither mask.
  LabelSolids(const LabelView& prediction, const LabelView& reference,
              std::optional<Label> ignored = {});

  std::optional<Solids> of(const Region& region, Index room = 0) const;

 private:
  using Code = Codes::value_type;
  struct Side {
    LabelView labels;
    std::vector<std::optional<Box>> boxes;         ///< by code
    std::vector<std::pair<Label, Code>> by_label;  ///< ascending

    explicit Side(const LabelView& map);
    Codes codes(const Region& region) const;
    std::optional<Box> box(const Codes& codes) const;
  };

  Side prediction_, reference_;
  std::optional<Label> ignored_;
};

}  // namespace assay::metrics
