// SPDX-License-Identifier: Apache-2.0
/// From the image files of one case to the few voxels that a page shows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report/case_volume.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/volume.hpp"

namespace assay::report {

/// Gathers reference, predictions and image with axes to the right, to the front and up; a code per
/// label that was scored. All throw Error for files that cannot be read or show another place.
class RegionCase {
 public:
  /// `scored` says what was scored, and how.
  RegionCase(const std::filesystem::path& reference, const results::SegmentationFile& scored);

  void add_prediction(std::size_t model, const std::filesystem::path& path);
  void add_image(const std::filesystem::path& path);
  void note(std::string sentence) { volume_.notes.push_back(std::move(sentence)); }

  /// What surrounds everything that is drawn, with a margin; thinned out where that is too much.
  CaseVolume cropped() &&;

 private:
  struct Box {
    Shape first{}, last{};  ///< `last` is behind the box
  };
  std::vector<std::uint8_t> codes_of(const std::filesystem::path& path, bool is_reference);
  Box drawn_box() const;
  Box with_margin(Box box) const;

  std::vector<metrics::Region> regions_;
  results::SavedSettings settings_;
  Grid stored_{};  ///< the reference's, as in its file
  AxisMap map_{};
  Grid grid_{};  ///< the same with its axes turned
  CaseVolume volume_{};
};

}  // namespace assay::report
