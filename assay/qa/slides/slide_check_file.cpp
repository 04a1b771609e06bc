// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_check_file.hpp"

#include "assay/base/json.hpp"

namespace assay::qa {
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

}  // namespace assay::qa
