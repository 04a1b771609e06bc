// SPDX-License-Identifier: Apache-2.0
/// Finds the images of the cases of results files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/report.hpp"

namespace assay::report {

/// Which file a results file means.
struct WantedFile {
  std::string shown;                 ///< as in the results
  std::string sha256;                ///< "": not known
  std::filesystem::path recorded{};  ///< the root that the results file names
  std::filesystem::path given{};     ///< a root that the user names wins
  std::string model{};               ///< may name a folder below that
};

/// The file itself: below the root that was given, or else below the recorded one, or else below
/// the folder of the results. Where the hash is known, only a file of that content will do. Throws
/// Error::input saying what was looked for and which option helps.
std::filesystem::path locate_file(const WantedFile& wanted, const std::filesystem::path& results);

/// The image of a case: the one named by its id, or the first whose name begins with it
/// (`sub-01_0000.nii.gz`, `sub-01_T1w.nii.gz`), or the first that states all its BIDS entities.
/// `images` are paths relative to their folder.
std::optional<std::string> image_of(const std::string& id, const std::vector<std::string>& images);

}  // namespace assay::report
