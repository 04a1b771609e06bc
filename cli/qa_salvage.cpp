// SPDX-License-Identifier: Apache-2.0
/// assay qa salvage: what is intact of a damaged journal, and what is lost.
#include "assay/qa/run/qa_salvage.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_progress.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace qa_salvage_file {
namespace {

namespace fs = std::filesystem;

/// The command line as typed.
struct Options {
  std::string run;
  bool dry_run = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RUN|JOURNAL", o.run, "Folder of a run, or the journal of any command");
  a.flag("--dry-run", o.dry_run, "Only list what is lost; write nothing");
}

fs::path journal_of(const Options& o) {
  fs::path path = fs::is_directory(o.run) ? fs::path(o.run) / qa::journal_file : fs::path(o.run);
  if (!fs::exists(path))
    throw Error(Error::Kind::input, path.string(),
                "is not there; give the folder of a run: assay qa salvage run");
  return path;
}

/// Keeps the damaged file under another name.
fs::path keep_damaged(const fs::path& journal) {
  fs::path kept = journal.string() + ".damaged";
  for (int number = 2; fs::exists(kept); ++number)
    kept = fmt::format("{}.damaged-{}", journal.string(), number);
  std::error_code cannot_link;
  fs::create_hard_link(journal, kept, cannot_link);
  try {
    if (cannot_link) write_atomically(kept, read_text(journal));
    sync_folder(folder_of(kept));  // before the journal is replaced
  } catch (const Error& error) {
    throw Error(error.kind(), error.what() + std::string("; the damaged journal stays as it is"));
  }
  return kept;
}

/// What the loss of a record of some kind means.
struct Meaning {
  const char* kind;
  const char* words;
};
constexpr Meaning meanings[] = {
    {"call",
     "its answer is lost; if the question is not done, the call is made and paid for again"},
    {"sent", "the announcement of a call; its cost may be known from its answer"},
    {"attempt", "the end of an attempt; it is worked out again from its recorded calls"},
    {"case", "it is scored again"},
    {"header", "rebuilt from the settings if they are intact"},
    {"settings", "rebuilt from a later start if there is one"},
    {"event", "no answer depends on it"},
};

std::string meaning_of(const std::string& kind) {
  for (const Meaning& meaning : meanings)
    if (kind == meaning.kind) return meaning.words;
  return "its content cannot be identified";
}

void print_lost(const qa::QaSalvage& s, const Common& common, std::ostream& out) {
  constexpr std::size_t a_few = 20;
  std::size_t shown = 0;
  for (const qa::LostRecord& lost : s.lost) {
    if (++shown > a_few && !common.verbose) break;
    out << report::printable(fmt::format("lost: line {} ({} bytes){}{}: {}", lost.line, lost.bytes,
                                         lost.kind.empty() ? "" : ", " + lost.kind,
                                         lost.of.empty() ? "" : " of " + lost.of,
                                         meaning_of(lost.kind)))
        << '\n';
  }
  if (s.lost.size() > a_few && !common.verbose)
    out << fmt::format("lost: … and {} more (--verbose lists all)\n", s.lost.size() - a_few);
}

void print_costs(const qa::QaSalvage& s, std::ostream& out) {
  if (s.possible_usd > 0)
    out << "cost: lost calls may have cost up to " << qa::dollar_text(s.possible_usd)
        << "; budgets count this as perhaps spent\n";
  if (s.unknown_calls > 0)
    out << "cost: the lost records may include " << counted(s.unknown_calls, "call")
        << " of unknown cost, so --budget-usd will be refused\n";
  if (s.lost_settings)
    out << "the settings of the run are lost; 'assay qa score' can still read its answers, but the "
           "run cannot be continued\n";
}

Json salvage_json(const qa::QaSalvage& s, const fs::path& journal, const fs::path& kept) {
  Json lost = Json::array();
  for (const qa::LostRecord& each : s.lost)
    lost.push_back({{"line", each.line},
                    {"bytes", each.bytes},
                    {"kind", or_null(each.kind)},
                    {"of", or_null(each.of)}});
  return {{"schema", "assay.qa-salvage/1"},
          {"journal", journal.generic_string()},
          {"damaged", s.damaged},
          {"torn", s.torn},
          {"kept", s.kept},
          {"lost", lost},
          {"possible_usd", s.possible_usd},
          {"unknown_calls", s.unknown_calls},
          {"lost_settings", s.lost_settings},
          {"damaged_journal", or_null(kept.generic_string())}};
}

void print(const qa::QaSalvage& s, const fs::path& journal, const fs::path& kept,
           const Common& common, std::ostream& out) {
  const std::string name = report::printable(journal.string());
  if (!s.damaged) {
    out << fmt::format("{}: {} intact; nothing needs to be done{}\n", name,
                       counted(s.kept, "record") + (s.kept == 1 ? " is" : " are"),
                       s.torn ? " (the last line is torn; the next start drops it)" : "");
    return;
  }
  print_lost(s, common, out);
  print_costs(s, out);
  out << fmt::format("{}: {} kept, {} lost\n", name, counted(s.kept, "record"),
                     counted(s.lost.size(), "piece"));
  if (!kept.empty())
    out << "the damaged journal is now " << report::printable(kept.string()) << '\n';
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.run.empty()) throw Error(Error::Kind::usage, "give a run: assay qa salvage run");
  const fs::path journal = journal_of(o);
  if (fs::file_size(journal) == 0)
    throw Error(
        Error::Kind::input,
        journal.string() + ": is empty, so there is nothing to keep; a run can start in it");
  const Journal lock = Journal::locked(journal);  // nobody may write while it is replaced
  const std::string text = read_text(journal);
  const qa::QaSalvage s = qa::salvaged_run(text, journal.string(), qa::seconds_now(), version());
  fs::path kept;
  if (s.damaged && !o.dry_run) {
    kept = keep_damaged(journal);
    write_atomically(journal, s.text);
  }
  if (common.json)
    session.out << to_text(salvage_json(s, journal, kept)) << '\n';
  else
    print(s, journal, kept, common, session.out);
  return s.damaged ? some_failed : done;
}

constexpr Example examples[] = {
    {"assay qa salvage run",
     "keeps every intact record in run/run.journal, and the damaged file next to it"},
    {"assay qa salvage run --dry-run --json", "only lists what is lost, with line numbers"},
};

}  // namespace
}  // namespace qa_salvage_file

const Command qa_salvage_command = {"salvage", "Recover the intact records of a damaged journal",
                                    command<qa_salvage_file::declare_options, qa_salvage_file::run>,
                                    qa_salvage_file::examples};

}  // namespace assay::cli
