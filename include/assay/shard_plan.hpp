// SPDX-License-Identifier: Apache-2.0
/// How a cohort is divided into shards. docs/formats/shard.md describes the file of a plan.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::results {

/// One part: number 3 of 16.
struct Shard {
  std::size_t number = 1, of = 1;  ///< the number counts from 1

  bool operator==(const Shard&) const = default;
};

/// Which shard each case belongs to, in the order of ids. Without a plan, case i (from 0) belongs
/// to shard i modulo their number, where 0 means the last one.
struct ShardPlan {
  std::size_t shards = 1;
  std::string inputs_sha256{};          ///< of the cohort that it is for
  std::vector<std::size_t> shard_of{};  ///< from 1 to `shards`
  std::string sha256{};                 ///< of the file
};

/// The text of an `assay.plan/1` file.
std::string shard_plan_text(const ShardPlan& plan);

/// Throws Error naming file and fault.
ShardPlan read_shard_plan(const std::filesystem::path& path);
ShardPlan parse_shard_plan(std::string_view text, const std::string& name);

}  // namespace assay::results
