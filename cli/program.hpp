// SPDX-License-Identifier: Apache-2.0
/// One run of the program, wherever its text goes: a terminal, or a Python caller.
#pragma once

#include <atomic>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "assay/metrics.hpp"

namespace assay::cli {

struct ConfigPlaces;

struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  const std::atomic<bool>& stop;  ///< set by Ctrl-C
  bool out_is_terminal = false, err_is_terminal = false;
  void (*listen_for_stop)() = nullptr;   ///< called if the command polls `stop`
  const ConfigPlaces* config = nullptr;  ///< where configuration files are; nullptr: nowhere
  /// Functions of a Python caller that are metrics.
  std::vector<std::shared_ptr<const metrics::OwnMetric>> own_metrics{};
};

/// `arguments` start with the program's name. Returns the exit status; throws Error if the command
/// cannot do its work.
int run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings);

}  // namespace assay::cli
