// SPDX-License-Identifier: Apache-2.0
/// assay merge: the files of all shards become the results of one run.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/score/merge_shards.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/score_run.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace merge_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder, csv, model;
  std::optional<bool> nnunet;
  bool partial = false, anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("DIR", o.folder, "Folder with the files of all shards (*.shard-K-of-N.jsonl)");
  a.heading("Input");
  a.option("--model NAME", o.model,
           "Merge only the shards of this model, if the folder has several");
  a.flag("--partial", o.partial, "Merge what is there, and list what is missing (exit status 3)");
  a.heading("Output");
  a.option("--csv FILE", o.csv,
           "Also write a table with model,case,label,metric,value,status and the groups");
  a.choice("--format", o.nnunet, layouts,
           "Layout of --out and --json (default: as given to the shards)");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

/// "shards 3, 7-9 of 16 are missing".
std::string missing_words(const score::ShardFolder& shards) {
  const bool one = shards.missing.size() == 1;
  return fmt::format("{} {} of {} {} missing", one ? "shard" : "shards",
                     score::listed_numbers(shards.missing), shards.header.shard.of,
                     one ? "is" : "are");
}

/// The command that makes the first missing shard.
std::string remedy(const score::ShardFolder& shards) {
  const results::Shard first = {shards.missing.front(), shards.header.shard.of};
  return "run, for example: " + command_for(shards.header.command, first);
}

/// Names every shard that cannot be merged, then refuses.
void refuse_troubles(const score::ShardFolder& shards, const Options& o, std::ostream& err) {
  tell("conflict", shards.conflicts, err);
  tell(o.partial ? "left out" : "unusable", score::sentences_of(shards.unusable), err);
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::input, o.folder, what + "; nothing was written");
  };
  if (!shards.conflicts.empty())
    refuse("the shards do not fit together (" + counted(shards.conflicts.size(), "conflict") +
           "); if the folder holds several models, --model NAME chooses one");
  if (shards.files == 0) refuse("no shard can be used");
  if (!o.partial && !shards.missing.empty())
    refuse(missing_words(shards) + "; " + remedy(shards) + ", or merge with --partial");
  if (!o.partial && !shards.unusable.empty())
    refuse(counted(shards.unusable.size(), "file") + " cannot be used");
}

/// What the results lack, for messages and for the results file.
std::string partial_warning(const score::ShardFolder& shards) {
  return fmt::format("{}: {} of {} are merged", missing_words(shards), shards.records.size(),
                     counted(shards.header.cases, "case"));
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  if (o.folder.empty())
    throw Error(Error::Kind::usage, "give the folder with the shards: assay merge DIR");
  score::ShardFolder shards =
      score::read_shards(o.folder, {.model = o.model, .jobs = jobs(common)});
  refuse_troubles(shards, o, session.err);
  const fs::path results = fs::path(o.folder) / shards.header.results;
  const fs::path out =
      common.out.empty() ? results : output_file(common.out, shards.header.results);
  if (!o.csv.empty() && out.lexically_normal() == fs::path(o.csv).lexically_normal())
    throw Error(Error::Kind::usage,
                "--out and --csv name the same file; choose another for one of them");
  for (const fs::path& target : {out, fs::path(o.csv)}) {
    refuse_input(target, shards.paths);
    if (!target.empty()) require_writable(target);
  }
  score::Cohort cohort = score::cohort_of(shards.header);
  const bool is_partial = !shards.missing.empty();
  if (is_partial) cohort.warnings.push_back(partial_warning(shards));
  tell("warning", cohort.warnings, session.notes);
  for (const std::string& sentence : score::sentences_of(shards.unusable, o.folder))
    cohort.warnings.push_back("left out: " + sentence);  // already printed on standard error
  const Exit exit = put_results({.cohort = cohort,
                                 .records = std::move(shards.records),
                                 .out = out,
                                 .csv = o.csv,
                                 .nnunet = o.nnunet.value_or(shards.header.nnunet),
                                 .anonymous = o.anonymous || shards.header.anonymous},
                                common, session, clock);
  return is_partial ? some_failed : exit;
}

constexpr Example examples[] = {
    {"assay merge shards --out results.json --csv long.csv",
     "the file that one machine would have written, and the table"},
    {"assay merge shards --partial --out preliminary.json",
     "what is finished so far; missing shards are listed, also in the results"},
};

}  // namespace
}  // namespace merge_file

const Command merge_command = {"merge", "Join the shards of a run into its results",
                               command<merge_file::declare_options, merge_file::run>,
                               merge_file::examples};

}  // namespace assay::cli
