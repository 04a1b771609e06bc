// SPDX-License-Identifier: Apache-2.0
/// assay qa check: which slides of a table are present, before any money is spent.
#include <fmt/format.h>

#include <iosfwd>
#include <limits>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/run/qa_probe.hpp"
#include "assay/qa/slides/slide_check.hpp"
#include "assay/qa/slides/slide_folder.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/slide_check.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/qa_agent.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace qa_check_file {
namespace {

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "unknown";
}

std::string reply_text(const qa::ModelReply& reply, const qa::Item& item,
                       const qa::ProbeResult& result) {
  const qa::ExtractedAnswer answer = qa::extract_label(reply.text, item.benchmark, item.options);
  constexpr std::size_t enough = 200;
  std::string out = fmt::format("probe: {} answered after {:.1f} s by {} at {} (request {})\n",
                                item.benchmark + "/" + item.id, result.seconds,
                                reply.model.empty() ? "?" : reply.model,
                                reply.provider.empty() ? "?" : reply.provider,
                                reply.request_id.empty() ? "without id" : reply.request_id);
  out += fmt::format("  said: {}\n", report::printable(reply.text.substr(0, enough)));
  out += fmt::format("  label: {} ({})\n", answer.label ? std::to_string(*answer.label) : "none",
                     answer.rule);
  out += fmt::format("  tokens: {} in, {} out; cost: {}{}\n", count_text(reply.usage.input),
                     count_text(reply.usage.output),
                     reply.cost_usd ? fmt::format("${:.4f}", *reply.cost_usd)
                                    : "unknown, so a budget could not be kept",
                     result.worst_usd
                         ? fmt::format(" (the budget would set ${:.4f} aside)", *result.worst_usd)
                         : "");
  return out;
}

/// Asks the first question whose slide exists, with two pictures, and reports on `talk` what came
/// back: who answered, tokens, cost, time. False if no answer came; `talk` then says why.
bool probe(const AgentOptions& options, const qa::ItemTable& table, const qa::SlideFolder& slides,
           std::ostream& talk) {
  const ChosenAgent chosen = choose_agent(options, table);
  for (const qa::Item& item : table.items) {
    const qa::SlideMatch match = slides.find(item);
    if (!match.problem.empty() && chosen.agent.needs_slides) continue;
    const qa::ProbeResult result = qa::probed(item, match.path, chosen.agent, chosen.settings,
                                              chosen.prices.find(chosen.settings.model.model));
    if (const auto* reply = std::get_if<qa::ModelReply>(&result.outcome)) {
      talk << reply_text(*reply, item, result);
      return true;
    }
    talk << "probe: " << report::printable(std::get<qa::ModelFailure>(result.outcome).message)
         << '\n';
    return false;
  }
  throw Error(Error::Kind::input, "--probe needs at least one slide, and none was found");
}

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
                "give a table and --wsi-root DIR, the folder with the slides: assay qa check "
                "MultiPathQA.csv --wsi-root "
                "slides");
}

/// Reports problems on standard error, in full on request.
void tell(const qa::SlideCheck& check, const qa::ItemTable& table, const Common& common,
          const Session& session) {
  constexpr std::size_t a_few = 5;
  cli::tell("warning", table.warnings, session.notes);
  cli::tell("warning", check.warnings, session.notes);
  if (table.invalid > 0)
    session.notes << "note: " << table.invalid << " of " << counted(table.rows, "row")
                  << (table.invalid == 1 ? " was" : " were")
                  << " excluded by the column is_valid\n";
  cli::tell("note", check.notes, session.notes);
  const std::size_t most = common.verbose ? std::numeric_limits<std::size_t>::max() : a_few;
  session.err << report::slide_check_problems(check, most);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  require(o);
  const qa::ItemTable table = qa::read_items(o.table);
  const qa::SlideFolder slides(o.wsi_root);
  const qa::SlideCheck check = qa::check_slides(
      table, slides,
      {.benchmarks = o.benchmarks, .open = o.open, .executor = pool(common, session)});
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
}  // namespace qa_check_file

const Command qa_check_command = {"check", "Check which slides of a table are present",
                                  command<qa_check_file::declare_options, qa_check_file::run>,
                                  qa_check_file::examples};

}  // namespace assay::cli
