// SPDX-License-Identifier: Apache-2.0
/// The texts of the two scripts of a submission: one runs an array task, one merges the shards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"

namespace assay::cli {

/// Names of the files in the folder of a submission.
inline constexpr const char *job_script = "job.sh", *merge_script = "merge.sh",
                            *plan_file = "plan.json", *jobs_file = "jobs.tsv",
                            *merge_status = "merge.status", *log_folder = "logs",
                            *merge_output = "merge.out", *merge_errors = "merge.err";

/// The log of a shard, in `log_folder`; `number` is its number, or Slurm's "%a".
std::string shard_log(std::string_view number);

/// Everything that the scripts are made from.
struct SlurmJob {
  CommandWords command;                 ///< the command of assay as typed, without the program
  std::filesystem::path program;        ///< assay
  std::filesystem::path folder;         ///< of the submission, as in messages
  std::filesystem::path work;           ///< where the command was typed
  std::filesystem::path out;            ///< the results file
  std::string csv{};                    ///< "": none
  std::size_t shards = 1, at_once = 0;  ///< 0: as many as the cluster starts
  CommandWords sbatch{};                ///< options that are passed on
};

/// Throws Error::usage if a text cannot be part of a script, such as a folder with a line break.
std::string job_text(const SlurmJob& job);
std::string merge_text(const SlurmJob& job);

/// A script without the lines that only sbatch reads. The rest stays the same when a job is
/// submitted again, for example with more memory.
std::string without_directives(std::string_view script);

/// Whether the option is given.
bool has_option(const CommandWords& words, std::string_view option);

}  // namespace assay::cli
