// SPDX-License-Identifier: Apache-2.0
/// Finds the images behind the cases of results files: these name files, but not always their
/// folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/io/scored_files.hpp"

namespace assay {

/// Where images may be; any of them can be empty.
struct ImageRoots {
  std::filesystem::path images{};                     ///< matched by case id
  std::filesystem::path predictions{}, references{};  ///< for paths in results; with a folder per
                                                      ///< model, or without
};

/// Which file a results file means.
struct WantedFile {
  std::string shown;             ///< as in the results
  std::string sha256;            ///< "": not known
  std::filesystem::path root{};  ///< given by the user
  std::string model{};           ///< may name a folder below the root
};

/// The file itself: below the root that was given, or else below any folder that the command behind
/// the results names. Where the hash is known, only a file of that content will do. Throws
/// Error::input saying what was looked for and which option helps.
std::filesystem::path located(const WantedFile& wanted, const std::filesystem::path& results,
                              const std::vector<std::string>& command);

/// The image of a case: the one called by its id, or the first whose name begins with it
/// (`sub-01_0000.nii.gz`, `sub-01_T1w.nii.gz`). `images` are paths relative to their folder.
std::optional<std::string> image_of(const std::string& id, const std::vector<std::string>& images);

}  // namespace assay
