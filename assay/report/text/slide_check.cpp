// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/slide_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

using CountRow = std::vector<std::string>;

/// The states that were checked. Without OpenSlide no slide was opened, and zeros for the states
/// that need opening would mislead.
std::vector<Named<qa::SlideState>> shown_states(const qa::SlideCheck& check) {
  std::vector<Named<qa::SlideState>> out;
  for (const auto& state : qa::slide_states()) {
    const bool needs_opening =
        state.value == qa::SlideState::unreadable || state.value == qa::SlideState::unsupported;
    if (!needs_opening || !check.openslide.empty()) out.push_back(state);
  }
  return out;
}

std::string title_of(const Named<qa::SlideState>& state) {
  return state.value == qa::SlideState::unsupported ? "needs OpenSlide 4" : std::string(state.name);
}

CountRow count_row(const std::string& name, const std::vector<std::size_t>& numbers) {
  CountRow row = {printable(name)};
  for (const std::size_t number : numbers) row.push_back(std::to_string(number));
  return row;
}

/// The sum of all benchmarks; slides that several ask about count once.
std::vector<std::size_t> totals_of(const qa::SlideCheck& check,
                                   const std::vector<Named<qa::SlideState>>& states) {
  const auto slides = check.distinct_slides();
  std::vector<std::size_t> out = {0, slides.size()};
  for (const qa::CheckedBenchmark& benchmark : check.benchmarks) out[0] += benchmark.questions;
  for (const auto& state : states)
    out.push_back(static_cast<std::size_t>(std::ranges::count(
        slides, state.value, [](const qa::CheckedSlide* slide) { return slide->state; })));
  return out;
}

/// A line per slide. For a missing one there is only its name.
std::string problems_of(const qa::CheckedBenchmark& benchmark, const Named<qa::SlideState>& state,
                        std::size_t most) {
  std::string out;
  std::size_t count = 0;
  for (const qa::CheckedSlide& slide : benchmark.slides) {
    if (slide.state != state.value || count++ >= most) continue;
    const bool is_missing = state.value == qa::SlideState::missing;
    out += fmt::format("{}: {}: {}\n", printable(benchmark.name), state.name,
                       printable(is_missing ? slide.image_path : slide.problem));
  }
  if (count > most)
    out += fmt::format("{}: {}: … and {} more (--verbose lists all)\n", printable(benchmark.name),
                       state.name, count - most);
  return out;
}

}  // namespace

std::string slide_check_table(const qa::SlideCheck& check) {
  const auto states = shown_states(check);
  std::vector<Column> columns = {{"benchmark", Align::left}, {"questions"}, {"slides"}};
  for (const auto& state : states) columns.push_back({title_of(state)});
  std::vector<CountRow> rows;
  for (const qa::CheckedBenchmark& benchmark : check.benchmarks) {
    std::vector<std::size_t> numbers = {benchmark.questions, benchmark.slides.size()};
    for (const auto& state : states) numbers.push_back(benchmark.count(state.value));
    rows.push_back(count_row(benchmark.name, numbers));
  }
  if (rows.size() > 1) rows.push_back(count_row("all", totals_of(check, states)));
  return text_table(columns, rows);
}

std::string slide_check_problems(const qa::SlideCheck& check, std::size_t most) {
  std::string out;
  for (const qa::CheckedBenchmark& benchmark : check.benchmarks)
    for (const auto& state : qa::slide_states())
      if (state.value != qa::SlideState::found) out += problems_of(benchmark, state, most);
  return out;
}

std::string opened_slides_table(const qa::SlideCheck& check) {
  std::vector<CountRow> rows;
  for (const qa::CheckedSlide* slide : check.distinct_slides()) {
    if (!slide->info) continue;
    const auto& resolution = slide->info->microns_per_pixel;
    rows.push_back(
        {printable(slide->file), fmt::format("{} x {}", slide->info->width, slide->info->height),
         std::to_string(slide->info->levels.size()),
         resolution ? fmt::format("{:.4g}", *resolution) : "–", printable(slide->info->vendor)});
  }
  if (rows.empty()) return "";
  return text_table(
      {{"file", Align::left}, {"pixels"}, {"levels"}, {"µm/pixel"}, {"format", Align::left}}, rows);
}

}  // namespace assay::report
