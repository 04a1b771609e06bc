// SPDX-License-Identifier: Apache-2.0
/// A cohort in parts, on any number of machines. Every process plans the whole cohort,
/// scores the cases of its shard, and writes one file. Merging the files gives the result that one
/// machine would have got, to the byte. docs/formats/shard.md describes the files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/score.hpp"
#include "assay/shard_plan.hpp"

namespace assay::score {

/// The value of an environment variable, or "".
using Environment = std::function<std::string(const std::string& name)>;

/// "3/16", where 0/16 is another name for 16/16, or "auto": what the environment says about a Slurm
/// array, srun, Open MPI, or an indexed job of Kubernetes. Throws Error::usage.
results::Shard parse_shard(const std::string& text, const Environment& environment);

/// A hash over ids, files and groups of all cases. It differs between processes that see different
/// cases.
std::string cohort_sha256(const Cohort& cohort);

/// A plan whose shards have references of about the same size in all.
results::ShardPlan balanced_plan(const Cohort& cohort, std::size_t shards);

/// Numbers of the cases of a shard, from 0. Throws Error::usage when the plan is for another number
/// of shards or for other cases.
std::vector<std::size_t> cases_of_shard(const Cohort& cohort, const results::Shard& shard,
                                        const std::optional<results::ShardPlan>& plan = {});

/// Scores one shard, and writes its file. `Execution::version` is compared when files are merged.
/// Throws Error as `score_cases` does, and when the run was stopped.
void score_shard(const Cohort& cohort, const results::Shard& shard,
                 const std::filesystem::path& file, const Execution& execution = {},
                 const std::optional<results::ShardPlan>& plan = {});

/// The result of the shards in a folder: every file that is called `*.shard-K-of-N.jsonl`. Throws
/// Error that names a file at fault, a shard that is missing, or why the result would be worthless.
metrics::SegmentationResult merge_shards(const std::filesystem::path& folder);

}  // namespace assay::score
