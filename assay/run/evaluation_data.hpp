// SPDX-License-Identifier: Apache-2.0
/// Where the images and references of an evaluation are.
#pragma once

#include <filesystem>

namespace assay {

struct EvaluationData {
  std::filesystem::path images, references;  ///< with a manifest: what its paths start from, or ""
  std::filesystem::path manifest{};
};

/// `data` is a CSV file, or a folder that holds a folder of images and one of references under
/// names that people use; `images` and `references`, where given, win. Throws Error::usage that
/// says what was looked for.
EvaluationData evaluation_data(const std::filesystem::path& data,
                               const std::filesystem::path& images,
                               const std::filesystem::path& references);

}  // namespace assay
