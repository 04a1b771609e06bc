// SPDX-License-Identifier: Apache-2.0
#include "cli/slurm.hpp"

#include <charconv>

#include "assay/base/program.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::cli {
namespace {

constexpr double patience_s = 120;  // a busy controller takes its time

[[noreturn]] void pass_on(const CommandWords& words, const ProgramEnd& end) {
  const auto lines = parts_of(trimmed(end.errors.empty() ? end.output : end.errors), '\n');
  const std::string said = joined(lines, "; ");
  const std::string why = end.timed_out  ? "did not answer within two minutes"
                          : said.empty() ? end.ending
                                         : "says: " + said;
  throw Error(Error::Kind::io, "Slurm: " + words.front() + " " + why);
}

/// What a program of Slurm prints. Throws Error::io with its message if it fails.
std::string ask(const CommandWords& words) {
  const ProgramEnd end = assay::run_program(words, patience_s);
  if (!end.succeeded) pass_on(words, end);
  return end.output;
}

}  // namespace

bool has_slurm() {
  return !find_program("sbatch").empty();
}

std::string submit_job(const std::filesystem::path& script, const CommandWords& options) {
  CommandWords words = {"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(std::filesystem::absolute(script).string());
  const std::string answer = ask(words);
  std::string number(trimmed(parts_of(answer, ';').front()));  // "12;cluster" in a federation
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos)
    throw Error(Error::Kind::io,
                "Slurm: sbatch printed '" + excerpt(trimmed(answer)) + "' instead of a job number");
  return number;
}

void cancel_job(const std::string& job) {
  assay::run_program({"scancel", job}, patience_s);
}

std::optional<std::size_t> largest_array_task() try {
  const std::string settings = ask({"scontrol", "show", "config"});
  for (const std::string_view line : parts_of(settings, '\n')) {
    if (!line.starts_with("MaxArraySize")) continue;
    const std::string_view value = trimmed(line.substr(line.find('=') + 1));
    std::size_t size = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), size).ec == std::errc{} &&
        size > 0)
      return size - 1;  // task numbers start from 0
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;  // if the array is too large, sbatch will say so
}

QueuedTasks queued_tasks(const std::vector<std::string>& jobs) {
  // squeue calls a single old job invalid, but ignores old jobs in a list. So the first job is
  // listed twice.
  const std::string wanted = joined(jobs, ",") + "," + jobs.front();
  const std::string listing =
      ask({"squeue", "--noheader", "--array", "--format=%i|%T|", "--jobs=" + wanted});
  QueuedTasks out;
  for (const std::string_view line : parts_of(listing, '\n')) {
    const auto fields = parts_of(trimmed(line), '|');
    if (fields.size() >= 2) out.emplace(fields[0], fields[1]);
  }
  return out;
}

}  // namespace assay::cli
