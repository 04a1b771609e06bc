// SPDX-License-Identifier: Apache-2.0
/// Which images the cases of a results file come from, for those who want to look at them again.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/metrics/count.hpp"

namespace assay::results {

struct CaseFiles {
  std::string id, prediction{}, reference{}, image{};  ///< relative to the roots
  std::string prediction_sha256{}, reference_sha256{}, image_sha256{};
};

/// The folders that the paths of cases start from; "" where there is none or it is not known.
struct CaseRoots {
  std::filesystem::path prediction{}, reference{}, image{};
};

/// Their keys in `provenance.roots`.
inline constexpr std::pair<std::string_view, std::filesystem::path CaseRoots::*> root_members[] = {
    {"prediction", &CaseRoots::prediction},
    {"reference", &CaseRoots::reference},
    {"image", &CaseRoots::image},
};

struct ScoredFiles {
  std::vector<CaseFiles> cases{};
  std::vector<metrics::Region> regions{};
  std::optional<double> threshold{};
  bool foreground_nonzero = false;
  bool allow_affine_mismatch = false;
  CaseRoots roots{};  ///< what the file says; files of version 0.1 and anonymous ones do not
};

/// The named cases of an `assay.segmentation/1` file; of any other file, nothing. Throws Error when
/// it is damaged.
ScoredFiles read_scored_files(const std::filesystem::path& path, std::span<const std::string> ids);

/// The same of a file's text; `name` is for messages.
ScoredFiles parse_scored_files(std::string_view text, const std::string& name,
                               std::span<const std::string> ids);

/// The JSON text of the named members of the file's object, such as "settings"; "" for what is not
/// there. Text that is not an object has no members.
std::vector<std::string> member_texts(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> members);

}  // namespace assay::results
