// SPDX-License-Identifier: Apache-2.0
/// nnU-Net's dataset.json: label names, regions and the ignore label.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/metrics.hpp"

namespace assay::score {

struct DatasetLabels {
  std::vector<metrics::Region> regions;  ///< what is scored: without background and ignore label
  std::optional<Label> ignored;          ///< the label named "ignore"
  std::size_t channels = 0;              ///< of an image; 0: the file does not say
};

/// Reads both generations of the file ("lesion": 1 and "1": "lesion"). A label with a list of
/// values is a region and keeps its name as key. Throws Error::input.
DatasetLabels read_dataset_json(const std::filesystem::path& path);

/// The same for text that is already in memory.
DatasetLabels parse_dataset_json(std::string_view text, std::string_view name);

}  // namespace assay::score
