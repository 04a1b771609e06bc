// SPDX-License-Identifier: Apache-2.0
/// assay compare: which model is better, by how much, and how certain that is.
#include "assay/compare.hpp"

#include <array>
#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/parity/published.hpp"
#include "assay/report/text/comparison_report.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/results.hpp"
#include "cli/commands.hpp"
#include "cli/margins.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace compare_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results, by;
  compare::CompareSettings settings;
  compare::MetricNumbers margin;
  std::optional<compare::UndefinedPolicy> undefined;
  std::string groups, format;
  bool with_paper = false, anonymous = false;
};

/// One form of the comparison; a table row instead of an if-chain.
struct Form {
  std::string_view name, extension;
  std::string (*text)(const compare::Comparison&, const Options&, const results::Provenance&);
};

std::string table_or_specification(const compare::Comparison& comparison, const Options& o,
                                   std::string (*form)(const report::PaperTable&)) {
  return o.settings.compat_spec ? report::specification_table(comparison)
                                : form(report::comparison_table(comparison, o.with_paper));
}

constexpr Form forms[] = {
    {"table", ".txt",
     [](const compare::Comparison& c, const Options& o, const results::Provenance&) {
       return o.settings.compat_spec ? report::specification_table(c)
                                     : report::comparison_report(c, o.with_paper, false);
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
    {"json", ".json",
     [](const compare::Comparison& c, const Options& o, const results::Provenance& p) {
       return results::comparison_text(c, o.with_paper, p);
     }},
};

constexpr std::array<Named<bool>, 2> families = {{{"models", false}, {"metrics", true}}};

constexpr compare::UndefinedPolicy undefined_of_spec = compare::UndefinedPolicy::exclude;

std::string undefined_help() {
  const auto name = [](compare::UndefinedPolicy policy) {
    return std::string(name_in(compare::undefined_policies(), policy));
  };
  return with_default(
      "Count values that are undefined by the model's fault as worst, or exclude "
      "their cases",
      name(compare::CompareSettings{}.undefined) +
          "; with --compat spec: " + name(undefined_of_spec));
}

void declare_options(Arguments& a, Options& o) {
  compare::CompareSettings& s = o.settings;
  a.positional("RESULT", o.results,
               "Results files: from 'assay score', nnU-Net's summary.json, CSV or TSV");
  a.heading("What is compared");
  a.option("--baseline NAME", s.baseline,
           "Model or file to compare with (default: the first of exactly two)");
  a.option("--metric LIST", s.choice.asked,
           "Metrics to compare (default: the standard ones that all files have)");
  a.option("--label LIST", s.choice.labels,
           "Labels or regions to compare, each by itself (default: the case average)");
  a.option("--margin M", o.margin, "Margin of equivalence, such as 0.01, or dice=0.01,avd=0.05");
  a.option("--lower-is-better LIST", s.choice.lower_is_better,
           "Metrics unknown to assay for which lower is better");
  a.heading("Cases");
  a.flag("--intersect", s.matching.intersect,
         "Compare the common cases when the files have different ones");
  a.flag("--by-position", s.matching.by_position,
         "Pair cases by position: the n-th value of each file");
  a.choice("--undefined", o.undefined, compare::undefined_policies(), undefined_help());
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.option("--by COLUMNS", o.by,
           "Group columns for subgroup tables, or none (default: all columns with 2 to 12 values)");
  a.option("--cluster COLUMN", s.cluster,
           "Treat cases with the same value, such as one subject, as dependent");
  a.option("--folds COLUMN", s.folds,
           "Also compare the algorithms, with one training per value of this column, such as "
           "outer_fold");
  a.heading("Tests");
  a.option("--alpha A", s.alpha, "Significance level; intervals have the level 1 - A");
  a.choice("--policy", s.policy, stats::wilcoxon_policies(), "Rules for computing p-values");
  a.choice("--correction", s.correction, stats::corrections(),
           "Correction for the number of models, per metric");
  a.choice("--correct", s.across_metrics, families,
           "Correct for the models of each metric, or over all metrics by max-T");
  a.option("--tie-tolerance T", s.tie_tolerance,
           "Treat differences closer than T as ties, and those below T as zeros (default: 0)");
  a.option("--replicates N", s.replicates, "Resamples for the ranks");
  a.option("--seed N", s.seed, "Seed of the resamples");
  a.heading("Output");
  a.choice("--format", o.format, names_in(forms),
           "Output format (default: table on the screen, json in --out)");
  a.flag("--with-paper", o.with_paper,
         "Add the " + std::to_string(parity::published_models().size()) +
             " published models of the MeshNet paper to the table");
  a.choice("--compat", s.compat_spec, specification, "Use the specification's test and table");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

compare::CompareSettings settings_of(const Options& o) {
  constexpr auto by_spec = stats::WilcoxonPolicy::scipy_1_10;
  const compare::CompareSettings usual;
  compare::CompareSettings s = o.settings;
  if (s.compat_spec && s.policy != usual.policy && s.policy != by_spec)
    throw Error(Error::Kind::usage, "--compat spec sets the policy; drop --policy");
  if (s.compat_spec) s.policy = by_spec;
  s.undefined = o.undefined.value_or(s.compat_spec ? undefined_of_spec : usual.undefined);
  if (s.across_metrics && (s.correction != usual.correction || s.compat_spec))
    throw Error(Error::Kind::usage, std::string("--correct metrics corrects by max-T; drop ") +
                                        (s.compat_spec ? "--compat" : "--correction"));
  set_margins(o.margin, s);
  if (!o.by.empty()) s.subgroups = o.by;
  if (o.by == std::vector<std::string>{"none"}) s.subgroups->clear();
  return s;
}

const Form& form_of(const std::string& name, const fs::path& file) {
  for (const Form& form : forms)
    if (name.empty() ? form.extension == file.extension() : form.name == name) return form;
  return std::end(forms)[-1];  // json
}

void tell(const compare::Comparison& comparison, std::ostream& err) {
  for (const compare::LeftOut& one : comparison.matching.left_out)
    err << "left out: "
        << report::printable(one.id + ": no score of " + one.model + " (" + one.reason) << ")\n";
  cli::tell("note", comparison.notes, err);
}

bool shows_table(const Options& o, const Common& common) {
  return !common.json && (o.format.empty() || o.format == "table");
}

std::string printed(const compare::Comparison& comparison, const Options& o, const Common& common,
                    const Session& session, const results::Provenance& provenance) {
  const std::string form = common.json ? "json" : o.format.empty() ? "table" : o.format;
  if (shows_table(o, common) && !o.settings.compat_spec)
    return report::comparison_report(comparison, o.with_paper,
                                     session.out_is_terminal && !common.no_color);
  return form_of(form, {}).text(comparison, o, provenance);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  compare::CompareSettings settings = settings_of(o);
  settings.executor = pool(common, session);
  const Form& written = form_of(o.format, common.out);
  const fs::path out = output_file(common.out, "comparison" + std::string(written.extension));
  refuse_input(out, {o.results.begin(), o.results.end()});
  if (!out.empty()) require_writable(out);
  std::vector<compare::ResultTable> tables = results::read_result_files(o.results, jobs(common));
  std::vector<std::string> notes;
  if (!o.groups.empty()) notes = results::add_groups(tables, o.groups);
  compare::Comparison comparison = compare::compare(std::move(tables), settings);
  comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());

  tell(comparison, session.notes);
  const results::Provenance provenance = clock.provenance(common, session, o.anonymous);
  if (!out.empty()) write_atomically(out, written.text(comparison, o, provenance));
  if (common.json || prints_result(common, out))
    (shows_table(o, common) ? session.out : session.data)
        << printed(comparison, o, common, session, provenance);
  if (!out.empty()) cli::tell("results", {out.string()}, session.notes);
  return done;
}

constexpr Example examples[] = {
    {"assay compare meshnet.json unet.json --margin 0.01",
     "is unet different from meshnet, equivalent within 0.01, or is the answer open?"},
    {"assay compare results/*.json --baseline meshnet_26 --format latex --out table.tex",
     "every model against meshnet_26, Holm-corrected, as a table for a paper"},
    {"assay compare meshnet/experiment_results.json unet/experiment_results.json --folds "
     "outer_fold",
     "cross-validations: do the algorithms differ, and not only the models that they trained?"},
    {"assay compare nnunet/summary.json meshnet.csv --intersect --metric dice",
     "results of other tools; only the cases that both files have"},
};

}  // namespace
}  // namespace compare_file

const Command compare_command = {"compare", "Test models against a baseline on the same cases",
                                 command<compare_file::declare_options, compare_file::run>,
                                 compare_file::examples};

}  // namespace assay::cli
