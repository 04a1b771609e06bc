// SPDX-License-Identifier: Apache-2.0
/// assay qa score: saved answers scored offline, with any rules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/values/truth.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/qa_scores.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace qa_score_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> runs;
  std::optional<qa::ExtractionRules> rules;
  qa::QaScoreSettings settings;
  std::string table, csv;
  bool markdown = false, anonymous = false;
};

constexpr std::array<Named<bool>, 2> formats = {{{"table", false}, {"markdown", true}}};

void declare_options(Arguments& a, Options& o) {
  a.positional("RUN|FILE", o.runs,
               "Folders of 'assay qa run', or results files: ours, the specification's, or the "
               "JSON Lines of the GIANT authors");
  a.heading("Answers");
  a.choice("--rules", o.rules, qa::extraction_rules(),
           "Read the saved answers again by these rules (default: labels as saved)");
  a.option("--table FILE", o.table,
           "The questions, for files without options or true answers of their own");
  a.choice("--policy", o.settings.policy, qa::failure_policies(),
           "In the headline, count items without a label as wrong, or use scored items only");
  a.heading("Intervals");
  a.option("--replicates N", o.settings.replicates, "Bootstrap replicates");
  a.option("--seed N", o.settings.seed, "Seed of the bootstrap");
  a.heading("Output");
  a.option("--csv FILE", o.csv, "Also write a table with one line per item");
  a.choice("--format", o.markdown, formats, "Format of the output");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

bool lacks_options(const qa::SavedQa& saved) {
  return saved.layout == qa::QaLayout::specification &&
         !qa::is_panda(saved.result.benchmark_name) &&
         std::ranges::any_of(saved.result.results,
                             [](const qa::ItemResult& r) { return r.options.empty(); });
}

/// The results with the labels that the settings ask for.
qa::QaResult labelled(qa::SavedQa saved, const Options& o, const qa::ItemTable* table,
                      std::ostream& err) {
  const bool foreign = saved.layout == qa::QaLayout::specification;
  if (foreign && table != nullptr) saved.result = qa::completed(std::move(saved.result), *table);
  const bool again =
      o.rules || saved.layout == qa::QaLayout::authors || (foreign && table != nullptr);
  if (again && table == nullptr && lacks_options(saved))
    throw Error(Error::Kind::usage, saved.file,
                "has no options, which --rules " +
                    std::string(name_in(qa::extraction_rules(), *o.rules)) +
                    " needs; give the questions with --table MultiPathQA.csv");
  if (!again) {
    if (foreign)
      err << "note: " << report::printable(saved.file)
          << ": labels are as saved; --table reads the answers again\n";
    return std::move(saved.result);
  }
  const qa::ExtractionRules rules = o.rules.value_or(qa::ExtractionRules::assay);
  qa::QaResult out = qa::rescored(std::move(saved.result), rules);
  std::erase_if(out.config, [](const auto& entry) { return entry.first == "rules"; });
  out.config.emplace_back("rules", fmt::format("\"{}\"", name_in(qa::extraction_rules(), rules)));
  return out;
}

std::string file_name(const qa::QaResult& result) {
  const std::string stem = result.run_id.empty() || result.run_id.find('/') != std::string::npos
                               ? result.benchmark_name
                               : result.run_id;
  return (stem.find(result.benchmark_name) == std::string::npos ? stem + "_" + result.benchmark_name
                                                                : stem) +
         "_results.json";
}

/// Where each result goes: one into a file, several into a folder.
std::vector<fs::path> outputs(const std::vector<qa::ScoredQa>& runs, const Common& common) {
  std::vector<fs::path> out;
  if (common.out.empty()) return out;
  if (runs.size() == 1) return {output_file(common.out, file_name(runs[0].result))};
  if (fs::exists(common.out) && !fs::is_directory(common.out))
    throw Error(Error::Kind::usage, common.out,
                "is a file, but there are " + std::to_string(runs.size()) +
                    " results; --out must be a folder");
  for (const qa::ScoredQa& run : runs)
    out.push_back(output_file((fs::path(common.out) / "").string(), file_name(run.result)));
  auto sorted = out;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw Error(Error::Kind::usage,
                "two of the inputs have the same run and benchmark; score them "
                "into different folders");
  return out;
}

/// Ids of items without label, by class.
void tell(const qa::ScoredQa& run, std::ostream& err) {
  constexpr std::size_t most = 10;
  if (const auto& unfinished = run.result.unfinished)
    err << fmt::format("note: the run is unfinished: {} of {} of {} are done\n", unfinished->done,
                       counted(unfinished->expected, "question"),
                       report::printable(run.result.benchmark_name));
  for (const auto& row : qa::outcomes()) {
    if (row.value == qa::Outcome::scored || run.scores.ledger.count(row.value) == 0) continue;
    std::vector<std::string> ids;
    for (const qa::ItemResult& item : run.result.results)
      if (item.outcome == row.value && ids.size() < most)
        ids.push_back(report::printable(item.item_id));
    const std::size_t count = run.scores.ledger.count(row.value);
    err << fmt::format("not scored: {}: {} {} ({} {}{})\n",
                       report::printable(run.result.benchmark_name), count, row.name,
                       count == 1 ? "item" : "items", joined(ids), count > most ? ", ..." : "");
  }
}

void print(const std::vector<qa::ScoredQa>& runs, const Options& o, const Common& common,
           const Session& session) {
  if (o.markdown) {
    session.data << report::qa_markdown(runs);
    return;
  }
  if (!prints_result(common, common.out)) return;
  const report::QaReportStyle style = {{.color = session.out_is_terminal && !common.no_color},
                                       common.verbose};
  for (std::size_t i = 0; i < runs.size(); ++i)
    session.out << (i == 0 ? "" : "\n") << report::qa_report(runs[i], style);
}

std::vector<qa::ScoredQa> scored(const Options& o, const Common& common, const Session& session) {
  std::optional<qa::ItemTable> table;
  if (!o.table.empty()) table = qa::read_items(o.table);
  qa::QaScoreSettings settings = o.settings;
  settings.executor = pool(common, session);
  std::vector<qa::ScoredQa> out;
  for (qa::SavedQa& saved : qa::read_qa_runs(o.runs, table ? &*table : nullptr)) {
    qa::QaResult result = labelled(std::move(saved), o, table ? &*table : nullptr, session.err);
    qa::QaScores scores = qa::qa_scores(result, settings);
    out.push_back({std::move(result), std::move(scores)});
  }
  return out;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  if (o.runs.empty())
    throw Error(Error::Kind::usage, "give a run or a results file: assay qa score run");
  if (o.settings.replicates == 0) throw Error(Error::Kind::usage, "--replicates must be 1 or more");
  const std::vector<qa::ScoredQa> runs = scored(o, common, session);
  const std::vector<fs::path> files = outputs(runs, common);
  std::vector<fs::path> inputs = qa::qa_files(o.runs);
  inputs.emplace_back(o.table);
  for (const fs::path& file : files) refuse_input(file, inputs);
  refuse_input(o.csv, inputs);
  if (!o.csv.empty()) require_writable(o.csv);
  const results::Provenance provenance = clock.provenance(common, session, o.anonymous);
  for (std::size_t i = 0; i < files.size(); ++i)
    qa::write_qa_results(files[i], runs[i].result, runs[i].scores, provenance);
  if (!o.csv.empty()) write_atomically(o.csv, qa::qa_csv(runs));
  const bool single = o.runs.size() == 1 && !fs::is_directory(o.runs[0]) && runs.size() == 1;
  if (common.json)
    session.out << (single ? qa::qa_results_text(runs[0].result, runs[0].scores, provenance)
                           : qa::qa_scores_text(runs, provenance));
  else
    print(runs, o, common, session);
  bool failed = false;
  for (const qa::ScoredQa& each : runs) {
    failed =
        failed || each.scores.ledger.count(qa::Outcome::scored) != each.scores.ledger.expected();
    tell(each, session.notes);
  }
  for (const fs::path& file : files) cli::tell("results", {file.string()}, session.notes);
  return failed ? some_failed : done;
}

constexpr Example examples[] = {
    {"assay qa score run", "every benchmark of a run: accuracy, intervals, ledger"},
    {"assay qa score gtex_results.json --table MultiPathQA.csv --rules giant",
     "the specification's results file; its answers are read again by the original project's "
     "rules"},
    {"assay qa score run --policy scored --csv items.csv --out rescored/",
     "the headline without failures; one line per item; new results files"},
};

}  // namespace
}  // namespace qa_score_file

const Command qa_score_command = {"score", "Score saved answers, with a choice of rules",
                                  command<qa_score_file::declare_options, qa_score_file::run>,
                                  qa_score_file::examples};

}  // namespace assay::cli
