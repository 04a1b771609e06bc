// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

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
    return benchmark.name + ": is not one of the published benchmarks";
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

}  // namespace assay::qa
