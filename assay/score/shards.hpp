// SPDX-License-Identifier: Apache-2.0
/// Shards of a cohort: which cases they have, their files, and how files become a whole again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/results/shard.hpp"
#include "assay/score.hpp"
#include "assay/shards.hpp"

namespace assay::score {

/// Counting from 0 or from 1 covers everything: 0 is another name of the last shard. Throws
/// Error::usage where there is no such shard.
results::Shard numbered_shard(std::size_t number, std::size_t of);

/// The shard of the i-th of all cases (from 0) unless a plan says otherwise.
std::size_t shard_of_case(std::size_t index, std::size_t shards);

/// The numbers of a shard's cases, where `cases` things with this hash are divided. Throws
/// Error::usage when the plan is for others.
std::vector<std::size_t> numbers_of_shard(std::size_t cases, const std::string& inputs_sha256,
                                          const results::Shard& shard,
                                          const std::optional<results::ShardPlan>& plan);

/// A plan whose shards weigh about the same: the heaviest first, each to the lightest shard.
results::ShardPlan plan_by_weight(const std::vector<std::uintmax_t>& weights, std::size_t shards);

/// What the file of a shard begins with; what the caller knows alone is left open.
results::ShardHeader shard_header(const Cohort& cohort, const results::Shard& shard,
                                  const std::optional<results::ShardPlan>& plan,
                                  const std::string& version);

/// The cohort with only these cases.
void keep_cases(Cohort& cohort, const std::vector<std::size_t>& numbers);

/// Writes the file of a shard; records are those of the cases with these numbers, in order.
void write_shard_file(const std::filesystem::path& path, const results::ShardHeader& header,
                      const std::vector<std::size_t>& numbers, const metrics::CaseRecords& records);

/// Whether the file of a shard is there, and would be the same if it were made again: the header
/// says so, every case was scored, and no file has changed. `cohort` has the cases of the shard.
bool is_finished_shard(const std::filesystem::path& path, const results::ShardHeader& header,
                       const Cohort& cohort, const Execution& execution);

}  // namespace assay::score
