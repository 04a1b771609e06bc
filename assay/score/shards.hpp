// SPDX-License-Identifier: Apache-2.0
/// Shards of a cohort: which cases they have, and their files.
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

/// Whether the user counts from 0 or from 1, all shards are covered, because 0 means the last
/// shard. Throws Error::usage where there is no such shard.
results::Shard numbered_shard(std::size_t number, std::size_t of);

/// The numbers of the cases in a shard, when `cases` cases with this hash are divided. Throws
/// Error::usage when the plan is for other cases.
std::vector<std::size_t> numbers_of_shard(std::size_t cases, const std::string& inputs_sha256,
                                          const results::Shard& shard,
                                          const std::optional<results::ShardPlan>& plan);

/// A plan whose shards weigh about the same: heaviest case first, each to the lightest shard so
/// far.
results::ShardPlan plan_by_weight(const std::vector<std::uintmax_t>& weights, std::size_t shards);

/// The header of a shard file. Members that only the caller knows are left empty.
results::ShardHeader shard_header(const Cohort& cohort, const results::Shard& shard,
                                  const std::optional<results::ShardPlan>& plan,
                                  const std::string& version);

/// Reduces the cohort to these cases.
void keep_cases(Cohort& cohort, const std::vector<std::size_t>& numbers);

/// Writes the file of a shard. `records` are those of the cases with these numbers, in order.
void write_shard_file(const std::filesystem::path& path, const results::ShardHeader& header,
                      const std::vector<std::size_t>& numbers, const metrics::CaseRecords& records);

/// Whether the file of a shard exists and would be the same if it were computed again: the header
/// matches, every case was scored, and no file has changed. `cohort` has the cases of the shard.
bool is_finished_shard(const std::filesystem::path& path, const results::ShardHeader& header,
                       const Cohort& cohort, const Execution& execution);

}  // namespace assay::score
