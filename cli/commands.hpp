// SPDX-License-Identifier: Apache-2.0
/// The commands. Each has one declaration, one row and one file.
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "assay/metrics.hpp"
#include "assay/version.hpp"
#include "cli/arguments.hpp"
#include "cli/exit.hpp"

namespace assay::cli {

/// The options that every command has.
struct Common {
  bool json = false, quiet = false, verbose = false, no_color = false, no_config = false;
  std::string out, log;
  unsigned jobs = 0;  ///< 0: all cores
};

struct ConfigPlaces;
struct PlannedWork;
/// Called with what a command would do, instead of doing it.
using Rehearsal = std::function<void(const PlannedWork& work)>;

/// What a command is given besides its own options.
struct Session {
  std::ostream& out;                 ///< results for people, or JSON; made safe for a terminal
  std::ostream& data;                ///< results in a format of --format, as written to a file
  std::ostream& err;                 ///< messages that --quiet keeps
  std::ostream& notes;               ///< all others; with --quiet only in the log, if there is one
  std::vector<std::string> command;  ///< as typed, for provenance
  const std::atomic<bool>& stop;     ///< set by Ctrl-C
  bool out_is_terminal = false, err_is_terminal = false;
  const Rehearsal* rehearsal = nullptr;  ///< if set, the command does all but the work itself
  const ConfigPlaces* config = nullptr;  ///< where configuration files are; nullptr: nowhere
  /// Functions of a Python caller that are metrics.
  std::vector<std::shared_ptr<const metrics::OwnMetric>> own_metrics{};
};

/// What to do once the command line is parsed.
using Action = std::function<Exit(const Common& common, const Session& session)>;

struct Example {
  const char* command;
  const char* effect;
};

struct Command {
  const char* name;
  const char* summary;
  Action (*declare)(Arguments& arguments);
  std::span<const Example> examples;
  bool stops_in_order = false;  ///< polls Session::stop, so that Ctrl-C loses nothing
  const char* alias = nullptr;  ///< a second name that people may know the command by
  /// A family such as `assay qa`: one of these must follow, and the rest of this row is unused.
  std::span<const Command* const> members = {};
};

/// What a row of the table declares: `command<declare_options, run>`, where a command's file has
///   void declare_options(Arguments& arguments, Options& options);
///   Exit run(const Options& options, const Common& common, const Session& session);
template <auto declare_options, auto run>
Action command(Arguments& arguments) {
  const auto options = []<class Options>(void (*)(Arguments&, Options&)) {
    return std::make_shared<Options>();
  }(declare_options);
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

extern const Command score_command, compare_command, report_command, parity_command,
    metrics_command;
extern const Command evaluate_command, predict_command, model_command, recipe_command;
extern const Command model_show_command, recipe_show_command, recipe_apply_command;
extern const Command power_command, split_command, folds_command;
extern const Command merge_command, bids_app_command;
extern const Command qa_command, qa_check_command, qa_run_command, qa_score_command,
    qa_compare_command, qa_show_command, qa_status_command, qa_salvage_command, qa_fetch_command;
extern const Command submit_command, submit_slurm_command;
extern const Command demo_command, bench_command, docs_command, doctor_command, config_command;

/// Commands that serve the same job.
struct CommandGroup {
  const char* job;
  std::span<const Command* const> commands;
};

/// Every command, in the order of the help; a family contains its members.
std::span<const CommandGroup> command_groups();

/// A command that can be run, with all words of its name: "qa run".
struct FullCommand {
  std::string name;
  const Command* command;
};

/// The commands with families resolved, in the same order.
std::vector<FullCommand> full_commands();

/// `--jobs`, or the number of cores.
unsigned jobs(const Common& common);

/// That many threads, for commands that compute in parallel. Notes it if fewer can be started.
Executor pool(const Common& common, const Session& session);

/// What --version prints: version, commit, compiler, and the instruction set in use.
std::string version_line();

}  // namespace assay::cli
