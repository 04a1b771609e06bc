// SPDX-License-Identifier: Apache-2.0
/// Where the images and references of an evaluation are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::score {

/// What was typed.
struct DataRequest {
  std::filesystem::path data{};                  ///< a CSV file, or a folder of folders; or ""
  std::filesystem::path images{}, references{};  ///< where given, they win
  std::string split{};                           ///< of nnU-Net's: "Tr", "Ts", "Val"; "": not said
};

struct EvaluationData {
  std::filesystem::path images, references;  ///< with a manifest: what its paths start from, or ""
  std::filesystem::path manifest{};
  std::string note{};  ///< which folders were taken, where there was a choice
};

/// The splits of a data set that can be asked for.
std::vector<std::string> data_splits();

/// Finds folders of images and of references under the names that people use. Of nnU-Net's splits,
/// the test cases are used if they have references, else the training cases. Throws Error::usage
/// that says what was looked for.
EvaluationData evaluation_data(const DataRequest& request);

}  // namespace assay::score
