// SPDX-License-Identifier: Apache-2.0
/// The progress of the shards of a cohort, from the files that they write.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/base/journal_follower.hpp"
#include "assay/cohort.hpp"
#include "assay/shard_plan.hpp"

namespace assay::cli {

/// Watches a folder of shards. Finished shards are read once; for the others, only what is new in
/// their journals is read.
class ShardWatch {
 public:
  /// `out` is the results file that the shards were given as their --out.
  ShardWatch(const std::filesystem::path& out, const results::ShardPlan& plan);

  /// Returns the news: a sentence for each case that failed and each file that is damaged.
  std::vector<std::string> look();

  std::size_t cases() const { return cases_; }
  std::size_t done() const;    ///< cases
  std::size_t failed() const;  ///< cases
  std::size_t shards() const { return shards_.size(); }
  /// Numbers, from 1, of the shards that have no intact file.
  std::vector<std::size_t> unfinished() const;

 private:
  struct State {
    std::filesystem::path file{};
    std::optional<JournalFollower> journal{};
    std::set<std::string> done{}, failed{};  ///< ids
    bool is_finished = false, is_damaged = false;
  };

  static void take(State& shard, const metrics::CaseRecord& record, std::vector<std::string>& news);
  static void read_file(State& shard, std::vector<std::string>& news);
  static void read_journal(State& shard, std::vector<std::string>& news);

  std::size_t cases_;
  std::vector<State> shards_;
};

}  // namespace assay::cli
