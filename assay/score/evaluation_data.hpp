// SPDX-License-Identifier: Apache-2.0
/// Where the images and references of an evaluation are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::score {

/// What the user gave.
struct DataRequest {
  std::filesystem::path data{};                  ///< a CSV file, or a folder of folders; or ""
  std::filesystem::path images{}, references{};  ///< take precedence where given
  std::string split{};  ///< one of nnU-Net's "Tr", "Ts", "Val"; "": not given
};

struct EvaluationData {
  std::filesystem::path images, references;  ///< with a manifest: the base of its paths, or ""
  std::filesystem::path manifest{};
  std::string note{};  ///< which folders were taken, where there was a choice
};

/// The splits of a data set that a user can choose.
std::vector<std::string> data_splits();

/// Finds the folders of images and of references under their usual names. Of nnU-Net's splits, the
/// test cases are used if they have references, else the training cases. Throws an Error::usage
/// that says what was looked for.
EvaluationData evaluation_data(const DataRequest& request);

}  // namespace assay::score
