// SPDX-License-Identifier: Apache-2.0
/// assay config: what configuration files set, and where each value comes from.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "assay/base/json.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"
#include "cli/config_files.hpp"
#include "cli/output.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace config_file {
namespace {

constexpr Named<ConfigOrigin> origins[] = {{"ASSAY_CONFIG", ConfigOrigin::named},
                                           {"project", ConfigOrigin::project},
                                           {"user", ConfigOrigin::user}};

std::string_view name_of(ConfigOrigin origin) {
  return name_in<ConfigOrigin>(origins, origin);
}

struct Configuration {
  std::vector<ConfigFile> files{};
  std::vector<ConfigEntry> entries{};
};

Configuration read_configuration(const ConfigPlaces& places) {
  Configuration out = {.files = read_config_files(places)};
  const Parser parser;
  out.entries = config_entries(out.files, parser.program(), places.work);
  for (auto entry = out.entries.begin(); entry != out.entries.end(); ++entry) {
    const auto winner = std::find_if(out.entries.begin(), entry, [&](const ConfigEntry& other) {
      return other.command == entry->command && other.option == entry->option;
    });
    if (winner != entry) entry->refusal = winner->file + " wins";
  }
  return out;
}

std::string configuration_json(const Configuration& c) {
  Json files = Json::array(), settings = Json::array();
  for (const ConfigFile& file : c.files)
    files.push_back({{"file", file.path}, {"origin", name_of(file.origin)}});
  for (const ConfigEntry& entry : c.entries)
    settings.push_back({{"command", or_null(entry.command)},
                        {"option", entry.option},
                        {"value", entry.value},
                        {"file", entry.file},
                        {"origin", name_of(entry.origin)},
                        {"not_taken", or_null(entry.refusal)}});
  return to_text(Json{{"schema", "assay.config/1"}, {"files", files}, {"settings", settings}}) +
         "\n";
}

std::string configuration_table(const Configuration& c, const ConfigPlaces& places) {
  if (c.files.empty())
    return fmt::format("There is no configuration file: no {} in this project, and no {}.\n",
                       config_file_name, places.user.string());
  std::vector<std::vector<std::string>> rows;
  rows.reserve(c.entries.size());
  for (const ConfigEntry& entry : c.entries)
    rows.push_back({entry.command.empty() ? "all" : entry.command, entry.option, entry.value,
                    fmt::format("{} ({})", entry.file, name_of(entry.origin)),
                    entry.refusal.empty() ? "" : "ignored: " + entry.refusal});
  return report::text_table({{"command", report::Align::left},
                             {"option", report::Align::left},
                             {"value", report::Align::left},
                             {"from", report::Align::left},
                             {"", report::Align::left}},
                            rows);
}

Action declare(Arguments&) {
  return [](const Common& common, const Session& session) {
    const ConfigPlaces nowhere;
    const ConfigPlaces& places = session.config == nullptr ? nowhere : *session.config;
    const Configuration found = read_configuration(places);
    put_result(
        output_file(common.out, "config.json"), configuration_json(found),
        [&] { return configuration_table(found, places); }, common, session);
    return done;
  };
}

constexpr Example examples[] = {
    {"assay config", "the options that files set, and which file each value comes from"},
    {"assay config --json", "the same for scripts"},
};

}  // namespace
}  // namespace config_file

const Command config_command = {"config", "Show what configuration files set", config_file::declare,
                                config_file::examples};

}  // namespace assay::cli
