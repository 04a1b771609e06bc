// SPDX-License-Identifier: Apache-2.0
/// Merges the files of shards, or says why they cannot be merged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/error.hpp"
#include "assay/results/shard.hpp"
#include "assay/score.hpp"
#include "assay/shards.hpp"

namespace assay::score {

/// The shards in a folder, as far as they fit together.
struct ShardFolder {
  results::ShardHeader header{};               ///< the one that most of them share
  std::vector<std::filesystem::path> paths{};  ///< of all files that were read
  std::size_t files = 0;                       ///< files that are intact and agree
  metrics::CaseRecords records{};              ///< of all cases found, in order
  std::vector<std::size_t> missing{};          ///< shards without an intact file
  std::vector<Error> unusable{};               ///< one for each file that is damaged or unfinished
  std::vector<std::string>
      conflicts{};  ///< one sentence for each reason why a merge would be wrong
};

struct ShardReading {
  std::string model{};  ///< only shards of this model; "": of any
  unsigned jobs = 1;    ///< files read at a time
};

/// Reads every shard in a folder. Throws Error when there is none.
ShardFolder read_shards(const std::filesystem::path& folder, const ShardReading& how = {});

/// Settings and warnings of the cohort that the shards belong to, without its cases.
Cohort cohort_of(const results::ShardHeader& header);

/// The messages of errors, with files shown relative to `folder`; "": unchanged.
std::vector<std::string> sentences_of(const std::vector<Error>& errors,
                                      const std::filesystem::path& folder = {});

/// "3, 7-9".
std::string listed_numbers(const std::vector<std::size_t>& numbers);

}  // namespace assay::score
