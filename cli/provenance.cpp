// SPDX-License-Identifier: Apache-2.0
#include "cli/provenance.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>

#include <filesystem>

namespace assay::cli {
namespace {

/// "--out=/home/me/r.json" -> "--out=r.json"
std::string shortened(const std::string& argument) {
  const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
  const std::size_t start = equals == std::string::npos ? 0 : equals + 1;
  const std::filesystem::path value = argument.substr(start);
  if (!value.is_absolute()) return argument;
  return argument.substr(0, start) + value.lexically_normal().filename().string();
}

std::string host() {
  utsname system = {};
  if (uname(&system) != 0) return "unknown";
  return fmt::format("{} ({} {}, {})", system.nodename, system.sysname, system.release,
                     system.machine);
}

}  // namespace

std::string iso_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

results::Provenance ProvenanceClock::provenance(const Common& common, const Session& session,
                                                bool anonymous) const {
  results::Provenance out = {.version = version(),
                             .commit = commit(),
                             .command = session.command,
                             .started = iso_time(started_),
                             .finished = iso_time(std::chrono::system_clock::now()),
                             .jobs = jobs(common)};
  if (anonymous)
    out.command = without_folders(std::move(out.command));
  else
    out.host = host();
  return out;
}

std::vector<std::string> without_folders(std::vector<std::string> command) {
  for (std::string& argument : command) argument = shortened(argument);
  return command;
}

}  // namespace assay::cli
