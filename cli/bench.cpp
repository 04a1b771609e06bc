// SPDX-License-Identifier: Apache-2.0
/// assay bench: how fast this machine scores, against decompression alone and against other tools.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/json.hpp"
#include "assay/base/program.hpp"
#include "assay/demo/demo_cohort.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/metrics.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/score/score_cohort.hpp"
#include "cli/commands.hpp"
#include "peers_script.hpp"

namespace assay::cli {
namespace bench_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  unsigned cases = 12, side = 256;
  bool check = false;
};

void declare_options(Arguments& a, Options& o) {
  a.option("--cases N", o.cases, "Number of cases to make");
  a.option("--side N", o.side, "Voxels along each axis");
  a.flag("--check", o.check, "Exit with 1 when a target is missed");
}

/// One figure, and what it should reach.
struct Figure {
  std::string key, title;
  double value;
  std::optional<double> at_most{}, at_least{};

  bool is_met() const {
    return (!at_most || value <= *at_most) && (!at_least || value >= *at_least);
  }
};

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// CPU milliseconds of one call: the least of several after a warm-up call, since other processes
/// can only make a call slower.
template <class Work>
double least_ms(Work work) {
  constexpr int rounds = 9;
  work();
  double least = metrics::infinity;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_ms();
    work();
    least = std::min(least, cpu_ms() - start);
  }
  return least;
}

score::Cohort planned(const demo::DemoCohort& demo, const std::string& metrics = "paper",
                      VoxelReader reader = VoxelReader::automatic) {
  metrics::ScoreSettings settings;
  settings.metrics = metrics::chosen_metrics(metrics);
  settings.reader = reader;
  return score::plan_cohort(
      {.prediction = demo.models.front().second, .reference = demo.references}, settings);
}

/// Only decompresses the cohort's files; no program that decompresses the voxels can be faster.
double inflate_only_ms(const score::Cohort& cohort) {
  struct File {
    Buffer gzip;
    std::size_t size;
  };
  constexpr std::size_t header = 352;  // what write_image puts before uint8 voxels
  std::vector<File> files;
  for (const score::CasePlan& plan : cohort.cases)
    for (const std::string& path : {plan.files.front().prediction, plan.files.front().reference})
      files.push_back({read_bytes(path), header + read_image(path).grid().size()});
  Buffer room;
  const double all = least_ms([&] {
    for (const File& file : files) inflate_gzip(file.gzip.bytes(), room.resize(file.size));
  });
  return all / static_cast<double>(cohort.cases.size());
}

double score_ms(const score::Cohort& cohort) {
  return least_ms([&] { score::score_cases(cohort, {.jobs = 1}); }) /
         static_cast<double>(cohort.cases.size());
}

double kernel_ms(const score::Cohort& cohort) {
  const score::FilePair& files = cohort.cases.back().files.front();  // the largest lesion
  const Image prediction = read_image(files.prediction), reference = read_image(files.reference);
  Buffer p, r;
  const auto in_p = foreground(prediction, std::nullopt, p);
  const auto in_r = foreground(reference, std::nullopt, r);
  return least_ms([&] { metrics::count_foreground(in_p.voxels, in_r.voxels); });
}

/// What the embedded script prints; empty when there is no Python to run it.
Json measured_peers(const demo::DemoCohort& demo, const fs::path& folder) {
  const fs::path script = folder / "peers.py";
  write_atomically(script, peers_script);
  constexpr double patience_s = 3600;
  std::string text;
  try {
    text = run_program({"/usr/bin/python3", script.string(), demo.models.front().second.string(),
                        demo.references.string()},
                       patience_s)
               .output;
  } catch (const Error&) {  // no Python
  }
  return text.empty() ? Json::array() : parse_json(text, "the times of other tools");
}

void add_peers(const Json& peers, double ours, std::vector<Figure>& figures, std::ostream& talk) {
  for (const Json& peer : peers) {
    const auto name = peer.at("peer").get<std::string>();
    if (peer.contains("absent")) {
      talk << "absent: " << name << " (" << peer.at("absent").get<std::string>() << ")\n";
      continue;
    }
    Figure figure = {
        .key = "over_" + name,
        .title = fmt::format("{} ({}) / assay", name, peer.at("version").get<std::string>()),
        .value = peer.at("cpu_ms_per_case").get<double>() / ours};
    if (name == "specification") figure.at_least = 800;
    figures.push_back(std::move(figure));
  }
  if (peers.empty())
    talk << "absent: /usr/bin/python3 with nibabel and torch, for the other tools\n";
}

std::vector<Figure> measured(const Options& o, const Common& common, std::ostream& talk) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("assay-bench-{}", getpid());
  const std::unique_ptr<const fs::path, void (*)(const fs::path*)> cleared(
      &folder, [](const fs::path* path) {
        std::error_code ignored;
        fs::remove_all(*path, ignored);
      });
  talk << fmt::format("making {} of {}³ …\n", counted(o.cases, "case"), o.side) << std::flush;
  const demo::DemoCohort demo = demo::write_demo_cohort(
      folder, {.cases = o.cases, .side = o.side, .with_faults = false, .jobs = jobs(common)});
  const score::Cohort cohort = planned(demo);
  const double inflate = inflate_only_ms(cohort), ours = score_ms(cohort);
  const double voxels = score_ms(planned(demo, "paper", VoxelReader::buffer));
  std::vector<Figure> figures = {
      {"count_ms", "counting one pair, voxel by voxel (ms)", kernel_ms(cohort), 2.0},
      {"inflate_ms", "decompressing one pair, every voxel (ms)", inflate},
      {"score_ms", "Dice, AVD, MCC of one pair, files to numbers (ms)", ours, 2.5},
      {"over_inflate", "the same / decompressing alone", ours / inflate, 1.5},
      {"over_voxels", "the same with --reader buffer / assay", voxels / ours, {}, 4.0},
      {"surface_ms", "Dice, HD, HD95, ASSD, NSD of one pair (ms)",
       score_ms(planned(demo, "dice,hd,hd95,assd,nsd")), 5.0},
      {"all_ms", "all metrics of one pair (ms)", score_ms(planned(demo, "all")), 8.0},
  };
  talk << "timing other tools …\n" << std::flush;
  add_peers(measured_peers(demo, folder), ours, figures, talk);
  const bool full_size = o.side == 256;
  if (!full_size)  // the targets are for that size
    for (Figure& figure : figures) figure.at_most = figure.at_least = std::nullopt;
  return figures;
}

std::string target_text(const Figure& f) {
  if (f.at_most) return fmt::format("≤ {:g} {}", *f.at_most, f.is_met() ? "met" : "MISSED");
  if (f.at_least) return fmt::format("≥ {:g} {}", *f.at_least, f.is_met() ? "met" : "MISSED");
  return "";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const std::vector<Figure> figures = measured(o, common, session.err);
  Json out = {{"schema", "assay.bench/1"},
              {"cases", o.cases},
              {"side", o.side},
              {"figures", Json::object()}};
  std::vector<std::vector<std::string>> rows;
  for (const Figure& f : figures) {
    out["figures"][f.key] = {{"value", f.value}, {"met", f.is_met()}};
    rows.push_back({f.title, fmt::format("{:.2f}", f.value), target_text(f)});
  }
  if (common.json)
    session.out << to_text(out) << '\n';
  else
    session.out << report::text_table(
        {{"CPU time, one core", report::Align::left}, {"value"}, {"target", report::Align::left}},
        rows);
  if (!common.out.empty()) write_atomically(common.out, to_text(out) + "\n");
  const bool all_met = std::ranges::all_of(figures, &Figure::is_met);
  return o.check && !all_met ? answer_is_no : done;
}

constexpr Example examples[] = {
    {"assay bench", "counting, files to numbers, and ratios to the other tools that are installed"},
    {"assay bench --json --check", "for scripts; exit status 1 when a target is missed"},
};

}  // namespace
}  // namespace bench_file

const Command bench_command = {
    "bench", "Measure speed against decompression alone and against other tools",
    command<bench_file::declare_options, bench_file::run>, bench_file::examples};

}  // namespace assay::cli
