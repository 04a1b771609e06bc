// SPDX-License-Identifier: Apache-2.0
/// What a command would do, determined without doing it. `assay submit` then has a cluster do it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "assay/shard_plan.hpp"

namespace assay::cli {

/// The work of a command that can be divided into shards. Whatever could be refused before the work
/// starts has been checked.
struct PlannedWork {
  std::size_t cases = 0;
  std::filesystem::path out{};  ///< the results file
  std::string csv{};            ///< the table that is also written; "": none
  bool runs_model = false;      ///< a case then takes seconds instead of milliseconds
  /// Which shard gets which case, when there are that many.
  std::function<results::ShardPlan(std::size_t shards)> plan{};
};

}  // namespace assay::cli
