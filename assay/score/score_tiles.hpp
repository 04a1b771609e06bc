// SPDX-License-Identifier: Apache-2.0
/// A pair of images that is counted part by part, in memory that does not depend on its size.
#pragma once

#include <cstdint>

#include "assay/score/case_job.hpp"

namespace assay::score {

/// Whether counts are enough, both files are read by parts, and the pair is large or was asked to
/// be read so.
bool counts_by_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// Whether the pair would be counted by tiles if only counts were asked for.
bool allows_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// An upper estimate of the memory that such a pair takes on all cores; 0 where it cannot be
/// opened.
std::uint64_t bytes_for_tiles(const FilePair& files, const metrics::ScoreSettings& settings);

/// Counts a pair for which counts_by_tiles holds: the record is, to the bit, what reading both
/// images as a whole gives. Throws Error as reading them does.
void score_tiles(const CaseJob& job);

}  // namespace assay::score
