// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "assay/base/json.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/slide/slide.hpp"

namespace assay::qa {
namespace {

constexpr Named<SlideState> states[] = {
    {"found", SlideState::found},
    {"missing", SlideState::missing},
    {"ambiguous", SlideState::ambiguous},
    {"unreadable", SlideState::unreadable},
    {"unsupported", SlideState::unsupported},
};

void require_known(const ItemTable& table, std::span<const std::string> names) {
  for (const std::string& name : names)
    if (std::ranges::find(table.benchmarks, name, &Benchmark::name) == table.benchmarks.end()) {
      std::vector<std::string> known;
      for (const Benchmark& benchmark : table.benchmarks) known.push_back(benchmark.name);
      throw Error(Error::Kind::usage, "the table has no benchmark '" + name + "'" +
                                          did_you_mean(name, known) + " (it has: " + joined(known) +
                                          ")");
    }
}

/// What the published benchmark has and this table does not.
std::string deviation(const CheckedBenchmark& benchmark) {
  if (!benchmark.published_questions)
    return "the benchmark " + benchmark.name + " is not one of the published ones";
  return fmt::format("{}: {} of {} published questions", benchmark.name, benchmark.questions,
                     *benchmark.published_questions);
}

}  // namespace

std::span<const Named<SlideState>> slide_states() {
  return states;
}

std::size_t CheckedBenchmark::count(SlideState state) const {
  return static_cast<std::size_t>(std::ranges::count(slides, state, &CheckedSlide::state));
}

std::vector<const CheckedSlide*> SlideCheck::distinct_slides() const {
  std::set<std::tuple<std::string_view, std::string_view, SlideState>> seen;
  std::vector<const CheckedSlide*> out;
  for (const CheckedBenchmark& benchmark : benchmarks)
    for (const CheckedSlide& slide : benchmark.slides)
      if (seen.emplace(slide.image_path, slide.file, slide.state).second) out.push_back(&slide);
  return out;
}

bool SlideCheck::complete() const {
  return std::ranges::all_of(benchmarks, [](const CheckedBenchmark& benchmark) {
    return benchmark.count(SlideState::found) == benchmark.slides.size();
  });
}

SlideCheck expected_slides(const ItemTable& table, std::span<const std::string> names) {
  require_known(table, names);
  SlideCheck out;
  for (const Benchmark& benchmark : table.benchmarks) {
    if (!names.empty() && std::ranges::find(names, benchmark.name) == names.end()) continue;
    const Task* task = find_task(benchmark.name);
    out.benchmarks.push_back({.name = benchmark.name});
    if (task != nullptr) out.benchmarks.back().published_questions = task->questions;
  }
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Item& item : table.items) {
    const auto of = std::ranges::find(out.benchmarks, item.benchmark, &CheckedBenchmark::name);
    if (of == out.benchmarks.end()) continue;
    ++of->questions;
    const auto [place, is_new] =
        places.try_emplace({item.benchmark, item.image_path}, of->slides.size());
    if (is_new) of->slides.push_back({.image_path = item.image_path});
    ++of->slides[place->second].questions;
  }
  for (const CheckedBenchmark& benchmark : out.benchmarks)
    if (benchmark.published_questions != benchmark.questions)
      out.notes.push_back(deviation(benchmark));
  return out;
}

namespace {

Json to_json(const slide::SlideInfo& info) {
  Json levels = Json::array();
  for (const slide::SlideLevel& level : info.levels)
    levels.push_back(
        {{"width", level.width}, {"height", level.height}, {"downsample", level.downsample}});
  return {{"width", info.width},
          {"height", info.height},
          {"microns_per_pixel", or_null(info.microns_per_pixel)},
          {"vendor", info.vendor},
          {"levels", std::move(levels)}};
}

Json to_json(const CheckedSlide& slide) {
  Json out = {{"image_path", slide.image_path},
              {"questions", slide.questions},
              {"state", name_in(slide_states(), slide.state)},
              {"file", or_null(slide.file)},
              {"problem", or_null(slide.problem)}};
  if (slide.info) out["slide"] = to_json(*slide.info);
  return out;
}

Json counts_of(const CheckedBenchmark& benchmark) {
  Json out = {{"expected", benchmark.slides.size()}};
  for (const auto& [name, state] : slide_states()) out[std::string(name)] = benchmark.count(state);
  return out;
}

Json to_json(const CheckedBenchmark& benchmark) {
  Json slides = Json::array();
  for (const CheckedSlide& slide : benchmark.slides) slides.push_back(to_json(slide));
  const auto& published = benchmark.published_questions;
  return {{"benchmark_name", benchmark.name},
          {"questions", benchmark.questions},
          {"published_questions", or_null(published)},
          {"ledger", counts_of(benchmark)},
          {"slides", std::move(slides)}};
}

}  // namespace

std::string slide_check_text(const SlideCheck& check, const ItemTable& table,
                             std::string_view version) {
  Json benchmarks = Json::array();
  for (const CheckedBenchmark& benchmark : check.benchmarks)
    benchmarks.push_back(to_json(benchmark));
  std::vector<std::string> warnings = table.warnings;
  warnings.insert(warnings.end(), check.warnings.begin(), check.warnings.end());
  return to_text({{"schema", "assay.qa-check/1"},
                  {"complete", check.complete()},
                  {"table",
                   {{"sha256", table.sha256}, {"rows", table.rows}, {"invalid", table.invalid}}},
                  {"openslide", or_null(check.openslide)},
                  {"benchmarks", std::move(benchmarks)},
                  {"notes", check.notes},
                  {"warnings", warnings},
                  {"provenance", {{"assay", version}}}}) +
         "\n";
}

namespace {

/// What becomes of the slides of all benchmarks, as one list that several threads can share.
std::vector<CheckedSlide*> all_slides(SlideCheck& check) {
  std::vector<CheckedSlide*> out;
  for (CheckedBenchmark& benchmark : check.benchmarks)
    for (CheckedSlide& slide : benchmark.slides) out.push_back(&slide);
  return out;
}

void look_up(CheckedSlide& slide, const SlideFolder& folder, const Item& item) {
  SlideMatch match = folder.find(item);
  slide.problem = std::move(match.problem);
  if (!slide.problem.empty()) {
    slide.state = match.ambiguous ? SlideState::ambiguous : SlideState::missing;
    return;
  }
  slide.state = SlideState::found;
  slide.file = match.path.lexically_relative(folder.root()).generic_string();
}

void open(CheckedSlide& slide, const SlideFolder& folder) try {
  slide.info = slide::Slide(folder.root() / slide.file).info();
} catch (const Error& e) {
  const bool too_new = e.kind() == Error::Kind::unsupported;
  slide.state = too_new ? SlideState::unsupported : SlideState::unreadable;
  slide.problem = e.what();
}

/// One file that is found for two slides of the table: for at least one of them it is the wrong
/// file.
void note_shared_files(SlideCheck& check) {
  std::map<std::string, std::string> owners;
  for (const CheckedSlide* slide : all_slides(check)) {
    if (slide->file.empty()) continue;
    const auto [owner, is_new] = owners.try_emplace(slide->file, slide->image_path);
    if (!is_new && owner->second != slide->image_path)
      check.notes.push_back(owner->second + " and " + slide->image_path +
                            " resolve to the same file, " + slide->file);
  }
}

/// Such sizes are not told to the model; if they are wrong, other things about the file may be,
/// too.
void warn_about_pixel_sizes(SlideCheck& check) {
  constexpr std::size_t a_few = 3;
  std::vector<std::string> named;
  std::size_t count = 0;
  for (const CheckedSlide* slide : check.distinct_slides()) {
    if (!slide->info || !slide->info->microns_per_pixel) continue;
    if (slide->info->plausible_microns_per_pixel() || ++count > a_few) continue;
    named.push_back(fmt::format("{}: {:.4g} µm", slide->file, *slide->info->microns_per_pixel));
  }
  if (count > 0)
    check.warnings.push_back(
        fmt::format("{} an implausible pixel size, which models are not told ({}{}); 0.05 to 20 µm "
                    "is plausible",
                    count == 1 ? "1 slide has" : fmt::format("{} slides have", count),
                    joined(named), count > a_few ? ", …" : ""));
}

}  // namespace

SlideCheck check_slides(const ItemTable& table, const SlideFolder& folder,
                        const SlideCheckSettings& settings) {
  SlideCheck check = expected_slides(table, settings.benchmarks);
  if (settings.open) check.openslide = slide::openslide_version();
  std::map<std::pair<std::string, std::string>, const Item*> first;
  for (const Item& item : table.items) first.try_emplace({item.benchmark, item.image_path}, &item);
  for (CheckedBenchmark& benchmark : check.benchmarks)
    for (CheckedSlide& slide : benchmark.slides)
      look_up(slide, folder, *first.at({benchmark.name, slide.image_path}));
  note_shared_files(check);
  if (!settings.open) return check;
  const std::vector<CheckedSlide*> slides = all_slides(check);
  run_tasks(settings.executor, slides.size(), [&](std::size_t i) {
    if (slides[i]->state == SlideState::found) open(*slides[i], folder);
  });
  warn_about_pixel_sizes(check);
  return check;
}

}  // namespace assay::qa
