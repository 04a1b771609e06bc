// SPDX-License-Identifier: Apache-2.0
/// assay power: how many cases a difference or an equivalence margin needs.
#include "assay/compare/power.hpp"

#include <filesystem>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/tbb_executor.hpp"
#include "assay/report/text/power_report.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/results/power.hpp"
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
  std::vector<std::string> pilots;
  std::string baseline, metrics, labels, difference, margin, power, cluster, groups, undefined,
      lower_is_better;
  std::optional<double> correlation;
  double alpha = 0.05;
  unsigned models = 0, simulations = 1000, seed = 42;
  bool intersect = false, by_position = false, anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("PILOT", o.pilots,
               "Results of a pilot: of one model, or of two or more on the same cases");
  a.option("--baseline NAME", o.baseline,
           "Model or file to compare with (default: the first of exactly two)");
  a.option("--difference D", o.difference,
           "True difference, model - baseline (default: the pilot's own, or 0 with --margin)");
  a.option("--margin M", o.margin, "Show equivalence within M instead of detecting a difference");
  a.option("--power LIST", o.power, "Chances of success to plan for (default: 0.8,0.9)");
  a.option("--alpha A", o.alpha, "Significance level (default: 0.05)");
  a.option("--models K", o.models,
           "Models that the study compares with the baseline (default: as many as in the pilot)");
  a.option("--correlation R", o.correlation,
           "Correlation of two models' values, for one pilot file (default: 0.5, 0.7 and 0.9)");
  a.option("--metric LIST", o.metrics,
           "Metrics to plan for (default: the first standard one that all files have)");
  a.option("--label LIST", o.labels,
           "Labels or regions to plan for, each by itself (default: the case average)");
  a.choice("--undefined", o.undefined, words_of(compare::undefined_policies()),
           "Values undefined by the model's fault: count them (default), or leave the cases out");
  a.option("--cluster COLUMN", o.cluster,
           "Take cases with the same value, such as one subject, as dependent");
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.flag("--intersect", o.intersect, "Take the common cases when the files have different ones");
  a.flag("--by-position", o.by_position, "Pair cases by position: the n-th value of each file");
  a.option("--lower-is-better LIST", o.lower_is_better,
           "Metrics unknown to assay for which less is better");
  a.option("--simulations N", o.simulations,
           "Studies drawn from the pilot for the signed-rank test (default: 1000)");
  a.option("--seed N", o.seed, "Seed of the simulation (default: 42)");
  a.flag("--anonymous", o.anonymous, "No host and no absolute path in the provenance");
}

compare::PowerSettings settings_of(const Options& o) {
  compare::PowerSettings s = {.baseline = o.baseline};
  s.choice = {words_in(o.metrics, "--metric"), words_in(o.labels, "--label"),
              words_in(o.lower_is_better, "--lower-is-better")};
  if (!o.undefined.empty())
    s.undefined = value_in(compare::undefined_policies(), o.undefined, "--undefined");
  s.matching = {o.intersect, o.by_position};
  s.cluster = o.cluster;
  s.difference = metric_numbers(o.difference, "--difference");
  s.margin = metric_numbers(o.margin, "--margin");
  if (!o.power.empty()) s.powers.clear();
  for (const std::string& power : words_in(o.power, "--power"))
    s.powers.push_back(number_in(power, "--power"));
  s.alpha = o.alpha;
  s.models = o.models;
  s.correlation = o.correlation;
  if (o.simulations < 100 || o.simulations > 100000)
    throw Error(Error::Kind::usage, "--simulations must be from 100 to 100000");
  s.simulations = o.simulations;
  s.seed = o.seed;
  return s;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  compare::PowerSettings settings = settings_of(o);
  settings.executor = tbb_executor(jobs(common));
  const fs::path out = output_file(common.out, "power.json");
  refuse_input(out, {o.pilots.begin(), o.pilots.end()});
  if (!out.empty()) require_writable(out);
  std::vector<compare::ResultTable> tables = results::read_result_files(o.pilots, jobs(common));
  std::vector<std::string> notes;
  if (!o.groups.empty()) notes = results::add_groups(tables, o.groups);
  compare::PowerStudy study = compare::planned_study(std::move(tables), settings);
  study.notes.insert(study.notes.begin(), notes.begin(), notes.end());

  if (!common.quiet)
    for (const std::string& note : study.notes)
      session.err << "note: " << report::printable(note) << '\n';
  const std::string text =
      results::power_text(study, clock.provenance(common, session, o.anonymous));
  if (!out.empty()) write_atomically(out, text);
  if (common.json)
    session.out << text;
  else if (prints_result(common, out))
    session.out << report::power_report(study, session.out_is_terminal && !common.no_color);
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
    {"assay power meshnet.json unet.json --difference 0.02",
     "pairs that detect a difference of 0.02 in Dice, with the spread of this pilot"},
    {"assay power meshnet.json unet.json --margin 0.01 --models 3",
     "pairs that show equivalence within 0.01, for three models and Holm's correction"},
    {"assay power pilot.json --difference 2 --metric hd95 --correlation 0.8",
     "one model only: the correlation with the other one is assumed"},
};

}  // namespace

const Command power_command = {"power", "Plan how many cases a study needs", declare, examples};

}  // namespace assay::cli
