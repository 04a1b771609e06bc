// SPDX-License-Identifier: Apache-2.0
/// assay qa check: which slides of a table are present, before any money is spent.
#include <limits>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/slides/check_slides.hpp"
#include "assay/qa/slides/slide_check_file.hpp"
#include "assay/report/text/slide_check.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/qa_agent.hpp"
#include "cli/qa_probe.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

/// The command line as typed.
struct Options {
  std::string table, wsi_root;
  std::vector<std::string> benchmarks;
  bool open = false, probe = false;
  AgentOptions agent;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("TABLE", o.table, "The questions: MultiPathQA.csv, or a table with its columns");
  a.heading("Slides");
  a.option("--wsi-root DIR", o.wsi_root, "Folder with the slides; see docs/slides.md");
  a.option("--benchmark A,B", o.benchmarks, "Only these benchmarks (default: all of the table)");
  a.flag("--open", o.open, "Also open every slide that is found: size, resolution, damage");
  a.flag("--probe", o.probe, "Also make one real call with two pictures; it may cost money");
  declare_agent(a, o.agent);
}

void require(const Options& o) {
  if (o.table.empty() || o.wsi_root.empty())
    throw Error(Error::Kind::usage,
                "give a table and the folder of slides: assay qa check MultiPathQA.csv --wsi-root "
                "slides");
}

/// What is wrong goes to stderr, in full on request.
void tell(const qa::SlideCheck& check, const qa::ItemTable& table, const Common& common,
          const Session& session) {
  constexpr std::size_t a_few = 5;
  if (!common.quiet) {
    cli::tell("warning", table.warnings, session.err);
    cli::tell("note", check.notes, session.err);
  }
  const std::size_t most = common.verbose ? std::numeric_limits<std::size_t>::max() : a_few;
  session.err << report::slide_check_problems(check, most);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  require(o);
  const qa::ItemTable table = qa::read_items(o.table);
  const qa::SlideFolder slides(o.wsi_root);
  const qa::SlideCheck check = qa::check_slides(
      table, slides, {.benchmarks = o.benchmarks, .open = o.open, .jobs = jobs(common)});
  const std::string text = qa::slide_check_text(check, table, version());
  const auto out = output_file(common.out, "qa_check.json");
  refuse_input(out, {o.table});
  if (!out.empty()) write_atomically(out, text);
  if (common.json)
    session.out << text;
  else if (prints_result(common, out))
    session.out << report::slide_check_table(check)
                << (common.verbose ? report::opened_slides_table(check) : "");
  tell(check, table, common, session);
  const bool answered = !o.probe || probe(o.agent, table, slides, session.err);
  return check.complete() && answered ? done : some_failed;
}

constexpr Example examples[] = {
    {"assay qa check MultiPathQA.csv --wsi-root slides",
     "counts per benchmark: questions, slides, found, missing; exit 3 if a slide is missing"},
    {"assay qa check MultiPathQA.csv --wsi-root slides --benchmark tcga,gtex --open --json",
     "also opens the slides; every name, size and resolution as JSON"},
    {"assay qa check MultiPathQA.csv --wsi-root slides --probe --model gpt-5 --prices prices.json",
     "one call as in a run: does the key work, does the model accept pictures, what does it cost"},
};

}  // namespace

const Command qa_check_command = {"check", "Check which slides of a table are present",
                                  command<declare_options, run>, examples};

}  // namespace assay::cli
