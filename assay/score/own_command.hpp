// SPDX-License-Identifier: Apache-2.0
/// A metric of the user's own that a program computes, asked label by label. docs/own-metrics.md
/// describes the file that declares it and the lines that are exchanged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"
#include "assay/own_metric.hpp"

namespace assay::score {

/// What a file of `--own-metric` says.
struct OwnCommand {
  metrics::OwnDeclaration declared{};
  CommandWords command{};  ///< `{folder}` in it is the folder of the file
  double timeout_s = 600;  ///< for one answer, and for the program to start
};

/// Throws Error that names the file and what is wrong with it.
OwnCommand parse_own_command(std::string_view text, const std::filesystem::path& file);

/// Reads the file, starts its program and performs the handshake. Every thread that computes has a
/// program of its own. Throws Error when the file cannot be understood, or the program does not
/// start or speak the protocol.
std::shared_ptr<const metrics::OwnMetric> open_own_metric(const std::filesystem::path& file);

/// What a program answers to the question `id`. Throws Error::input when the line says nothing that
/// can be understood, or belongs to another question.
metrics::OwnValue parse_own_answer(const std::string& line, std::size_t id);

}  // namespace assay::score
