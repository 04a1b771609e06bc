// SPDX-License-Identifier: Apache-2.0
/// Which images stand behind the cases of a results file, for those who want to look at them again.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/metrics/count.hpp"

namespace assay {

struct CaseFiles {
  std::string id, prediction{}, reference{};  ///< relative to roots that the file does not name
  std::string prediction_sha256{}, reference_sha256{};
};

struct ScoredFiles {
  std::vector<CaseFiles> cases{};
  std::vector<Region> regions{};
  std::optional<double> threshold{};
  bool foreground_nonzero = false;
  bool allow_affine_mismatch = false;
  std::vector<std::string> command{};  ///< what made the file, as typed
};

/// The named cases of an `assay.segmentation/1` file; of any other file, nothing. Throws Error when
/// it is damaged.
ScoredFiles read_scored_files(const std::filesystem::path& path, std::span<const std::string> ids);

/// The same of a file's text; `name` is for messages.
ScoredFiles parse_scored_files(std::string_view text, const std::string& name,
                               std::span<const std::string> ids);

/// The JSON text of the named members of the file's object, such as "settings"; "" for what is not
/// there. Text that is no object has no members.
std::vector<std::string> member_texts(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> members);

}  // namespace assay
