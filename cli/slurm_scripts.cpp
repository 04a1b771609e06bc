// SPDX-License-Identifier: Apache-2.0
#include "cli/slurm_scripts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/ascii.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/version.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view directive = "#SBATCH";

/// A word quoted for a line that sbatch reads. Between double quotes, sbatch treats a backslash as
/// an escape for any character. Outside quotes it ends a word at every blank, even after a
/// backslash.
std::string directive_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return is_ascii_word(c) || std::string_view("-_=/.,:%+@").find(c) != std::string_view::npos;
  };
  if (std::ranges::any_of(word, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    throw Error(Error::Kind::usage,
                "'" + word +
                    "' has a line break or another control character, which Slurm does "
                    "not accept in a script");
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  return "\"" + replaced(replaced(word, "\\", "\\\\"), "\"", "\\\"") + "\"";
}

/// A path with Slurm's pattern in its last part. Slurm replaces patterns anywhere in a path, but
/// none if the path contains a backslash.
std::string log_option(const char* option, const SlurmJob& job, const std::string& name) {
  const std::string folder = fs::absolute(job.folder).lexically_normal().string();
  if (folder.find('\\') != std::string::npos)
    throw Error(Error::Kind::usage,
                folder +
                    ": Slurm cannot write logs below a folder whose name has a backslash; "
                    "choose another --out");
  return option + replaced(folder, "%", "%%") + "/" + log_folder + "/" + name;
}

std::string directives(const CommandWords& options, const CommandWords& passed_on) {
  std::string out;
  for (const std::string& option : options)
    out += fmt::format("{} {}\n", directive, directive_word(option));
  if (!passed_on.empty())
    out += fmt::format("{} {}\n", directive, joined(passed_on, " ", directive_word));
  return out;
}

/// The first commands of both scripts, after the lines for sbatch.
std::string preparation(const SlurmJob& job) {
  return fmt::format("set -u\ncd -- {} || exit 2\nassay=${{ASSAY:-{}}}\n",
                     shell_word(job.work.string()), shell_word(job.program.string()));
}

/// Where options can be added: before a bare "--".
CommandWords::const_iterator end_of_options(const CommandWords& words) {
  return std::ranges::find(words, "--");
}

bool is_option(const std::string& word, std::string_view option) {
  return word == option || word.starts_with(std::string(option) + "=");
}

/// The words of a command without an option, wherever it is: `--out x`, `--out=x`. A flag has no
/// value. What follows a bare "--" is not touched.
CommandWords without_option(const CommandWords& words, std::string_view option, bool is_flag) {
  CommandWords out;
  const auto last = end_of_options(words);
  for (auto word = words.begin(); word != last; ++word) {
    if (!is_option(*word, option))
      out.push_back(*word);
    else if (!is_flag && *word == option && word + 1 != last)
      ++word;
  }
  out.insert(out.end(), last, words.end());
  return out;
}

}  // namespace

std::string shard_log(std::string_view number) {
  return fmt::format("shard-{}.log", number);
}

bool has_option(const CommandWords& words, std::string_view option) {
  return std::any_of(words.begin(), end_of_options(words),
                     [&](const std::string& word) { return is_option(word, option); });
}

std::string job_text(const SlurmJob& job) {
  CommandWords words = job.command;
  for (const char* option : {"--out", "--csv"}) words = without_option(words, option, false);
  for (const char* flag : {"--resume", "--no-config"}) words = without_option(words, flag, true);
  const auto rest = end_of_options(words);
  const std::string after = command_text({rest, words.cend()});
  const std::string limit = job.at_once == 0 ? "" : fmt::format("%{}", job.at_once);
  return fmt::format(
      "#!/bin/bash\n"
      "# Runs shard $SLURM_ARRAY_TASK_ID of {0}. Written by assay {1}.\n"
      "# sbatch {2} submits all shards; SLURM_ARRAY_TASK_ID=1 bash {2} runs one by hand.\n"
      "{3}{4}"
      "exec \"$assay\" {5} \\\n"
      "  --out {6} \\\n"
      "  --shard \"${{SLURM_ARRAY_TASK_ID:?is not set: say which shard, from 1 to {0}}}/{0}\" \\\n"
      "  --plan {7} --resume --no-config{8}\n",
      job.shards, version(), job_script,
      directives({fmt::format("--job-name=assay-{}", job.out.stem().string()),
                  fmt::format("--array=1-{}{}", job.shards, limit),
                  log_option("--output=", job, shard_log("%a")), "--open-mode=append", "--requeue"},
                 job.sbatch),
      preparation(job), command_text({words.cbegin(), rest}),
      shell_word((job.folder / job.out.filename()).string()),
      shell_word((job.folder / plan_file).string()), after.empty() ? "" : " " + after);
}

std::string merge_text(const SlurmJob& job) {
  CommandWords words = {"merge", job.folder.string(), "--no-config", "--out", job.out.string()};
  if (!job.csv.empty()) words.insert(words.end(), {"--csv", job.csv});
  const std::string status = shell_word((job.folder / merge_status).string());
  return fmt::format(
      "#!/bin/bash\n"
      "# Joins the shards into one results file, or says which are missing. Written by assay {}.\n"
      "{}{}"
      "status=0\n"
      "\"$assay\" {} || status=$?\n"
      "echo \"$status\" >{}\n"
      "exit \"$status\"\n",
      version(),
      directives(
          {fmt::format("--job-name=assay-merge-{}", job.out.stem().string()),
           log_option("--output=", job, merge_output), log_option("--error=", job, merge_errors)},
          job.sbatch),
      preparation(job), command_text(words), status);
}

std::string without_directives(std::string_view script) {
  std::string out;
  for (const std::string_view line : parts_of(script, '\n'))
    if (!line.starts_with(directive)) out.append(line).append("\n");
  return out;
}

}  // namespace assay::cli
