// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/check_slides.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/slide/slide.hpp"

namespace assay::qa {
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
