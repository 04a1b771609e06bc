// SPDX-License-Identifier: Apache-2.0
/// The cases that a report shows: which, and their voxels, cropped and small.
#pragma once

#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "assay/report/case_images.hpp"
#include "assay/report/case_volume.hpp"
#include "assay/report/study.hpp"

namespace assay::report {

struct ShownCase {
  std::size_t place = 0;  ///< in the study
  std::string why{};
};

/// Those that were asked for, then the worst three, the best and the median by the mean over models
/// of `metric`. Throws Error::usage for an id that is not in the study.
std::vector<ShownCase> shown_cases(const Study& study, const std::string& metric,
                                   const std::vector<std::string>& asked);

struct VolumeRequest {
  std::vector<ShownCase> cases{};
  ImageRoots roots{};
  Executor executor{};
};

struct VolumeReading {
  std::vector<CaseVolume> volumes{};  ///< in the order of the cases
  std::vector<std::string> notes{};   ///< why a case could not be shown
  std::size_t asked_and_absent = 0;
};

/// Never throws for a reason in the images: a report without pictures is still a report.
VolumeReading read_volumes(const Study& study, const VolumeRequest& request);

}  // namespace assay::report
