// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

#include "assay/base/processor.hpp"
#include "assay_commit.hpp"

namespace assay::cli {

std::span<const Command* const> commands() {
  static constexpr const Command* table[] = {
      &score_command,   &compare_command, &power_command,    &parity_command,
      &folds_command,   &split_command,   &evaluate_command, &predict_command,
      &model_command,   &recipe_command,  &qa_command,       &report_command,
      &metrics_command, &demo_command,    &bench_command,    &docs_command,
  };
  return table;
}

std::vector<FullCommand> full_commands() {
  std::vector<FullCommand> out;
  for (const Command* command : commands()) {
    if (command->members.empty()) out.push_back({command->name, command});
    for (const Command* member : command->members)
      out.push_back({std::string(command->name) + " " + member->name, member});
  }
  return out;
}

unsigned jobs(const Common& common) {
  constexpr unsigned most = 256;  // more threads than any machine has use for
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(common.jobs != 0 ? common.jobs : cores, std::max(most, cores));
}

const char* version() {
  return ASSAY_VERSION;
}

const char* commit() {
  return ASSAY_COMMIT;
}

std::string version_line() {
#if defined(__clang__)
  constexpr std::string_view compiler = "Clang " __clang_version__;
#else
  constexpr std::string_view compiler = "GCC " __VERSION__;
#endif
  std::string line = std::string("assay ") + version() + " (commit " + commit() + ", ";
  return line.append(compiler).append(", instruction set ").append(instruction_set()) + ")";
}

}  // namespace assay::cli
