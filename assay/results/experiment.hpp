// SPDX-License-Identifier: Apache-2.0
/// Results of an experiment, as parity needs them: the original system's files, `assay folds`,
/// `assay.segmentation/1`, and single runs. docs/parity.md says which field is read when.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/parity/achieved.hpp"

namespace assay::results {

struct ExperimentReading {
  /// Only what the specification's code reads, and the values that it invents.
  bool compat_spec = false;
};

/// Numbers that are absent, null, not finite or not numbers are missing, with the reason. Throws
/// Error when the file cannot be read, is not a JSON object, or has another schema.
parity::Achieved read_experiment(const std::filesystem::path& path,
                                 const ExperimentReading& how = {});

/// The same for text that is in memory already; `name` is used in messages.
parity::Achieved parse_experiment(std::string_view text, const std::string& name,
                                  const ExperimentReading& how = {});

/// Parameters, channels and dilations, wherever a file that describes a network has them.
parity::NetworkDescription read_model_description(const std::filesystem::path& path);
parity::NetworkDescription parse_model_description(std::string_view text, const std::string& name);

}  // namespace assay::results
