// SPDX-License-Identifier: Apache-2.0
/// assay submit: the family of commands that hand work to a cluster; one file each.
#include <array>

#include "cli/commands.hpp"

namespace assay::cli {
namespace submit_file {
namespace {

constexpr std::array members = {&submit_slurm_command};

constexpr Example examples[] = {
    {"assay submit slurm -- score predictions labelsTr --out results.json",
     "an array job on a Slurm cluster, and a job that merges its shards into results.json"},
    {"assay submit slurm --dry-run -- score predictions labelsTr --out results.json",
     "shows the scripts; nothing is written or submitted"},
};

}  // namespace
}  // namespace submit_file

const Command submit_command = {.name = "submit",
                                .summary = "Run a command on a cluster, in shards",
                                .declare = nullptr,
                                .examples = submit_file::examples,
                                .members = submit_file::members};

}  // namespace assay::cli
