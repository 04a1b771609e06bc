// SPDX-License-Identifier: Apache-2.0
/// Chooses the cases that a report shows, and reads and crops their voxels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/executor.hpp"
#include "assay/report.hpp"
#include "assay/report/case_volume.hpp"
#include "assay/report/study.hpp"

namespace assay::report {

// Finding the images of the cases in results files.

/// Which file a results file means.
struct WantedFile {
  std::string shown;                 ///< as in the results
  std::string sha256;                ///< "": not known
  std::filesystem::path recorded{};  ///< the root that the results file names
  std::filesystem::path given{};     ///< a root named by the user; takes precedence
  std::string model{};               ///< may name a folder below `given`
};

/// The path of the file. It is looked for below the given root, then below the recorded root, then
/// below the folder of the results. If the hash is known, only a file with that content is
/// accepted. Throws Error::input saying what was looked for and which option helps.
std::filesystem::path locate_file(const WantedFile& wanted, const std::filesystem::path& results);

/// The image of a case: the one named by its id, or the first whose name begins with it
/// (`sub-01_0000.nii.gz`, `sub-01_T1w.nii.gz`), or the first that states all its BIDS entities.
/// `images` are paths relative to their folder.
std::optional<std::string> image_of(const std::string& id, const std::vector<std::string>& images);

struct ShownCase {
  std::size_t place = 0;  ///< in the study
  std::string why{};
  bool is_spare = false;  ///< read only in case it is needed for the picture of the worst case
};

/// The cases that were asked for, then the worst three, the best and the median by the mean over
/// models of `metric`. If all were asked for ("all" in place of an id), the others follow from the
/// worst to the best. Throws Error::usage for an id that is not in the study.
std::vector<ShownCase> shown_cases(const Study& study, const std::string& metric,
                                   const std::vector<std::string>& asked);

/// The worst case by the mean over models; nothing if no case has a value.
std::optional<std::size_t> worst_case(const Study& study, const std::string& metric);

struct VolumeRequest {
  std::vector<ShownCase> cases{};
  ImageRoots roots{};
  Executor executor{};
  std::size_t budget_bytes = 8'000'000;  ///< no more is read once the page would be full
};

struct VolumeReading {
  std::vector<CaseVolume> volumes{};  ///< in the order of the cases
  std::vector<std::string> notes{};   ///< why a case could not be shown
  std::size_t asked_and_absent = 0;
};

/// Never throws because of the images, since a report without pictures is still useful.
VolumeReading read_volumes(const Study& study, const VolumeRequest& request);

}  // namespace assay::report
