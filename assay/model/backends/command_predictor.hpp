// SPDX-License-Identifier: Apache-2.0
/// The back-end `command`: a user's program that gets one question per case.
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
  CommandWords command = {};              ///< a program and its arguments, run without a shell
  double timeout_s = 600;                 ///< for one case, and for the start of the program
  std::filesystem::path error_file = {};  ///< the program's standard error is appended to it
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
  std::size_t channels = 0;  ///< of an image; 0: the program does not say
  bool operator==(const Greeting&) const = default;
};

/// The handshake. Throws Error::input with a sentence about the program ("its handshake …").
Greeting parse_greeting(const std::string& line);

/// The error that the program reports for case `id`; "" when the case succeeded. Throws
/// Error::input when the line says neither, or belongs to another case.
std::string parse_case_answer(const std::string& line, std::size_t id);

/// The text without spaces and line breaks at its end.
std::string one_line(const std::string& text);

/// A program's answer to the question `id`, whatever the question was. Throws Error::input when it
/// is not a JSON object, or belongs to another question.
Json parse_answer(const std::string& line, std::size_t id);

/// The error that an answer reports; "" when it reports none.
std::string reported_error(const Json& answer);

}  // namespace assay::model
