// SPDX-License-Identifier: Apache-2.0
/// The back-end `command`: a user's program that is asked case by case.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "assay/base/command_line.hpp"
#include "assay/base/json.hpp"
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

// What a user's program answers, line by line. docs/formats/predictor.md describes it.

inline constexpr int command_protocol = 1;
inline constexpr std::size_t most_command_classes = 256;

/// What a program says about itself.
struct Greeting {
  std::string name, version;
  std::size_t classes = most_command_classes;
  std::size_t channels = 0;  ///< of an image; 0: it does not say
  bool operator==(const Greeting&) const = default;
};

/// The handshake. Throws Error::input with a sentence about the program ("its handshake …").
Greeting parse_greeting(const std::string& line);

/// What the program says went wrong with the case that it was asked for as `id`; "" when it is
/// done. Throws Error::input when the line says neither, or belongs to another case.
std::string parse_case_answer(const std::string& line, std::size_t id);

/// What a reader of one line is shown of text that may have several.
std::string one_line(const std::string& text);

/// The answer to the question `id` of any program that is asked in this way. Throws Error::input
/// when it is not a JSON object, or belongs to another question.
Json parse_answer(const std::string& line, std::size_t id);

/// What the program says went wrong; "" when nothing did.
std::string reported_error(const Json& answer);

}  // namespace assay::model
