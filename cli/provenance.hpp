// SPDX-License-Identifier: Apache-2.0
/// Where and when a result was made.
#pragma once

#include <chrono>

#include "assay/results.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

/// The help of --anonymous.
inline constexpr const char* anonymous_help =
    "Leave the host name and absolute paths out of the provenance";

/// A command with only the last part of absolute paths.
std::vector<std::string> without_folders(std::vector<std::string> command);

/// Starts when it is made.
class ProvenanceClock {
 public:
  /// `anonymous`: no host, and only the last part of absolute paths.
  results::Provenance provenance(const Common& common, const Session& session,
                                 bool anonymous) const;

 private:
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

}  // namespace assay::cli
