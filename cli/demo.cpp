// SPDX-License-Identifier: Apache-2.0
/// assay demo: makes a small cohort and runs the whole chain on it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/program.hpp"
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
namespace {

namespace fs = std::filesystem;

/// A path as one word of a shell.
std::string shell_word(const fs::path& path) {
  return command_text({path.string()});
}

/// How this very program is called from the current folder: by its name if the PATH leads to it,
/// else by its path.
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
  a.option("--side N", o.side, "Voxels along each axis");
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

metrics::SegmentationResult scored_model(const demo::DemoCohort& cohort, const std::string& model,
                                         const fs::path& predictions, const Common& common) {
  metrics::ScoreSettings settings;
  settings.metrics = metrics::chosen_metrics("standard,overlap");
  const score::Cohort plan = score::plan_cohort(
      {.prediction = predictions, .reference = cohort.references, .model_name = model}, settings);
  score::CohortRecords run = score::score_cases(plan, {.jobs = jobs(common), .version = version()});
  return scored(plan.settings, std::move(run.records));
}

/// "0.861 (0.077)", with its own n where some cases have no value.
std::string mean_sd(const metrics::Summary& s, std::size_t scored) {
  if (!s.mean) return "–";
  const std::string n = s.n < scored ? fmt::format(" n={}", s.n) : "";
  return fmt::format("{:.3f} ({:.3f}){}", *s.mean, s.std.value_or(0), n);
}

constexpr const char* shown[] = {"dice", "nsd", "hd95", "avd", "mcc"};

std::string table_of(const std::vector<metrics::SegmentationResult>& results) {
  std::vector<report::Column> columns = {{"model", report::Align::left}};
  for (const char* metric : shown) columns.push_back({metric});
  columns.push_back({"scored"});
  columns.push_back({"dice if failures count as 0"});
  std::vector<std::vector<std::string>> rows;
  for (const metrics::SegmentationResult& r : results) {
    rows.push_back({r.settings.model_name});
    const auto position = [&](const char* key) {
      const auto found = std::ranges::find(r.settings.metrics, key, &metrics::ChosenMetric::key);
      return static_cast<std::size_t>(found - r.settings.metrics.begin());
    };
    for (const char* key : shown)
      rows.back().push_back(
          mean_sd(metrics::summary(metrics::case_averages(r, position(key))), r.ledger.scored));
    const metrics::FailureEffect effect = metrics::failure_effect(r, position("dice"));
    rows.back().push_back(fmt::format("{}/{}", r.ledger.scored, r.ledger.expected));
    rows.back().push_back(
        effect.failures != 0 && effect.mean_with ? fmt::format("{:.3f}", *effect.mean_with) : "–");
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

/// Everything on one page, as `assay report` makes it of the files that were written.
fs::path write_report(const std::vector<fs::path>& files, const demo::DemoCohort& cohort,
                      const fs::path& folder, const Common& common) {
  report::ReportRequest request;
  for (const fs::path& file : files) request.study.files.push_back(file.string());
  const fs::path questions = folder / "qa" / "run";
  if (fs::exists(questions)) request.study.files.push_back(questions.string());
  request.study.title = "Four models on a made-up stroke cohort";
  request.study.compare.baseline = files.front().string();
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

/// Commands that work on what the demo wrote, to be pasted. Its results name files without their
/// folders.
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
             "  {0} compare {3} {4} --intersect --margin dice=0.01 --groups {5}\n"
             "  {0} report {3} {4} --predictions {6} --references {2} --images {8} --out {7}\n",
             own_name(), shell_word(predictions), shell_word(cohort.references),
             shell_word(files[0]), shell_word(files[1]), shell_word(cohort.manifest),
             shell_word(predictions.parent_path()), shell_word(folder / "two.html"),
             shell_word(cohort.images));
}

Exit run(demo::DemoOptions o, const Common& common, const Session& session) {
  const fs::path folder = common.out.empty() ? fs::path("build/demo") : fs::path(common.out);
  std::ostream& talk = common.json ? session.err : session.out;
  const ProvenanceClock clock;
  const Stopwatch making;
  if (!common.quiet)
    talk << fmt::format("making {} cases of {}³ voxels and the predictions of 4 models …\n",
                        o.cases, o.side)
         << std::flush;
  o.jobs = jobs(common);
  o.with_images = true;
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
  talk << fmt::format("\nscored {} models × {} cases in {:.2f} s ({:.1f} s to make them)\n\n",
                      results.size(), o.cases, seconds, made)
       << table_of(results)
       << "mean (SD) over scored cases, n where a metric is undefined for some; "
          "convention metrics-reloaded\n";
  print_failures(results, talk);
  const compare::Comparison comparison = compared_models(files, cohort.manifest, common);
  print_comparison(comparison, talk);
  demo_questions(folder / "qa", common, session, talk);
  const fs::path report = write_report(files, cohort, folder, common);
  files.push_back(folder / "comparison.json");
  write_atomically(files.back(),
                   results::comparison_text(comparison, /*with_paper=*/false,
                                            clock.provenance(common, session, /*anonymous=*/true)));
  talk << "\nfiles\n";
  for (const fs::path& file : files) talk << "  " << file.string() << '\n';
  const fs::path questions = folder / "qa" / "run";
  const bool asked = fs::exists(questions);
  talk << "  " << cohort.references.string() << ", " << cohort.manifest.string()
       << (asked ? ", " + questions.string() : "") << "\n  " << report.string()
       << ": open it in a browser\n\ntry it yourself\n"
       << commands_to_try(files, cohort, folder);
  if (common.json) {
    Json names = Json::array();
    for (const fs::path& file : files) names.push_back(file.generic_string());
    names.push_back(report.generic_string());
    session.out << to_text(Json{{"files", names}}) << '\n';
  }
  return done;
}

constexpr Example examples[] = {
    {"assay demo", "24 cases, 4 models, two broken files; writes build/demo/"},
    {"assay demo --out /tmp/cohort --cases 100 --side 256", "a larger cohort in another folder"},
};

}  // namespace

const Command demo_command = {"demo",
                              "Make a small cohort, score it, compare models and write a report",
                              command<declare_options, run>, examples};

}  // namespace assay::cli
