// SPDX-License-Identifier: Apache-2.0
/// The options of commands that can be run in shards.
#pragma once

#include <optional>
#include <string>

#include "assay/shards.hpp"
#include "cli/arguments.hpp"

namespace assay::cli {

struct ShardOptions {
  std::string shard, plan;
  std::size_t plan_shards = 0;  ///< how many shards to make a plan for; 0: none is made
};

void declare_shard_options(Arguments& arguments, ShardOptions& options);

/// A shard, and the plan that says what belongs to it.
struct ChosenShard {
  results::Shard shard;
  std::optional<results::ShardPlan> plan;
};

/// Nothing if the whole cohort was asked for. Throws Error::usage, or Error::input about the plan.
std::optional<ChosenShard> chosen_shard(const ShardOptions& options);

/// The command with another shard, which makes a shard that is missing.
std::string command_for(std::vector<std::string> command, const results::Shard& shard);

}  // namespace assay::cli
