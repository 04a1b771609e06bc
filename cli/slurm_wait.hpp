// SPDX-License-Identifier: Apache-2.0
/// A submission to Slurm: which jobs it has, which shards are missing, and waiting for its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/shard_plan.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

/// Two jobs that were submitted together.
struct SubmittedJobs {
  std::string array{};  ///< "" when only the merge was left to do
  std::string merge{};
  std::string shards{};  ///< "1-16", "3,7"
};

struct Submission {
  std::filesystem::path folder, out;
  results::ShardPlan plan{};
  std::vector<SubmittedJobs> jobs{};  ///< the first, then each retry
};

/// The jobs of a folder; none if nothing was submitted. Throws Error.
std::vector<SubmittedJobs> read_jobs(const std::filesystem::path& folder);
void write_jobs(const Submission& submission);

/// Shards that have no file, and the jobs that may still make some of them.
struct MissingShards {
  std::vector<std::size_t> shards{};   ///< that nobody works on
  std::vector<std::string> running{};  ///< array jobs that have tasks in the queue
};
MissingShards find_missing(const Submission& submission);

/// Shows progress until the merge has ended; returns its exit status.
Exit wait_for(const Submission& submission, const Common& common, const Session& session);

}  // namespace assay::cli
