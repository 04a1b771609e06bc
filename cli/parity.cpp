// SPDX-License-Identifier: Apache-2.0
/// assay parity: did an experiment reach a paper's numbers, and if not, why not.
#include "assay/results/parity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/tbb_executor.hpp"
#include "assay/report/text/parity_report.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/results/experiment.hpp"
#include "assay/results/paper.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string results, variant, paper, model_json, output, require, compat, format;
  double alpha = 0.05, margin = 0.01;
  unsigned paper_n = 0;  ///< 0: not known
  bool list = false, anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RESULTS", o.results,
               "experiment_results.json, a run's results.json, or what 'assay score' wrote");
  a.option("--variant KEY", o.variant,
           "meshnet_26 (default), meshnet_16, meshnet_5, or any other key of --list");
  a.option("--paper FILE", o.paper, "Another publication's values, as JSON");
  a.flag("--list", o.list, "Only list the published models");
  a.choice("--require", o.require, {"strict", "acceptable", "minimum"},
           "Exit with 1 unless this level is reached");
  a.option("--output FILE", o.output, "The same as --out");
  a.option("--model-json FILE", o.model_json,
           "Says how many parameters and which dilations the model has");
  a.option("--paper-n N", o.paper_n,
           "Number of values that the paper's mean and SD of Dice are over (default: unknown)");
  a.option("--margin M", o.margin, "Differences of Dice below this do not matter (default 0.01)");
  a.option("--alpha A", o.alpha, "Level of the comparison with the paper (default 0.05)");
  a.choice("--format", o.format, {"table", "markdown", "latex", "csv"},
           "Of --list; markdown without it: the benchmark table");
  a.choice("--compat", o.compat, {"spec"},
           "The specification's raw bounds, invented defaults and layout");
  a.flag("--anonymous", o.anonymous, "No host and no absolute path in the provenance");
}

void refuse_senseless(const Options& o) {
  if (o.results.empty() && !o.list)
    throw Error(Error::Kind::usage,
                "give a results file: assay parity experiment_results.json, or --list");
  if (!(o.alpha > 0 && o.alpha < 1))
    throw Error(Error::Kind::usage, "--alpha must lie between 0 and 1, such as 0.05");
  if (!(o.margin > 0) || !std::isfinite(o.margin))
    throw Error(Error::Kind::usage, "--margin must be above 0, such as 0.01");
  if (o.paper_n == 1)
    throw Error(Error::Kind::usage, "--paper-n must be 2 or more: one value has no spread");
  if (!o.list && (o.format == "latex" || o.format == "csv"))
    throw Error(Error::Kind::usage,
                "--format " + o.format + " needs --list; the report has table and markdown");
}

/// --out and --output are one option with two names.
fs::path out_path(const Options& o, const Common& common) {
  if (!common.out.empty() && !o.output.empty() && common.out != o.output)
    throw Error(Error::Kind::usage, "--out and --output name different files; give one of them");
  const std::string out = common.out.empty() ? o.output : common.out;
  if (out.empty() || (!out.ends_with('/') && !fs::is_directory(out))) return out;
  std::error_code ignored;  // a folder that cannot be made is reported when the file is opened
  fs::create_directories(out, ignored);
  return fs::path(out) / "parity.json";
}

void refuse_overwriting(const fs::path& out, const Options& o) {
  for (const std::string& input : {o.results, o.paper, o.model_json}) {
    std::error_code absent;
    if (!out.empty() && !input.empty() && fs::equivalent(out, input, absent))
      throw Error(Error::Kind::usage,
                  out.string() + ": is an input of this run; choose another file for the result");
  }
}

std::string list_text(const parity::Paper& paper, const std::string& format) {
  if (format == "json") return results::paper_text(paper);
  if (format == "csv") return report::models_csv(paper);
  const report::PaperTable table = report::models_table(paper);
  return format == "markdown" ? report::markdown_table(table)
         : format == "latex"  ? report::latex_table(table)
                              : report::terminal_table(table);
}

/// The form that a file's name asks for.
std::string format_of(const fs::path& file) {
  const std::string end = file.extension().string();
  return end == ".json"  ? "json"
         : end == ".md"  ? "markdown"
         : end == ".tex" ? "latex"
         : end == ".csv" ? "csv"
                         : "table";
}

Exit list(const Options& o, const parity::Paper& paper, const fs::path& out, const Common& common,
          const Session& session) {
  const std::string wanted = common.json ? "json" : o.format;
  if (out.empty())
    session.out << list_text(paper, wanted);
  else
    write_atomically(out, list_text(paper, wanted.empty() ? format_of(out) : wanted));
  return done;
}

parity::ParityReport judged(const Options& o, const parity::Paper& paper, const Common& common) {
  const bool compat = !o.compat.empty();
  parity::Achieved achieved = results::read_experiment(o.results, {.compat_spec = compat});
  if (!o.model_json.empty()) achieved.description = results::read_model_description(o.model_json);
  parity::ParityOptions options = {.alpha = o.alpha, .margin = o.margin, .compat_spec = compat};
  if (o.paper_n != 0) options.paper_n = o.paper_n;
  options.executor = tbb_executor(jobs(common));
  return parity::parity_report(achieved, paper, o.variant, options);
}

/// The specification's program writes the table whatever the file's name; ours asks the name.
bool is_table(const fs::path& out, const Options& o) {
  return o.compat.empty() ? out.extension() == ".md" || out.extension() == ".markdown"
                          : out.extension() != ".json";
}

std::string screen(const parity::ParityReport& report, const Options& o, bool color) {
  if (o.format == "markdown") return report.benchmark_table + "\n";
  return o.compat.empty() ? report::parity_screen(report, color)
                          : report::specified_parity_screen(report);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  refuse_senseless(o);
  const fs::path out = out_path(o, common);
  refuse_overwriting(out, o);
  if (!out.empty()) require_writable(out);
  const parity::Paper paper =
      o.paper.empty() ? parity::built_in_paper() : results::read_paper(o.paper);
  if (o.list) return list(o, paper, out, common, session);

  const parity::ParityReport report = judged(o, paper, common);
  if (!common.quiet)
    for (const std::string& warning : report.warnings)
      session.err << "warning: " << report::printable(warning) << '\n';
  const results::Provenance provenance = clock.provenance(common, session, o.anonymous);
  const bool answered_by_status = common.quiet && !o.require.empty();
  if (!out.empty())
    write_atomically(out, is_table(out, o) ? report.benchmark_table + "\n"
                                           : results::parity_text(report, provenance));
  if (common.json)
    session.out << results::parity_text(report, provenance);
  else if (prints_result(common, out) && !answered_by_status)
    session.out << screen(report, o, session.out_is_terminal && !common.no_color);
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  if (o.require.empty() ||
      parity::reaches(report.result.parity_level, parity::parity_level(o.require)))
    return done;
  session.err << fmt::format("required: {}, found: {}\n", o.require,
                             name(report.result.parity_level));
  return answer_is_no;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay parity experiment_results.json",
     "says whether MeshNet-26 of the paper is reached, by which numbers, and what is unknown"},
    {"assay parity results.json --variant meshnet_5 --require acceptable --out parity.json",
     "for scripts: exit status 1 unless the level is acceptable or strict"},
    {"assay parity --list --format markdown", "the 14 published models with their efficiency"},
};

}  // namespace

const Command parity_command = {.name = "parity",
                                .summary = "Check whether a paper's results are reached",
                                .declare = declare,
                                .examples = examples,
                                .alias = "validate"};

}  // namespace assay::cli
