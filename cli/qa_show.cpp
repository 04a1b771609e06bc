// SPDX-License-Identifier: Apache-2.0
/// assay qa show: how an agent reached its answer, as a page.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/report/page/trajectory_page.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace qa_show_file {
namespace {

namespace fs = std::filesystem;

/// The command line as typed.
struct Options {
  std::string folder, item, benchmark;
  std::optional<std::int64_t> run;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RUN", o.folder, "Folder of a run: the --out of qa run");
  a.positional("ITEM", o.item, "Id of a question, as in the table, or benchmark/id");
  a.option("--run K", o.run, "Number of the attempt, from 0 (default: the first that exists)");
  a.option("--benchmark NAME", o.benchmark,
           "Benchmark of the question, if several have the same id");
}

struct Found {
  fs::path path;
  qa::Trajectory trajectory;
};

/// The trajectories of an item. Only files whose names can belong to it are opened.
std::vector<Found> trajectories_of(const Options& o) {
  const fs::path folder = fs::path(o.folder) / "trajectories";
  std::error_code error;
  std::vector<fs::path> paths;
  const std::string part = "_" + qa::safe_file_name(o.item);
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::end(at);
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".json") && name.find(part) != name.npos) paths.push_back(at->path());
  }
  if (error)
    throw Error(Error::Kind::io, folder,
                "cannot be read (" + error.message() + "); give the folder of a run first");
  std::vector<Found> out;
  for (const fs::path& path : paths) {
    qa::Trajectory t = qa::parse_trajectory(read_text(path), path.string());
    if (t.item_id == o.item && (o.benchmark.empty() || t.benchmark == o.benchmark))
      out.push_back({path, std::move(t)});
  }
  return out;
}

/// "tcga/17" is item 17 of tcga, unless an item has exactly this id.
std::vector<Found> named_trajectories(Options o) {
  std::vector<Found> all = trajectories_of(o);
  const std::size_t slash = o.item.find('/');
  if (!all.empty() || slash == std::string::npos || !o.benchmark.empty()) return all;
  o.benchmark = o.item.substr(0, slash);
  o.item.erase(0, slash + 1);
  return trajectories_of(o);
}

Found chosen(const Options& o) {
  std::vector<Found> all = named_trajectories(o);
  if (o.run) std::erase_if(all, [&](const Found& f) { return f.trajectory.run != *o.run; });
  if (all.empty())
    throw Error(Error::Kind::input, o.folder,
                fmt::format("has no trajectory of item '{}'{}; ids are those of the table, and "
                            "only questions that were asked have one",
                            o.item, o.run ? fmt::format(", run {}", *o.run) : ""));
  const auto first = std::ranges::min_element(
      all, {}, [](const Found& f) { return std::pair(f.trajectory.run, f.path); });
  for (const Found& f : all)
    if (f.trajectory.benchmark != first->trajectory.benchmark)
      throw Error(Error::Kind::usage,
                  fmt::format("item '{}' is in {} and in {}; choose one with --benchmark", o.item,
                              first->trajectory.benchmark, f.trajectory.benchmark));
  return std::move(*first);
}

/// The item's row of the results, which a run writes when it ends; nothing before that.
std::optional<qa::ItemResult> result_of(const qa::Trajectory& t, const fs::path& run,
                                        std::ostream& err) try {
  const fs::path path = run / (qa::safe_file_name(t.benchmark) + "_results.json");
  if (!fs::exists(path)) return std::nullopt;
  for (qa::SavedQa& saved : qa::read_qa_results(path)) {
    auto& items = saved.result.results;
    const auto found = std::ranges::find(items, t.item_id, &qa::ItemResult::item_id);
    if (found != items.end()) return std::move(*found);
  }
  return std::nullopt;
} catch (const Error& e) {
  err << "warning: " << report::printable(e.what()) << "; the page shows no verdict\n";
  return std::nullopt;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.folder.empty() || o.item.empty())
    throw Error(Error::Kind::usage,
                "give a run and an item: assay qa show run TCGA-02-0266-01Z-00-DX1");
  Found found = chosen(o);
  fs::path out = output_file(common.out, found.path.stem().string() + ".html");
  if (out.empty()) out = fs::path(found.path).replace_extension(".html");
  refuse_input(out, {found.path});
  report::TrajectoryView view = {.trajectory = std::move(found.trajectory)};
  view.result = result_of(view.trajectory, o.folder, session.err);
  view.jpegs = qa::read_crops(view.trajectory, o.folder);
  write_atomically(out, report::trajectory_page(view));
  if (common.json)
    session.out << qa::trajectory_text(view.trajectory);
  else if (!common.quiet)
    session.out << report::printable(out.string()) << '\n';
  return done;
}

constexpr Example examples[] = {
    {"assay qa show run TCGA-02-0266-01Z-00-DX1",
     "writes run/trajectories/tcga_TCGA-02-0266-01Z-00-DX1_run0.html and prints its name"},
    {"assay qa show run 17 --benchmark tcga_expert_vqa --run 2 --out 17.html",
     "the third attempt at a question whose id other benchmarks have too"},
};

}  // namespace
}  // namespace qa_show_file

const Command qa_show_command = {"show", "Show how an agent reached its answer, as an HTML page",
                                 command<qa_show_file::declare_options, qa_show_file::run>,
                                 qa_show_file::examples};

}  // namespace assay::cli
