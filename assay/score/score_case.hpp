// SPDX-License-Identifier: Apache-2.0
/// One case, from files to counts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/error.hpp"
#include "assay/memory.hpp"
#include "assay/score.hpp"

namespace assay::score {

/// Memory that one worker keeps from case to case.
class Workspace {
 public:
  /// `threads`: how many may work on one case.
  explicit Workspace(std::size_t threads = 1) : threads_(threads) {}
  std::size_t threads() const { return threads_; }
  /// For the voxels of a file, which are always needed.
  Buffer take_largest();
  /// For what may not be needed, so that a large buffer does not lie idle while a file needs
  /// another.
  Buffer take_smallest();
  void give(Buffer buffer);

 private:
  std::size_t threads_;
  std::vector<Buffer> spare_;  ///< ascending by capacity
};

/// Reads, aligns and counts. Never throws for a reason in the files. The record then says what was
/// wrong, so that one bad case does not stop a cohort.
metrics::CaseRecord score_case(const CasePlan& plan, const metrics::ScoreSettings& settings,
                               Workspace& workspace);

/// The error with its file named as in results, which contain no paths of this machine. `shown` is
/// how results name `file`; other paths below the same root are shown in the same way.
Error as_shown(const Error& error, const std::filesystem::path& file, const std::string& shown);

/// Whether only foreground is scored, so that masks suffice.
bool only_foreground(const metrics::ScoreSettings& settings);

/// Whether the files of a case are, byte for byte, those that the record was made from.
bool has_hashes(const metrics::CaseRecord& record, const CasePlan& plan);

}  // namespace assay::score
