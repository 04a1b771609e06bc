// SPDX-License-Identifier: Apache-2.0
/// What a command would do, found out without doing it: for `assay submit`, which has others do it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "assay/shard_plan.hpp"

namespace assay::cli {

/// The work of a command that can be divided into shards. Everything that can be refused before the
/// work has been refused.
struct PlannedWork {
  std::size_t cases = 0;
  std::filesystem::path out{};  ///< the results file
  std::string csv{};            ///< the table that is written besides; "": none
  bool runs_model = false;      ///< so that a case takes seconds instead of milliseconds
  /// Which shard gets which case, when there are that many.
  std::function<results::ShardPlan(std::size_t shards)> plan{};
};

}  // namespace assay::cli
