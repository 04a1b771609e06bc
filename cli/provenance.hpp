// SPDX-License-Identifier: Apache-2.0
/// Where and when a result was made.
#pragma once

#include <chrono>

#include "assay/results/results.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

/// Starts when it is made.
class ProvenanceClock {
 public:
  /// `anonymous`: no host, and of absolute paths only the last part.
  results::Provenance provenance(const Common& common, const Session& session,
                                 bool anonymous) const;

 private:
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

}  // namespace assay::cli
