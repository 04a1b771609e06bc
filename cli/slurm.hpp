// SPDX-License-Identifier: Apache-2.0
/// Slurm's own programs: sbatch, squeue, scancel, scontrol. Nothing else talks to the cluster.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/command_line.hpp"

namespace assay::cli {

/// Whether jobs can be submitted from here: sbatch is on the PATH.
bool has_slurm();

/// Submits a script; returns the number of the job. Throws Error::io with what sbatch said.
std::string submit_job(const std::filesystem::path& script, const CommandWords& options);

/// Cancels a job; one that has ended already is left alone.
void cancel_job(const std::string& job);

/// The largest number that a task of an array may have; nothing if Slurm does not say.
std::optional<std::size_t> largest_array_task();

/// Jobs and tasks in the queue with their states: "12" for a job, "12_3" for a task of an array.
using QueuedTasks = std::map<std::string, std::string>;

/// Throws Error::io when the controller does not answer.
QueuedTasks queued_tasks(const std::vector<std::string>& jobs);

}  // namespace assay::cli
