// SPDX-License-Identifier: Apache-2.0
/// assay demo: makes a small cohort and runs the whole chain on it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/program.hpp"
#include "assay/base/text.hpp"
#include "assay/demo/demo_cohort.hpp"
#include "assay/qa.hpp"
#include "assay/report.hpp"
#include "assay/report/text/comparison_report.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/results.hpp"
#include "assay/score/score_cohort.hpp"
#include "assay/threads.hpp"
#include "cli/commands.hpp"
#include "cli/demo_qa.hpp"
#include "cli/provenance.hpp"

namespace assay::cli {
namespace demo_file {
namespace {

namespace fs = std::filesystem;

/// How to call this program from the current folder: by its name if it is on the PATH, else by its
/// path.
std::string own_name() {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown || self.filename() != "assay") return "assay";  // from Python, say
  if (fs::equivalent(find_program("assay"), self, unknown)) return "assay";
  const fs::path near = self.lexically_relative(fs::current_path());
  if (near.empty() || *near.begin() == "..") return shell_word(self);
  return shell_word(near.has_parent_path() ? near : "./" / near);
}

void declare_options(Arguments& a, demo::DemoOptions& o) {
  a.option("--cases N", o.cases, "Number of cases to make");
  a.option("--side N", o.side,
           "Voxels from front to back; the other two axes have three quarters of that");
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// The metrics of the comparison and of the report, the most telling first.
std::vector<std::string> shown_metrics() {
  return {"dice", "lesion_f1", "nsd", "hd95"};
}

/// Scores the labels that dataset.json names next to the predictions. Only some models have
/// probability maps.
metrics::SegmentationResult scored_model(const demo::DemoCohort& cohort, const std::string& model,
                                         const fs::path& predictions, const Common& common) {
  metrics::ScoreSettings settings;
  settings.metrics = metrics::chosen_metrics(
      "standard,precision,recall,lesion_precision,lesion_recall,lesion_f1,probability");
  for (metrics::ChosenMetric& metric : settings.metrics)
    metric.if_present = metric->needs_probability();
  const score::Cohort plan = score::plan_cohort(
      {.prediction = predictions, .reference = cohort.references, .model_name = model}, settings);
  score::CohortRecords run = score::score_cases(plan, {.jobs = jobs(common), .version = version()});
  return scored(plan.settings, std::move(run.records));
}

/// "0.861 (0.077)", with its own n if some cases have no value.
std::string mean_sd(const metrics::Summary& s, std::size_t scored) {
  if (!s.mean) return "–";
  const std::string n = s.n < scored ? fmt::format(" n={}", s.n) : "";
  return fmt::format("{:.3f} ({:.3f}){}", *s.mean, s.std.value_or(0), n);
}

std::size_t position_of(const metrics::SegmentationResult& result, std::string_view key) {
  const auto found = std::ranges::find(result.settings.metrics, key, &metrics::ChosenMetric::key);
  return static_cast<std::size_t>(found - result.settings.metrics.begin());
}

/// Dice by label, and how failures change it.
std::string table_of(const std::vector<metrics::SegmentationResult>& results) {
  std::vector<report::Column> columns = {{"model", report::Align::left}};
  for (const metrics::Region& region : results.front().regions)
    columns.push_back({"dice, " + region.name});
  columns.insert(columns.end(), {{"dice, both"}, {"if failures count as 0"}, {"scored"}});
  std::vector<std::vector<std::string>> rows;
  for (const metrics::SegmentationResult& r : results) {
    const std::size_t dice = position_of(r, "dice");
    std::vector<std::string>& row = rows.emplace_back(1, r.settings.model_name);
    for (std::size_t label = 0; label < r.regions.size(); ++label)
      row.push_back(
          mean_sd(metrics::summary(metrics::region_scores(r, dice, label)), r.ledger.scored));
    row.push_back(mean_sd(metrics::summary(metrics::case_averages(r, dice)), r.ledger.scored));
    const metrics::FailureEffect effect = metrics::failure_effect(r, dice);
    row.push_back(effect.failures != 0 && effect.mean_with
                      ? fmt::format("{:.3f}", *effect.mean_with)
                      : std::string(report::absent));
    row.push_back(fmt::format("{}/{}", r.ledger.scored, r.ledger.expected));
  }
  return report::text_table(columns, rows);
}

void print_failures(const std::vector<metrics::SegmentationResult>& results, std::ostream& out) {
  bool first = true;
  for (const metrics::SegmentationResult& r : results)
    for (const metrics::CaseScores& c : r.cases)
      if (c.record.fate != metrics::Fate::scored) {
        if (first) out << "\nwhat was not scored, and why (the demo breaks two files on purpose)\n";
        first = false;
        out << fmt::format("  {}/{}: {}\n", r.settings.model_name, c.record.id, c.record.error);
      }
}

/// The models against the first, as `assay compare` does it with the files that were written.
compare::Comparison compared_models(const std::vector<fs::path>& files, const fs::path& manifest,
                                    const Common& common) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const fs::path& file : files) paths.push_back(file.string());
  compare::CompareSettings settings = {.baseline = paths.front()};
  settings.choice.asked = shown_metrics();
  settings.margins = {{"dice", 0.01}};
  settings.matching.intersect = true;
  std::vector<compare::ResultTable> tables = results::read_result_files(paths, jobs(common));
  results::add_groups(tables, manifest);
  return compare::compare(std::move(tables), settings);
}

void print_comparison(const compare::Comparison& comparison, std::ostream& out) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  out << fmt::format("\ncompared with {} on the {} cases that all models have\n", baseline,
                     comparison.matching.ids.size());
  out << report::terminal_table(report::comparison_table(comparison, /*with_paper=*/false));
}

/// The size bins of lesions in the evidence; all bins from 1 mL on are combined.
constexpr std::array size_names = {"below 0.1 mL", "0.1 to 1 mL", "1 mL and more"};

/// Lesions of the first label that a model found, by their size.
std::array<metrics::LesionBin, size_names.size()> found_lesions(
    const metrics::SegmentationResult& result) {
  std::array<metrics::LesionBin, size_names.size()> out;
  for (const metrics::CaseScores& c : result.cases) {
    const auto found = c.record.lesions.find(result.regions.front().key);
    if (found == c.record.lesions.end()) continue;
    for (std::size_t bin = 0; bin < found->second.by_size.size(); ++bin) {
      metrics::LesionBin& sum = out[std::min(bin, out.size() - 1)];
      sum.lesions += found->second.by_size[bin].lesions;
      sum.detected += found->second.by_size[bin].detected;
    }
  }
  return out;
}

void print_lesions(const std::vector<metrics::SegmentationResult>& results, std::ostream& out) {
  std::vector<report::Column> columns = {{"model", report::Align::left}};
  for (const char* name : size_names) columns.push_back({name});
  std::vector<std::vector<std::string>> rows;
  for (const metrics::SegmentationResult& r : results) {
    rows.push_back({r.settings.model_name});
    for (const metrics::LesionBin& bin : found_lesions(r))
      rows.back().push_back(fmt::format("{} of {}", bin.detected, bin.lesions));
  }
  out << fmt::format(
             "\nwhat Dice does not show: lesions found in the scored cases, by the volume of their "
             "{}\n",
             results.front().regions.front().name)
      << report::text_table(columns, rows);
}

/// What other thresholds would give, for models with maps of probabilities.
void print_thresholds(const metrics::SegmentationResult& result, std::ostream& out) {
  for (std::size_t label = 0; label < result.regions.size(); ++label) {
    const auto sweep = metrics::sweep_means(result, label);
    const auto best = metrics::best_threshold(sweep);
    if (!best) continue;
    if (label == 0)
      out << fmt::format("\nbest thresholds for the probabilities of {}\n",
                         result.settings.model_name);
    const auto half = std::ranges::find(sweep, 0.5, &metrics::SweepMean::threshold);
    out << fmt::format("  {}: Dice {:.3f} at threshold 0.5; best {:.3f} at {}\n",
                       result.regions[label].name, half->dice.value_or(0), *best->dice,
                       best->threshold);
  }
}

/// Everything on one page, as `assay report` makes it of the files that were written.
fs::path write_report(const std::vector<fs::path>& files, const demo::DemoCohort& cohort,
                      const fs::path& folder, const Common& common) {
  report::ReportRequest request;
  for (const fs::path& file : files) request.study.files.push_back(file.string());
  const fs::path questions = folder / "qa" / "run";
  if (fs::exists(questions)) request.study.files.push_back(questions.string());
  request.study.title = "Three models on a made-up stroke cohort";
  request.study.compare.baseline = files.front().string();
  request.study.compare.choice.asked = shown_metrics();
  request.study.compare.margins = {{"dice", 0.01}};
  request.study.groups = cohort.manifest;
  request.study.compare.executor = thread_executor(jobs(common));
  request.roots = {.images = cohort.images,
                   .predictions = cohort.models.front().second.parent_path(),
                   .references = cohort.references};
  fs::path out = folder / "report.html";
  report::write_report(request, out);
  return out;
}

/// Commands to paste, which use the files of the demo. They name folders, because its results name
/// files without them.
std::string commands_to_try(const std::vector<fs::path>& files, const demo::DemoCohort& cohort,
                            const fs::path& folder) {
  const fs::path& predictions = cohort.models.front().second;
  const fs::path questions = folder / "qa" / "run";
  std::string out;
  if (fs::exists(questions))
    out += fmt::format("  {} qa show {} 7 --out {}\n", own_name(), shell_word(questions),
                       shell_word(folder / "seven.html"));
  return out +
         fmt::format(
             "  {0} score {1} {2} --metrics overlap\n"
             "  {0} score {9} {2} --threshold 0.85 --metrics dice,probability\n"
             "  {0} compare {3} {4} --intersect --margin dice=0.01 --groups {5}\n"
             "  {0} report {3} {4} --predictions {6} --references {2} --images {8} --out {7}\n",
             own_name(), shell_word(predictions), shell_word(cohort.references),
             shell_word(files[0]), shell_word(files[1]), shell_word(cohort.manifest),
             shell_word(predictions.parent_path()), shell_word(folder / "two.html"),
             shell_word(cohort.images), shell_word(cohort.models[1].second));
}

/// What was found, in the order in which people ask.
void print_findings(const std::vector<metrics::SegmentationResult>& results,
                    const compare::Comparison& comparison, std::ostream& talk) {
  talk << table_of(results) << "mean (SD) over scored cases; convention metrics-reloaded\n";
  print_failures(results, talk);
  print_comparison(comparison, talk);
  print_lesions(results, talk);
  for (const metrics::SegmentationResult& r : results) print_thresholds(r, talk);
}

Exit run(demo::DemoOptions o, const Common& common, const Session& session) {
  const fs::path folder = common.out.empty() ? fs::path("build/demo") : fs::path(common.out);
  std::ostream& talk = common.json ? session.err : session.out;
  const ProvenanceClock clock;
  const Stopwatch making;
  o.jobs = jobs(common);
  o.as_study = true;
  if (!common.quiet)
    talk << fmt::format("making {} with lesions, and the predictions of 3 models …\n",
                        counted(o.cases, "head"))
         << std::flush;
  const demo::DemoCohort cohort = demo::write_demo_cohort(folder, o);
  const double made = making.seconds();

  const Stopwatch scoring;
  std::vector<metrics::SegmentationResult> results;
  for (const auto& [model, predictions] : cohort.models)
    results.push_back(scored_model(cohort, model, predictions, common));
  const double seconds = scoring.seconds();

  std::vector<fs::path> files;
  for (const metrics::SegmentationResult& r : results) {
    files.push_back(folder / (r.settings.model_name + ".json"));
    write_atomically(files.back(), results::results_text(
                                       r, clock.provenance(common, session, /*anonymous=*/true)));
  }
  const compare::Comparison comparison = compared_models(files, cohort.manifest, common);
  talk << fmt::format("scored 3 models × {} cases in {:.2f} s ({:.1f} s to make them)\n\n", o.cases,
                      seconds, made);
  print_findings(results, comparison, talk);
  demo_questions(folder / "qa", common, session, talk);
  const fs::path report = write_report(files, cohort, folder, common);
  files.push_back(folder / "comparison.json");
  write_atomically(files.back(),
                   results::comparison_text(comparison, /*with_paper=*/false,
                                            clock.provenance(common, session, /*anonymous=*/true)));
  talk << fmt::format("\nfiles in {}\n  {}\n  images, references, models, {}{}\n", folder.string(),
                      joined(files, ", ", [](const fs::path& f) { return f.filename().string(); }),
                      cohort.manifest.filename().string(),
                      fs::exists(folder / "qa/run") ? ", qa/run" : "")
       << "\ntry it yourself\n"
       << commands_to_try(files, cohort, folder) << "\nreport: " << report.string() << '\n';
  if (common.json) {
    Json names = Json::array();
    for (const fs::path& file : files) names.push_back(file.generic_string());
    names.push_back(report.generic_string());
    session.out << to_text(Json{{"files", names}}) << '\n';
  }
  return done;
}

constexpr Example examples[] = {
    {"assay demo", "24 cases, 3 models, two broken files; writes build/demo/"},
    {"assay demo --out /tmp/cohort --cases 100 --side 256", "a larger cohort in another folder"},
};

}  // namespace
}  // namespace demo_file

const Command demo_command = {
    "demo", "Make a small cohort, score it, compare models and write a report",
    command<demo_file::declare_options, demo_file::run>, demo_file::examples};

}  // namespace assay::cli
