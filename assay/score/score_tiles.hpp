// SPDX-License-Identifier: Apache-2.0
/// Counts a pair of images part by part, in memory that does not depend on their size.
#pragma once

#include <cstdint>

#include "assay/score/case_job.hpp"

namespace assay::score {

/// Whether counts suffice, both files can be read in parts, and the pair is large or the user asked
/// for tiles.
bool counts_by_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// Whether the pair would be counted by tiles if only counts were requested.
bool allows_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// An upper estimate of the memory that such a pair takes on all cores; 0 where it cannot be
/// opened.
std::uint64_t bytes_for_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// Counts a pair for which counts_by_tiles holds. The record is identical, to the bit, to that of
/// reading both images as a whole. Throws Error as reading them does.
void score_tiles(const CaseJob& job);

}  // namespace assay::score
