// SPDX-License-Identifier: Apache-2.0
/// assay compare: which model is better, by how much, and how sure one may be.
#include <filesystem>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/tbb_executor.hpp"
#include "assay/compare/comparison.hpp"
#include "assay/report/text/comparison_report.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/results/comparison.hpp"
#include "assay/results/result_files.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results;
  std::string baseline, metrics, labels, policy = "exact", correction = "holm", margin, cluster, by;
  std::string groups, lower_is_better, format, compat, undefined, folds, correct = "models";
  double alpha = 0.05, tie_tolerance = 0;
  unsigned replicates = 1000, seed = 42;
  bool intersect = false, by_position = false, with_paper = false, anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RESULT", o.results,
               "Results files: of 'assay score', nnU-Net's summary.json, CSV or TSV");
  a.option("--baseline NAME", o.baseline,
           "Model or file to compare with (default: the first of exactly two)");
  a.option("--metric LIST", o.metrics,
           "Metrics to compare (default: the standard ones that all files have)");
  a.option("--label LIST", o.labels,
           "Labels or regions to compare, each by itself (default: the case average)");
  a.option("--alpha A", o.alpha, "Significance level; intervals have 1 - A (default: 0.05)");
  a.choice("--policy", o.policy, words_of(stats::wilcoxon_policies()),
           "Whose rules compute the p-values (default: exact)");
  a.choice("--correction", o.correction, words_of(stats::corrections()),
           "Correction for the number of models, per metric (default: holm)");
  a.choice("--correct", o.correct, {"models", "metrics"},
           "Correct for the models of each metric, or over all metrics by max-T (default: models)");
  a.option("--margin M", o.margin, "Margin of equivalence, such as 0.01, or dice=0.01,avd=0.05");
  a.choice("--undefined", o.undefined, words_of(compare::undefined_policies()),
           "Values undefined by the model's fault: count them (default), or leave the cases out");
  a.option("--tie-tolerance T", o.tie_tolerance,
           "Differences closer than T are ties, below T zeros (default: 0)");
  a.flag("--intersect", o.intersect, "Compare the common cases when the files have different ones");
  a.flag("--by-position", o.by_position, "Pair cases by position: the n-th value of each file");
  a.option("--cluster COLUMN", o.cluster,
           "Take cases with the same value, such as one subject, as dependent");
  a.option("--folds COLUMN", o.folds,
           "Compare the algorithms, too, with one training per value of this column, such as "
           "outer_fold");
  a.option("--by COLUMNS", o.by,
           "Subgroup tables by these group columns, or none (default: all with 2 to 12 values)");
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.option("--lower-is-better LIST", o.lower_is_better,
           "Metrics unknown to assay for which less is better");
  a.option("--replicates N", o.replicates, "Resamples for the ranks (default: 1000)");
  a.option("--seed N", o.seed, "Seed of the resamples (default: 42)");
  a.flag("--with-paper", o.with_paper,
         "Add the 14 published models of the MeshNet paper to the table");
  a.choice("--compat", o.compat, {"spec"}, "The specification's test and table");
  a.choice("--format", o.format, {"table", "markdown", "latex", "csv", "json"},
           "Output format (default: table on the screen, json in --out)");
  a.flag("--anonymous", o.anonymous, "No host and no absolute path in the provenance");
}

compare::CompareSettings settings_of(const Options& o) {
  compare::CompareSettings s = {.baseline = o.baseline};
  s.choice = {words_in(o.metrics, "--metric"), words_in(o.labels, "--label"),
              words_in(o.lower_is_better, "--lower-is-better")};
  s.alpha = o.alpha;
  s.tie_tolerance = o.tie_tolerance;
  s.compat_spec = !o.compat.empty();
  if (s.compat_spec && o.policy != "exact" && o.policy != "scipy-1.10")
    throw Error(Error::Kind::usage, "--compat spec sets the policy; drop --policy");
  s.policy = s.compat_spec ? stats::WilcoxonPolicy::scipy_1_10
                           : value_in(stats::wilcoxon_policies(), o.policy, "policy");
  if (!o.undefined.empty() || s.compat_spec)
    s.undefined = value_in(compare::undefined_policies(),
                           o.undefined.empty() ? "exclude" : o.undefined, "--undefined");
  s.correction = value_in(stats::corrections(), o.correction, "correction");
  s.across_metrics = o.correct == "metrics";
  if (s.across_metrics && (o.correction != "holm" || s.compat_spec))
    throw Error(Error::Kind::usage, std::string("--correct metrics corrects by max-T; drop ") +
                                        (s.compat_spec ? "--compat" : "--correction"));
  add_margins(o.margin, s);
  s.matching = {o.intersect, o.by_position};
  s.cluster = o.cluster;
  s.folds = words_in(o.folds, "--folds");
  if (!o.by.empty())
    s.subgroups = o.by == "none" ? std::vector<std::string>{} : words_in(o.by, "--by");
  s.replicates = o.replicates;
  s.seed = o.seed;
  return s;
}

/// One form of the comparison; a table row instead of an if-chain.
struct Form {
  std::string_view name, extension;
  std::string (*text)(const compare::Comparison&, const Options&, const results::Provenance&);
};

std::string table_or_specification(const compare::Comparison& comparison, const Options& o,
                                   std::string (*form)(const report::PaperTable&)) {
  return o.compat.empty() ? form(report::comparison_table(comparison, o.with_paper))
                          : report::specification_table(comparison);
}

constexpr Form forms[] = {
    {"json", ".json",
     [](const compare::Comparison& c, const Options& o, const results::Provenance& p) {
       return results::comparison_text(c, o.with_paper, p);
     }},
    {"table", ".txt",
     [](const compare::Comparison& c, const Options& o, const results::Provenance&) {
       return o.compat.empty() ? report::comparison_report(c, o.with_paper, false)
                               : report::specification_table(c);
     }},
    {"markdown", ".md",
     [](const compare::Comparison& c, const Options& o, const results::Provenance&) {
       return table_or_specification(c, o, report::markdown_table);
     }},
    {"latex", ".tex",
     [](const compare::Comparison& c, const Options& o, const results::Provenance&) {
       return report::latex_table(report::comparison_table(c, o.with_paper));
     }},
    {"csv", ".csv",
     [](const compare::Comparison& c, const Options&, const results::Provenance&) {
       return report::comparison_csv(c);
     }},
};

const Form& form_of(const std::string& name, const fs::path& file) {
  for (const Form& form : forms)
    if (name.empty() ? form.extension == file.extension() : form.name == name) return form;
  return forms[0];
}

void talk(const compare::Comparison& comparison, std::ostream& err) {
  for (const compare::LeftOut& one : comparison.matching.left_out)
    err << "left out: "
        << report::printable(one.id + ": no score of " + one.model + " (" + one.reason) << ")\n";
  for (const std::string& note : comparison.notes)
    err << "note: " << report::printable(note) << '\n';
}

std::string printed(const compare::Comparison& comparison, const Options& o, const Common& common,
                    const Session& session, const results::Provenance& provenance) {
  const std::string form = common.json ? "json" : o.format.empty() ? "table" : o.format;
  if (form == "table" && o.compat.empty())
    return report::comparison_report(comparison, o.with_paper,
                                     session.out_is_terminal && !common.no_color);
  return form_of(form, {}).text(comparison, o, provenance);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  compare::CompareSettings settings = settings_of(o);
  settings.executor = tbb_executor(jobs(common));
  const Form& written = form_of(o.format, common.out);
  const fs::path out = output_file(common.out, "comparison" + std::string(written.extension));
  refuse_input(out, {o.results.begin(), o.results.end()});
  if (!out.empty()) require_writable(out);
  std::vector<compare::ResultTable> tables = results::read_result_files(o.results, jobs(common));
  std::vector<std::string> notes;
  if (!o.groups.empty()) notes = results::add_groups(tables, o.groups);
  compare::Comparison comparison = compare::compare(std::move(tables), settings);
  comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());

  if (!common.quiet) talk(comparison, session.err);
  const results::Provenance provenance = clock.provenance(common, session, o.anonymous);
  if (!out.empty()) write_atomically(out, written.text(comparison, o, provenance));
  if (common.json || prints_result(common, out))
    session.out << printed(comparison, o, common, session, provenance);
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  return done;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay compare meshnet.json unet.json --margin 0.01",
     "is unet different from meshnet, equivalent within 0.01, or is it undecided?"},
    {"assay compare results/*.json --baseline meshnet_26 --format latex --out table.tex",
     "every model against meshnet_26, Holm-corrected, as a table for a paper"},
    {"assay compare meshnet/experiment_results.json unet/experiment_results.json --folds "
     "outer_fold",
     "cross-validations: do the algorithms differ, and not only the models that they trained?"},
    {"assay compare nnunet/summary.json meshnet.csv --intersect --metric dice",
     "files of other tools; only the cases that both have"},
};

}  // namespace

const Command compare_command = {"compare", "Test models against a baseline on the same cases",
                                 declare, examples};

}  // namespace assay::cli
