// SPDX-License-Identifier: Apache-2.0
/// The part of a case around what was segmented, small enough to travel inside a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/image/picture.hpp"
#include "assay/volume.hpp"

namespace assay::report {

/// What one model drew: for each voxel a bit per region.
struct DrawnMask {
  std::size_t model = 0;  ///< in the study
  std::vector<std::uint8_t> voxels{};
};

/// Voxels run x fastest; axes run to the right, to the front and up (RAS+).
struct CaseVolume {
  std::size_t place = 0;  ///< of the case in the study
  std::string why{};      ///< "worst", "median", "best", "asked for"
  Shape shape{};
  Point spacing_mm{1, 1, 1};
  std::vector<std::string> regions{};     ///< what the bits stand for, lowest first
  std::vector<std::uint8_t> image{};      ///< grey values; empty without an image
  std::vector<std::uint8_t> reference{};  ///< a bit per region
  std::vector<DrawnMask> predictions{};
  std::vector<std::string> notes{};  ///< what the reader should know, in sentences

  std::size_t size() const { return shape[0] * shape[1] * shape[2]; }
};

/// The slice along each axis that has the most foreground of reference and predictions.
Shape focus_of(const CaseVolume& volume);

/// Three planes side by side through the focus: agreement of one prediction with the reference over
/// the image, the reference's outline in white.
Picture case_picture(const CaseVolume& volume, std::size_t prediction);

/// Colours of agreement, safe for colour-blind readers: (red, green, blue).
struct AgreementColours {
  std::uint8_t both[3] = {0, 158, 115}, only_prediction[3] = {213, 94, 0},
               only_reference[3] = {86, 180, 233};
};

}  // namespace assay::report
