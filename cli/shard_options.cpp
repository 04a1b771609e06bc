// SPDX-License-Identifier: Apache-2.0
#include "cli/shard_options.hpp"

#include <cstdlib>

#include "assay/base/command_line.hpp"
#include "assay/error.hpp"
#include "assay/results/shard.hpp"

namespace assay::cli {
namespace {

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

void declare_shard_options(Arguments& a, ShardOptions& o) {
  a.heading("Cluster");
  a.option(
      "--shard K/N|auto", o.shard,
      "Process only shard K of N; 'assay merge' joins the shards of score and evaluate. auto takes "
      "K and N from Slurm, Open MPI or Kubernetes");
  a.option("--plan FILE", o.plan,
           "File that assigns cases to shards (default: case i to shard i modulo N)");
  a.option("--make-plan N", o.plan_shards,
           "Write a plan of N shards of about the same size to --plan, and do nothing else");
}

std::optional<ChosenShard> chosen_shard(const ShardOptions& o) {
  if (o.plan_shards > results::most_shards)
    throw Error(Error::Kind::usage,
                "--make-plan takes 1 to " + std::to_string(results::most_shards) + " shards");
  if (o.plan_shards != 0 && (o.plan.empty() || !o.shard.empty()))
    throw Error(Error::Kind::usage,
                "--make-plan needs --plan FILE to write to, and cannot be combined with --shard");
  if (o.shard.empty() && !o.plan.empty() && o.plan_shards == 0)
    throw Error(Error::Kind::usage, "--plan needs --shard K/N, or --make-plan N to write the plan");
  if (o.shard.empty()) return std::nullopt;
  ChosenShard out = {.shard = score::parse_shard(o.shard, variable), .plan = {}};
  if (!o.plan.empty()) out.plan = results::read_shard_plan(o.plan);
  return out;
}

std::string command_for(std::vector<std::string> command, const results::Shard& shard) {
  const std::string value = std::to_string(shard.number) + "/" + std::to_string(shard.of);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--shard" && i + 1 < command.size()) command[i + 1] = value;
    if (command[i].starts_with("--shard=")) command[i] = "--shard=" + value;
  }
  return command_text(command);
}

}  // namespace assay::cli
