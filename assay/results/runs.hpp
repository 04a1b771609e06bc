// SPDX-License-Identifier: Apache-2.0
/// The folders of a cross-validation, `fold_{o}_restart_{r}` or `fold_{k}`, and the runs in them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/compare/cross_validation.hpp"

namespace assay::results {

/// What the name of a folder says: "fold_2_restart_1", "fold_2", "fold_all".
struct FoldName {
  std::size_t outer_fold = 0;
  std::optional<std::size_t> restart{};  ///< none: there is only one
  bool all = false;                      ///< trained on every case, so there is nothing to test on
};

/// Nothing when the name is not that of a fold.
std::optional<FoldName> fold_name(std::string_view folder);

/// A run that should be there but gave no values.
struct LostRun {
  std::size_t outer_fold = 0, restart = 0;
  std::string file, reason;
};

/// expected = read + unreadable + missing.
struct RunLedger {
  std::size_t expected = 0, read = 0;
  std::vector<LostRun> unreadable, missing;  ///< by fold and restart
};

struct RunFolders {
  std::string name;  ///< of the first folder; used for all runs together
  std::vector<compare::FoldRun> runs;
  RunLedger ledger;
  std::string inputs_sha256;                 ///< over all files that were read
  std::vector<std::filesystem::path> files;  ///< all that were found, readable or not
  std::vector<std::string> warnings;
};

/// Reads `fold_*/results.json` and nnU-Net's `fold_*/validation/summary.json` in the folders, which
/// may also be fold folders themselves. Expected are all outer folds from 0 to the highest number,
/// each with as many restarts as the fold that has the most. A file that cannot be read is kept in
/// the ledger. Throws Error when a folder holds no fold or a run occurs twice.
RunFolders read_runs(const std::vector<std::filesystem::path>& folders);

}  // namespace assay::results
