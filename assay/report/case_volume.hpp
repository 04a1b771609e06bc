// SPDX-License-Identifier: Apache-2.0
/// The part of a case around what was segmented, small enough to be embedded in a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/image/picture.hpp"
#include "assay/volume.hpp"

namespace assay::report {

/// What one model drew: the code of a label for each voxel.
struct DrawnMask {
  std::size_t model = 0;  ///< in the study
  std::vector<std::uint8_t> voxels{};
};

/// A label or region that was scored, as the codes that belong to it.
struct DrawnRegion {
  std::string key, name;
  std::vector<std::uint8_t> codes{};
  std::optional<Color> color{};  ///< from its files or from a look-up table

  bool operator==(const DrawnRegion&) const = default;
};

/// Voxels run x fastest; axes run to the right, to the front and up (RAS+).
struct CaseVolume {
  std::size_t place = 0;  ///< of the case in the study
  std::string why{};      ///< "worst", "median", "best", "asked for"
  bool is_spare = false;  ///< read only in case it is needed for the picture of the worst case
  Shape shape{};
  Point spacing_mm{1, 1, 1};
  std::vector<std::string> labels{};      ///< names of the codes from 1; 0 is the background
  std::vector<DrawnRegion> regions{};     ///< the regions that were scored
  std::vector<std::uint8_t> image{};      ///< grey values; empty without an image
  std::vector<std::uint8_t> reference{};  ///< codes
  std::vector<DrawnMask> predictions{};
  std::vector<std::string> notes{};  ///< what the reader should know, in sentences

  std::size_t size() const { return shape[0] * shape[1] * shape[2]; }
};

/// The slice along each axis that has the most foreground of reference and predictions.
Shape focus_of(const CaseVolume& volume);

/// Three planes side by side through the focus. They show the image, the agreement of one
/// prediction with the reference in colour, and the reference's outline in white.
Picture case_picture(const CaseVolume& volume, std::size_t prediction);

/// The axial slice with the most voxels in which the prediction differs from the reference.
Picture error_picture(const CaseVolume& volume, std::size_t prediction);

/// How a prediction and a reference agree in one voxel.
enum class VoxelAgreement { background, both, only_prediction, only_reference, wrong_label };
VoxelAgreement agreement_of(std::uint8_t prediction, std::uint8_t reference);

/// Colours of agreement, safe for colour-blind readers: (red, green, blue).
struct AgreementColours {
  std::uint8_t both[3] = {0, 158, 115}, only_prediction[3] = {213, 94, 0},
               only_reference[3] = {86, 180, 233}, wrong_label[3] = {204, 121, 167};
};

}  // namespace assay::report
