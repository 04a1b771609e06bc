// SPDX-License-Identifier: Apache-2.0
/// The submissions of grand-challenge.org: predictions.json, and the files of its jobs.
/// docs/challenges.md describes them.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "assay/score.hpp"
#include "assay/score/pairing.hpp"

namespace assay::score {

/// The output of each job: `path` is its folder below the input folder, and `stem` is the name of
/// the image that it was made from. Accepts both dialects, `socket` and the older `interface`.
/// Throws an Error::input that names the file, the job and the remedy.
std::vector<NamedFile> parse_jobs(std::string_view text, std::string_view name,
                                  const Sockets& sockets);

/// The same for the file predictions.json in a folder.
std::vector<NamedFile> read_jobs(const std::filesystem::path& folder, const Sockets& sockets);

/// Replaces the job's folder by the one image in it. A case without one cannot be scored; its fate
/// and its error say so.
void find_output(CasePlan& plan, const std::filesystem::path& folder);

}  // namespace assay::score
