// SPDX-License-Identifier: Apache-2.0
/// A command line together with what configuration files add to it.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/config_files.hpp"
#include "cli/parser.hpp"

namespace assay::cli {

struct ParsedLine {
  std::unique_ptr<Parser> parser;
  std::vector<std::string> words;  ///< as typed, then the options of files
  std::optional<int> status{};     ///< if set, nothing is left to do, and this is the exit status
};

/// Parses `words`, which start with the program's name, and completes them with the options that
/// files set (`places`; nullptr: no files). A note names what a project's file adds. Throws Error
/// about a file.
ParsedLine parse_line(std::vector<std::string> words, const ConfigPlaces* places, std::ostream& out,
                      std::ostream& err);

}  // namespace assay::cli
