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
  /// For the voxels of a file, which are always stored.
  Buffer take_largest();
  /// For what may not be needed: a large buffer must not lie idle while a file asks for another.
  Buffer take_smallest();
  void give(Buffer buffer);

 private:
  std::size_t threads_;
  std::vector<Buffer> spare_;  ///< ascending by capacity
};

/// Reads, aligns and counts. Never throws for a reason in the files: the record then says what was
/// wrong, so that one bad case does not stop a cohort.
metrics::CaseRecord score_case(const CasePlan& plan, const metrics::ScoreSettings& settings,
                               Workspace& workspace);

/// The error with its file as results show it: they contain no paths of this machine. `shown` is
/// how they show `file`; what lies under the same root is shown in the same way.
Error as_shown(const Error& error, const std::filesystem::path& file, const std::string& shown);

/// Whether nothing but foreground is scored, so that masks will do.
bool only_foreground(const metrics::ScoreSettings& settings);

/// Whether the files of a case are, byte for byte, those that the record was made from.
bool has_hashes(const metrics::CaseRecord& record, const CasePlan& plan);

}  // namespace assay::score
