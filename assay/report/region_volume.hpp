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

/// Gathers reference, predictions and image, with axes to the right, to the front and up, and with
/// a code for each label that was scored. All functions throw Error for files that cannot be read
/// or that show another place.
class RegionCase {
 public:
  /// `scored` says what was scored, and how.
  RegionCase(const std::filesystem::path& reference, const results::SegmentationFile& scored);

  void add_prediction(std::size_t model, const std::filesystem::path& path);
  void add_image(const std::filesystem::path& path);
  void note(std::string sentence) { volume_.notes.push_back(std::move(sentence)); }

  /// The box around everything that is drawn, with a margin. A box that is too large is subsampled.
  CaseVolume cropped() &&;

 private:
  struct Box {
    Shape first{}, last{};  ///< `last` is one past the box
  };
  std::vector<std::uint8_t> codes_of(const std::filesystem::path& path, bool is_reference);
  Box drawn_box() const;
  Box with_margin(Box box) const;

  std::vector<metrics::Region> regions_;
  results::SavedSettings settings_;
  Grid stored_{};  ///< of the reference, as in its file
  AxisMap map_{};
  Grid grid_{};  ///< the same in the orientation of the page
  CaseVolume volume_{};
};

}  // namespace assay::report
