// SPDX-License-Identifier: Apache-2.0
/// A metric of the user's own, computed by a program that is asked label by label.
/// docs/own-metrics.md describes the file that declares it and the lines that are exchanged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"
#include "assay/own_metric.hpp"

namespace assay::score {

/// The content of a file given with `--own-metric`.
struct OwnCommand {
  metrics::OwnDeclaration declared{};
  CommandWords command{};  ///< `{folder}` in it stands for the folder of the file
  double timeout_s = 600;  ///< for one answer, and for the start of the program
};

/// Throws an Error that names the file and what is wrong with it.
OwnCommand parse_own_command(std::string_view text, const std::filesystem::path& file);

/// Reads the file, starts its program and performs the handshake. Every thread that computes has a
/// program of its own. Throws Error when the file is invalid, or when the program does not start or
/// does not speak the protocol.
std::shared_ptr<const metrics::OwnMetric> open_own_metric(const std::filesystem::path& file);

/// The program's answer to the question `id`. Throws Error::input when the line is not
/// intelligible, or belongs to another question.
metrics::OwnValue parse_own_answer(const std::string& line, std::size_t id);

}  // namespace assay::score
