// SPDX-License-Identifier: Apache-2.0
/// A made-up stroke cohort, for the demonstration, tests and benchmarks: no data of any patient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace assay::demo {

struct DemoOptions {
  std::size_t cases = 24;
  std::size_t side = 128;  ///< voxels along the longest axis, which measures 256 mm
  std::uint64_t seed = 42;
  /// A study to look at. Otherwise, for benchmarks, cubes with masks of a few lesions. A study has
  /// heads (`images/sub-001.nii.gz`), two labels in each lesion, small lesions around a large one,
  /// and probability maps by model "over". A dataset.json next to predictions names the labels.
  bool as_study = false;
  bool with_faults =
      true;  ///< with three cases or more, one of model "good" is missing and one is damaged
  unsigned jobs = 1;
};

struct DemoCohort {
  std::filesystem::path references, images;
  std::vector<std::pair<std::string, std::filesystem::path>> models;  ///< name, folder
  std::filesystem::path manifest;  ///< CSV: id, site, scanner, lesion_ml
};

/// Writes references and the predictions of three models: `good`, `over` (draws too much, and
/// lesions that are not there) and `misses_small` (whose borders are the best). Lesions measure 1
/// to 300 mL in total per case. The same options give the same bytes, whatever `jobs`. Cases of an
/// earlier cohort in `folder` are removed; a folder that holds anything else is refused. Throws
/// Error when the cohort cannot be written.
DemoCohort write_demo_cohort(const std::filesystem::path& folder, const DemoOptions& options);

}  // namespace assay::demo
