// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

#include "assay/base/processor.hpp"
#include "assay/threads.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {

std::span<const CommandGroup> command_groups() {
  static constexpr const Command* scoring[] = {&score_command, &compare_command, &report_command,
                                               &parity_command, &metrics_command};
  static constexpr const Command* models[] = {&evaluate_command, &predict_command, &model_command,
                                              &recipe_command};
  static constexpr const Command* studies[] = {&power_command, &split_command, &folds_command};
  static constexpr const Command* clusters[] = {&submit_command, &merge_command, &bids_app_command};
  static constexpr const Command* questions[] = {&qa_command};
  static constexpr const Command* program[] = {&demo_command, &bench_command, &docs_command,
                                               &doctor_command, &config_command};
  static constexpr CommandGroup groups[] = {{"Score segmentations and compare models", scoring},
                                            {"Run trained models", models},
                                            {"Plan studies and cross-validations", studies},
                                            {"Run on a cluster", clusters},
                                            {"Question answering on whole slides", questions},
                                            {"Demo, documentation and diagnostics", program}};
  return groups;
}

std::vector<FullCommand> full_commands() {
  std::vector<FullCommand> out;
  for (const CommandGroup& group : command_groups())
    for (const Command* command : group.commands) {
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

Executor pool(const Common& common, const Session& session) {
  return thread_executor(jobs(common), [&](const std::string& sentence) {
    tell("warning", {sentence}, session.notes);
  });
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
