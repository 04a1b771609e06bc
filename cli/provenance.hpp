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

/// "2026-11-17T22:04:05Z".
std::string iso_time(std::chrono::system_clock::time_point time);

/// A command with only the last part of absolute paths.
std::vector<std::string> without_folders(std::vector<std::string> command);

/// Starts when it is constructed.
class ProvenanceClock {
 public:
  /// `anonymous`: no host, and only the last part of absolute paths.
  results::Provenance provenance(const Common& common, const Session& session,
                                 bool anonymous) const;

  std::chrono::system_clock::time_point started() const { return started_; }

 private:
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

}  // namespace assay::cli
