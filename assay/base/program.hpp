// SPDX-License-Identifier: Apache-2.0
/// A program that is run to its end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"

namespace assay {

struct ProgramEnd {
  bool succeeded = false;  ///< it ended with status 0
  bool timed_out = false;
  std::string ending{};  ///< "ended with status 1", "was ended by signal 9"
  std::string output{};  ///< all of its standard output
  std::string errors{};  ///< all of its standard error
};

/// Runs a program without a shell and without input. If it takes longer than `timeout_s`, it is
/// ended with its whole process group. Throws Error::io when it cannot be started.
ProgramEnd run_program(const CommandWords& words, double timeout_s);

/// The file that is started for a name: the first one in the folders of `search_path`, which are
/// separated by colons, that may be run. Empty when there is none.
std::filesystem::path find_program(std::string_view name, std::string_view search_path);

/// The same with the folders of $PATH.
std::filesystem::path find_program(std::string_view name);

}  // namespace assay
