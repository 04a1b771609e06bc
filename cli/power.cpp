// SPDX-License-Identifier: Apache-2.0
/// assay power: how many cases a difference or an equivalence margin needs.
#include "assay/compare/power.hpp"

#include <filesystem>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/report/text/power_report.hpp"
#include "assay/results.hpp"
#include "assay/results/power.hpp"
#include "cli/commands.hpp"
#include "cli/margins.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/score_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace power_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> pilots;
  compare::PowerSettings settings;
  std::string groups;
  bool anonymous = false;
};

void declare_options(Arguments& a, Options& o) {
  compare::PowerSettings& s = o.settings;
  a.positional("PILOT", o.pilots,
               "Results of a pilot: of one model, or of two or more on the same cases");
  a.heading("Aim of the study");
  a.option("--difference D", s.difference,
           "True difference, model - baseline (default: the pilot's own, or 0 with --margin)");
  a.option("--margin M", s.margin, "Show equivalence within M instead of detecting a difference");
  a.option("--power LIST", s.powers, "Chances of success to plan for");
  a.option("--alpha A", s.alpha, "Significance level");
  a.option("--models K", s.models,
           "Models that the study compares with the baseline (default: as many as in the pilot)");
  a.option("--metric LIST", s.choice.asked,
           "Metrics to plan for (default: the first standard one that all files have)");
  a.option("--label LIST", s.choice.labels,
           "Labels or regions to plan for, each by itself (default: the case average)");
  a.heading("Pilot");
  a.option("--baseline NAME", s.baseline,
           "Model or file to compare with (default: the first of exactly two)");
  a.option("--correlation R", s.correlation,
           with_default("Correlation of two models' values, for one pilot file",
                        Kind<std::vector<double>>::shown({compare::usual_correlations.begin(),
                                                          compare::usual_correlations.end()})));
  a.flag("--intersect", s.matching.intersect,
         "Use the common cases when the files have different ones");
  a.flag("--by-position", s.matching.by_position,
         "Pair cases by position: the n-th value of each file");
  a.choice("--undefined", s.undefined, compare::undefined_policies(),
           "Count values that are undefined by the model's fault as worst, or exclude their cases");
  a.option("--cluster COLUMN", s.cluster,
           "Treat cases with the same value, such as one subject, as dependent");
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.option("--lower-is-better LIST", s.choice.lower_is_better,
           "Metrics unknown to assay for which lower is better");
  a.heading("Simulation and output");
  a.option("--simulations N", s.simulations,
           "Studies drawn from the pilot for the signed-rank test");
  a.option("--seed N", s.seed, "Seed of the simulation");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  compare::PowerSettings settings = o.settings;
  if (settings.simulations < 100 || settings.simulations > 100000)
    throw Error(Error::Kind::usage, "--simulations must be from 100 to 100000");
  settings.executor = pool(common, session);
  const fs::path out = output_file(common.out, "power.json");
  refuse_input(out, {o.pilots.begin(), o.pilots.end()});
  if (!out.empty()) require_writable(out);
  std::vector<compare::ResultTable> tables = results::read_result_files(o.pilots, jobs(common));
  std::vector<std::string> notes;
  if (!o.groups.empty()) notes = results::add_groups(tables, o.groups);
  compare::PowerStudy study = compare::plan_study(std::move(tables), settings);
  study.notes.insert(study.notes.begin(), notes.begin(), notes.end());

  cli::tell("note", study.notes, session.notes);
  put_result(
      out, results::power_text(study, clock.provenance(common, session, o.anonymous)),
      [&] { return report::power_report(study, session.out_is_terminal && !common.no_color); },
      common, session);
  return done;
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
}  // namespace power_file

const Command power_command = {"power", "Plan how many cases a study needs",
                               command<power_file::declare_options, power_file::run>,
                               power_file::examples};

}  // namespace assay::cli
