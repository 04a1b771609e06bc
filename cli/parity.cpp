// SPDX-License-Identifier: Apache-2.0
/// assay parity: did an experiment reach a paper's numbers, and if not, why not.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/parity/published.hpp"
#include "assay/report/text/parity_report.hpp"
#include "assay/results.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace parity_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  parity::ParityOptions settings;
  std::string results, variant, paper, model_json, output, format;
  std::optional<parity::ParityLevel> require;
  bool list = false, anonymous = false;
};

/// One form of the list of published models, and the ending of a file that asks for it.
struct ListForm {
  std::string_view name, ending;
  std::string (*text)(const parity::Paper& paper);
};

constexpr ListForm list_forms[] = {
    {"table", "",
     [](const parity::Paper& p) { return report::terminal_table(report::models_table(p)); }},
    {"markdown", ".md",
     [](const parity::Paper& p) { return report::markdown_table(report::models_table(p)); }},
    {"latex", ".tex",
     [](const parity::Paper& p) { return report::latex_table(report::models_table(p)); }},
    {"csv", ".csv", [](const parity::Paper& p) { return report::models_csv(p); }},
    {"json", ".json", [](const parity::Paper& p) { return results::paper_text(p); }},
};

std::vector<std::string> list_formats() {
  std::vector<std::string> names = names_in(list_forms);
  names.pop_back();  // --json asks for it
  return names;
}

void declare_options(Arguments& a, Options& o) {
  using enum parity::ParityLevel;
  parity::ParityOptions& s = o.settings;
  a.positional("RESULTS", o.results,
               "experiment_results.json, a run's results.json, or a file from 'assay score'");
  a.heading("Published results");
  a.option("--variant KEY", o.variant,
           with_default("Published model to compare with; --list shows the keys",
                        parity::published_models().front().key));
  a.option("--paper FILE", o.paper, "Another publication's values, as JSON");
  a.option("--paper-n N", s.paper_n,
           "Number of values in the paper's mean and SD of Dice (default: unknown)");
  a.flag("--list", o.list, "Only list the published models");
  a.heading("Judgement");
  a.choice("--require", o.require, named({strict, acceptable, minimum}),
           "Exit with 1 unless this level is reached");
  a.option("--margin M", s.margin, "Margin below which differences of Dice do not matter");
  a.option("--alpha A", s.alpha, "Significance level of the comparison with the paper");
  a.option("--model-json FILE", o.model_json,
           "File with the model's number of parameters and its dilations");
  a.heading("Output");
  a.option("--output FILE", o.output, "The same as --out");
  a.choice("--format", o.format, list_formats(),
           "Format of --list; markdown without --list prints the benchmark table");
  a.choice("--compat", s.compat_spec, specification,
           "Use the specification's raw bounds, invented defaults and layout");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

void refuse_senseless(const Options& o) {
  if (o.results.empty() && !o.list)
    throw Error(Error::Kind::usage,
                "give a results file: assay parity experiment_results.json, or --list");
  const parity::ParityOptions& s = o.settings;
  if (!(s.alpha > 0 && s.alpha < 1))
    throw Error(Error::Kind::usage, "--alpha must be between 0 and 1, such as 0.05");
  if (!(s.margin > 0) || !std::isfinite(s.margin))
    throw Error(Error::Kind::usage, "--margin must be above 0, such as 0.01");
  if (s.paper_n && *s.paper_n < 2)
    throw Error(Error::Kind::usage,
                "--paper-n must be 2 or more: a single value has no spread; drop the option if "
                "the number is not known");
  if (!o.list && (o.format == "latex" || o.format == "csv"))
    throw Error(Error::Kind::usage,
                "--format " + o.format + " needs --list; the report has table and markdown");
}

/// --out and --output are one option with two names.
fs::path out_path(const Options& o, const Common& common) {
  if (!common.out.empty() && !o.output.empty() && common.out != o.output)
    throw Error(Error::Kind::usage, "--out and --output name different files; give one of them");
  const std::string out = common.out.empty() ? o.output : common.out;
  fs::path file = output_file(out, "parity.json");
  refuse_input(file, {o.results, o.paper, o.model_json});
  return file;
}

Exit list(const Options& o, const parity::Paper& paper, const fs::path& out, const Common& common,
          const Session& session) {
  const std::string wanted = common.json ? "json" : o.format;
  const ListForm* form = &list_forms[0];
  for (const ListForm& each : list_forms)
    if (wanted.empty() ? !out.empty() && each.ending == out.extension().string()
                       : each.name == wanted)
      form = &each;
  if (out.empty())
    (form == list_forms ? session.out : session.data) << form->text(paper);
  else
    write_atomically(out, form->text(paper));
  return done;
}

parity::ParityReport judged(const Options& o, const parity::Paper& paper, const Common& common,
                            const Session& session) {
  parity::ParityOptions settings = o.settings;
  parity::Achieved achieved =
      results::read_experiment(o.results, {.compat_spec = settings.compat_spec});
  if (!o.model_json.empty()) achieved.description = results::read_model_description(o.model_json);
  settings.executor = pool(common, session);
  return parity::parity_report(achieved, paper, o.variant, settings);
}

/// With --compat spec every file but .json gets the table, as in the specification's program.
/// Otherwise only Markdown files do.
bool is_table(const fs::path& out, const Options& o) {
  return o.settings.compat_spec ? out.extension() != ".json"
                                : out.extension() == ".md" || out.extension() == ".markdown";
}

std::string screen(const parity::ParityReport& report, const Options& o, bool color) {
  if (o.format == "markdown") return report.benchmark_table + "\n";
  return o.settings.compat_spec ? report::specified_parity_screen(report)
                                : report::parity_screen(report, color);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  refuse_senseless(o);
  const fs::path out = out_path(o, common);
  if (!out.empty()) require_writable(out);
  const parity::Paper paper =
      o.paper.empty() ? parity::built_in_paper() : results::read_paper(o.paper);
  if (o.list) return list(o, paper, out, common, session);

  const parity::ParityReport report = judged(o, paper, common, session);
  cli::tell("warning", report.warnings, session.notes);
  const results::Provenance provenance = clock.provenance(common, session, o.anonymous);
  const bool answered_by_status = common.quiet && o.require;
  if (!out.empty())
    write_atomically(out, is_table(out, o) ? report.benchmark_table + "\n"
                                           : results::parity_text(report, provenance));
  if (common.json)
    session.out << results::parity_text(report, provenance);
  else if (prints_result(common, out) && !answered_by_status)
    session.out << screen(report, o, session.out_is_terminal && !common.no_color);
  if (!out.empty()) cli::tell("results", {out.string()}, session.notes);
  if (!o.require || parity::reaches(report.result.parity_level, *o.require)) return done;
  session.err << fmt::format("required: {}, found: {}\n", name(*o.require),
                             name(report.result.parity_level));
  return answer_is_no;
}

constexpr Example examples[] = {
    {"assay parity experiment_results.json",
     "whether MeshNet-26 of the paper is reached, by which numbers, and what is unknown"},
    {"assay parity results.json --variant meshnet_5 --require acceptable --out parity.json",
     "for scripts: exit status 1 unless the level is acceptable or strict"},
    {"assay parity --list --format markdown", "the 14 published models with their efficiency"},
};

}  // namespace
}  // namespace parity_file

const Command parity_command = {.name = "parity",
                                .summary = "Check whether a paper's results are reached",
                                .declare = command<parity_file::declare_options, parity_file::run>,
                                .examples = parity_file::examples,
                                .alias = "validate"};

}  // namespace assay::cli
