// SPDX-License-Identifier: Apache-2.0
/// A manifest as a cross-validation needs it, and split files: `assay.split/1` and nnU-Net's
/// splits_final.json. docs/formats/split.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/stats/folds.hpp"

namespace assay::results {

inline constexpr std::string_view split_schema = "assay.split/1";

/// Everything that determines a split, apart from the manifest.
struct SplitSettings {
  std::size_t outer = 3, inner = 3;         ///< inner 0: training sets are not split further
  std::vector<std::string> stratify = {};   ///< columns; "volume:4" is a numeric one in 4 bins
  std::string group = {};                   ///< the column whose values stay together, or ""
  std::optional<std::uint32_t> seed = 42U;  ///< none: no shuffle
};

struct SplitManifest {
  std::string file, sha256, id_column;
  std::vector<std::string> ids;  ///< in the order of the manifest
  stats::SplitItems items;
  std::vector<std::string> strata;                                ///< names, by class
  std::vector<std::pair<std::string, std::vector<double>>> bins;  ///< as asked for, and its edges
  std::vector<std::string> notes, warnings;
};

/// Reads the columns that the settings name. Throws an Error that names file and column or case: no
/// case, an empty or repeated id, an absent column, a numeric column with too many values and no
/// bins, a cell that is not a number in a column with bins, a case without a group.
SplitManifest read_split_manifest(const std::filesystem::path& path, const SplitSettings& settings);

/// The same for text that is already in memory; `name` is used in messages.
SplitManifest parse_split_manifest(std::string_view text, const std::string& name,
                                   const SplitSettings& settings);

/// The folds of a manifest. Throws an Error that says which level cannot be divided, and why.
stats::NestedFolds folds_of(const SplitManifest& manifest, const SplitSettings& settings);

/// The text of an `assay.split/1` file. The same manifest and settings give the same bytes.
std::string split_text(const SplitManifest& manifest, const SplitSettings& settings,
                       const stats::NestedFolds& folds, std::string_view version);

/// nnU-Net's splits_final.json: the outer folds only.
std::string nnunet_splits(const SplitManifest& manifest, const SplitSettings& settings,
                          const stats::NestedFolds& folds);

}  // namespace assay::results
