// SPDX-License-Identifier: Apache-2.0
/// The files of shards become a whole again, or it is said what keeps them from it.
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

/// What the shards in a folder are, as far as they fit together.
struct ShardFolder {
  results::ShardHeader header{};               ///< of most of them
  std::vector<std::filesystem::path> paths{};  ///< of all files that were read
  std::size_t files = 0;                       ///< that are sound and alike
  metrics::CaseRecords records{};              ///< of all cases that are there, in order
  std::vector<std::size_t> missing{};          ///< shards without a sound file
  std::vector<Error> unusable{};               ///< one for each file that is damaged or unfinished
  std::vector<std::string> conflicts{};        ///< a sentence for what makes any merge wrong
};

struct ShardReading {
  std::string model{};  ///< only shards of this one; "": of any
  unsigned jobs = 1;    ///< files at a time
};

/// Reads every shard in a folder. Throws Error when there is none.
ShardFolder read_shards(const std::filesystem::path& folder, const ShardReading& how = {});

/// Settings and warnings of the cohort that the shards are of; it has no cases.
Cohort cohort_of(const results::ShardHeader& header);

/// The sentences of errors, with files shown relative to `folder`; "": as they are.
std::vector<std::string> sentences_of(const std::vector<Error>& errors,
                                      const std::filesystem::path& folder = {});

/// "3, 7-9".
std::string listed_numbers(const std::vector<std::size_t>& numbers);

}  // namespace assay::score
