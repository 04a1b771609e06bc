// SPDX-License-Identifier: Apache-2.0
/// The back-end `command`: a user's program that is asked case by case.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "assay/base/command_line.hpp"
#include "assay/model.hpp"

namespace assay::model {

struct CommandSettings {
  CommandWords command = {};              ///< a program and its arguments; no shell takes part
  double timeout_s = 600;                 ///< for one case, and for the program to start
  std::filesystem::path error_file = {};  ///< what it writes to standard error is added to it
};

/// Starts the program and performs the handshake (docs/formats/predictor.md). Throws Error when it
/// does not start or does not speak the protocol.
std::unique_ptr<Predictor> command_predictor(const CommandSettings& settings);

}  // namespace assay::model
