// SPDX-License-Identifier: Apache-2.0
/// Options from configuration files. They become words of the command line, so that the parser, job
/// scripts and the provenance of results see them as if they had been typed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/text.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

inline constexpr const char* config_file_name = "assay.toml";

/// Whose file it is. A project's file is less trusted, since it may have come with somebody's data.
enum class ConfigOrigin { named, project, user };

struct ConfigFile {
  std::string path;  ///< as messages show it
  ConfigOrigin origin;
  Json tables;
};

/// An option that a file sets.
struct ConfigEntry {
  std::string command;             ///< "qa run"; "": every command
  std::string option;              ///< "--metrics"
  std::vector<std::string> words;  ///< "--metrics=standard"; none for a flag that is off
  std::string value;               ///< as it is shown
  std::string file;
  ConfigOrigin origin;
  std::string refusal{};  ///< why it is refused; "": it is accepted
};

/// Where files are looked for, and the folder that paths in messages are relative to.
struct ConfigPlaces {
  std::filesystem::path work;   ///< the current folder
  std::filesystem::path user;   ///< the user's own file
  std::filesystem::path named;  ///< the file that ASSAY_CONFIG names; empty: the project's is found
};

/// The places according to the environment.
ConfigPlaces config_places();

/// The files that exist, highest precedence first. Throws Error about a file that cannot be read.
std::vector<ConfigFile> read_config_files(const ConfigPlaces& places);

/// What the files set, highest precedence first. `program` has all commands. Throws Error::input
/// about the first key that is not an option, and about values that no option accepts.
std::vector<ConfigEntry> config_entries(const std::vector<ConfigFile>& files,
                                        const CLI::App& program, const std::filesystem::path& work);

/// The entries to add to a command line that `command` has read: those for options that were not
/// typed. Throws Error::usage about an option that a project's file may not set.
std::vector<ConfigEntry> untyped_entries(const std::vector<ConfigEntry>& entries,
                                         const CLI::App& command, const std::string& name);

}  // namespace assay::cli
