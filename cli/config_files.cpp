// SPDX-License-Identifier: Apache-2.0
#include "cli/config_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>

#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/toml.hpp"
#include "assay/error.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Options by which a file could make the program run something, or send data or a key somewhere.
constexpr std::array outside_options = {
    "--command",  "--agent",     "--base-url",    "--api-key-env", "--header",    "--request-json",
    "--endpoint", "--slide-url", "--onnxruntime", "--sbatch",      "--own-metric"};

/// Options that name what is written.
constexpr std::array written_options = {"--out",     "--output", "--csv",      "--save-predictions",
                                        "--figures", "--cache",  "--work-dir", "--log",
                                        "--log-to"};

/// Options that are only for the command line.
constexpr std::array typed_options = {"--help", "--version", "--no-config"};

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// A path relative to the current folder if it is below it, otherwise absolute.
std::string shown_path(const fs::path& path, const fs::path& work) {
  const fs::path relative = path.lexically_relative(work);
  const bool is_near = !relative.empty() && *relative.begin() != "..";
  return is_near ? relative.string() : path.string();
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether a file written there would be inside the current folder, with symbolic links resolved.
bool stays_inside(const std::string& path, const fs::path& work) {
  std::error_code unknown;
  const fs::path inside = fs::weakly_canonical(work, unknown);
  const fs::path target = fs::weakly_canonical(work / path, unknown);
  if (unknown) return false;
  const fs::path relative = target.lexically_relative(inside);
  return !relative.empty() && *relative.begin() != "..";
}

bool contains(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

/// The name without dashes that messages and files use: "nsd-tolerance".
std::string key_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : option.get_lnames().front();
}

/// Reads all tables of one file against the commands of the program.
class Reading {
 public:
  Reading(const ConfigFile& file, const fs::path& work) : file_(file), work_(work) {}

  /// The entries of the file's tables, followed by those of its top level, which all commands
  /// share.
  std::vector<ConfigEntry> entries(const CLI::App& program) {
    const CLI::App& any = *program
                               .get_subcommands([](const CLI::App* command) {
                                 return command->get_require_subcommand_min() == 0;
                               })
                               .front();
    Json head = Json::object();
    for (const auto& [key, value] : file_.tables.items()) {
      const CLI::App* command = command_of(program, key);
      if (command != nullptr && value.is_object())
        read_table(*command, value, command->get_name());
      else if (option_of(any, key, true) != nullptr)
        head[key] = value;
      else
        refuse_key(key, "", names_in_head(program, any));
    }
    for (const auto& [key, value] : head.items()) add(*option_of(any, key, true), value, "");
    return std::move(entries_);
  }

 private:
  static const CLI::App* command_of(const CLI::App& program, const std::string& name) {
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
      if (command->check_name(name)) return command;
    return nullptr;
  }

  /// The option of that name; with `common`, only if every command has it.
  static const CLI::Option* option_of(const CLI::App& command, const std::string& key,
                                      bool common) {
    const std::string name = "--" + replaced(key, "_", "-");
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || contains(typed_options, name) || option->get_positional())
      return nullptr;
    return common && option->get_group() != common_heading ? nullptr : option;
  }

  static std::vector<std::string> names_in_head(const CLI::App& program, const CLI::App& any) {
    std::vector<std::string> names = option_keys(any, true);
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
    return names;
  }

  static std::vector<std::string> option_keys(const CLI::App& command, bool common) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      if (option_of(command, key_of(*option), common) != nullptr) names.push_back(key_of(*option));
    return names;
  }

  [[noreturn]] void refuse_key(const std::string& key, const std::string& command,
                               const std::vector<std::string>& names) const {
    const std::string place =
        command.empty() ? "" : fmt::format("in [{}], ", replaced(command, " ", "."));
    const std::string nearest_name = did_you_mean(key, names);
    const std::string list = command.empty() ? "docs cli" : command + " --help";
    throw Error(
        Error::Kind::input, file_.path,
        fmt::format("{}'{}' is {}{}", place, key,
                    command.empty() ? "neither a command nor an option that all commands have"
                                    : "not an option",
                    nearest_name.empty() ? "; 'assay " + list + "' lists the commands and options"
                                         : nearest_name));
  }

  void read_table(const CLI::App& command, const Json& table, const std::string& name) {
    const bool is_family = command.get_require_subcommand_min() > 0;
    std::vector<std::string> members;
    for (const CLI::App* member : command.get_subcommands([](const CLI::App*) { return true; }))
      members.push_back(member->get_name());
    for (const auto& [key, value] : table.items()) {
      const CLI::App* member = is_family ? command_of(command, key) : nullptr;
      const CLI::Option* option = is_family ? nullptr : option_of(command, key, false);
      if (member != nullptr && value.is_object())
        read_table(*member, value, name + " " + member->get_name());
      else if (option != nullptr)
        add(*option, value, name);
      else
        refuse_key(key, name, is_family ? members : option_keys(command, false));
    }
  }

  [[noreturn]] void refuse_value(const std::string& option, const std::string& what) const {
    throw Error(Error::Kind::input, file_.path, option.substr(2) + ": " + what);
  }

  /// Text and numbers as one would type them.
  std::string typed(const Json& value, const std::string& option) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    refuse_value(option, "write text in quotes, a number, or a list of these");
  }

  std::vector<std::string> words_of(const CLI::Option& option, const std::string& name,
                                    const Json& value) const {
    if (value.is_boolean()) {
      if (option.get_expected_min() > 0) refuse_value(name, "needs a value, not true or false");
      return value.get<bool>() ? std::vector{name} : std::vector<std::string>{};
    }
    if (option.get_expected_max() == 0) refuse_value(name, "is either true or false");
    if (!value.is_array()) return {name + "=" + typed(value, name)};
    std::vector<std::string> each;
    for (const Json& one : value) each.push_back(typed(one, name));
    if (option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
      return {name + "=" + joined(each, ",")};
    for (std::string& text : each) text.insert(0, name + "=");
    return each;
  }

  std::string refusal_of(const std::string& name, const std::vector<std::string>& words) const {
    if (file_.origin != ConfigOrigin::project) return "";
    if (contains(outside_options, name)) return "it runs a program, or sends data or keys";
    if (!contains(written_options, name)) return "";
    for (const std::string& word : words) {
      std::string place = word.substr(std::min(name.size() + 1, word.size()));
      if (name == "--log-to") place.erase(0, place.find('=') + 1);
      if (!stays_inside(place, work_)) return "it writes outside the current folder";
    }
    return "";
  }

  void add(const CLI::Option& option, const Json& value, const std::string& command) {
    const std::string name = "--" + key_of(option);
    if (!added_.insert(command + name).second) refuse_value(name, "is set twice");
    const std::vector<std::string> words = words_of(option, name, value);
    entries_.push_back({.command = command,
                        .option = name,
                        .words = words,
                        .value = value.is_string() ? value.get<std::string>() : value.dump(),
                        .file = file_.path,
                        .origin = file_.origin,
                        .refusal = refusal_of(name, words)});
  }

  const ConfigFile& file_;
  const fs::path& work_;
  std::vector<ConfigEntry> entries_;
  std::set<std::string> added_;
};

/// Whether the option was typed, or the argument that means the same: REF for --ref.
bool is_typed(const CLI::App& command, const std::string& option) {
  const CLI::Option* declared = command.get_option_no_throw(option);
  if (declared == nullptr || declared->count() > 0) return true;
  return std::ranges::any_of(command.get_options(), [&](const CLI::Option* other) {
    return other->get_positional() && other->count() > 0 &&
           "--" + ascii_lowered(other->get_name(true)) == option;
  });
}

/// The project's file, or an empty path. It is in the current folder, or in the nearest folder
/// above it within the same git repository.
fs::path find_project_file(const fs::path& work) {
  if (work.empty()) return {};
  fs::path root = work;
  while (!is_there(root / ".git") && root.has_relative_path()) root = root.parent_path();
  if (!is_there(root / ".git")) root = work;
  for (fs::path folder = work;; folder = folder.parent_path()) {
    if (is_there(folder / config_file_name)) return folder / config_file_name;
    if (folder == root) return {};
  }
}

}  // namespace

ConfigPlaces config_places() {
  std::error_code unknown;
  ConfigPlaces out = {.work = fs::current_path(unknown),
                      .user = text_of_variable("XDG_CONFIG_HOME"),
                      .named = text_of_variable("ASSAY_CONFIG")};
  const std::string home = text_of_variable("HOME");
  if (!out.user.is_absolute()) out.user = home.empty() ? fs::path() : fs::path(home) / ".config";
  if (!out.user.empty()) out.user = out.user / "assay" / config_file_name;
  return out;
}

std::vector<ConfigFile> read_config_files(const ConfigPlaces& places) {
  std::vector<ConfigFile> out;
  const auto read = [&](const fs::path& path, ConfigOrigin origin) {
    const std::string shown = shown_path(path, places.work);
    out.push_back({shown, origin, parse_toml(read_text(path), shown)});
  };
  const fs::path project = find_project_file(places.work);
  if (!places.named.empty())
    read(places.named, ConfigOrigin::named);
  else if (!project.empty() && project != places.user)
    read(project, ConfigOrigin::project);
  if (!places.user.empty() && is_there(places.user)) read(places.user, ConfigOrigin::user);
  return out;
}

std::vector<ConfigEntry> config_entries(const std::vector<ConfigFile>& files,
                                        const CLI::App& program, const fs::path& work) {
  std::vector<ConfigEntry> out;
  for (const ConfigFile& file : files)
    for (ConfigEntry& entry : Reading(file, work).entries(program)) out.push_back(std::move(entry));
  return out;
}

std::vector<ConfigEntry> untyped_entries(const std::vector<ConfigEntry>& entries,
                                         const CLI::App& command, const std::string& name) {
  std::vector<ConfigEntry> out;
  std::set<std::string> settled;
  for (const ConfigEntry& entry : entries) {
    const bool applies = entry.command.empty() || entry.command == name;
    if (!applies || is_typed(command, entry.option) || !settled.insert(entry.option).second)
      continue;
    if (!entry.refusal.empty())
      throw Error(Error::Kind::usage, entry.file,
                  fmt::format("a project's file may not set {0}, because {1}; type the option, put "
                              "it into your own file, or set ASSAY_CONFIG={2} if you trust the "
                              "file ('assay config' shows it)",
                              entry.option, entry.refusal, entry.file));
    out.push_back(entry);
  }
  return out;
}

}  // namespace assay::cli
