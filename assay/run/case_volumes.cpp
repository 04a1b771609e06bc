// SPDX-License-Identifier: Apache-2.0
#include "assay/run/case_volumes.hpp"

#include <algorithm>
#include <cmath>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"
#include "assay/io/folder.hpp"
#include "assay/report/page_parts.hpp"
#include "assay/run/region_volume.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The mean over models, turned so that more is better; nothing where no model has a value.
std::vector<std::optional<double>> mean_gains(const Study& study, const std::string& metric) {
  std::vector<double> sums(study.ids.size());
  std::vector<std::size_t> counts(study.ids.size());
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const MetricColumn* column = column_of(page::shown_columns(study, m), metric);
    if (column == nullptr) continue;
    const std::vector<std::size_t> places = page::places_in_study(study, m);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (column->values[i] && std::isfinite(*column->values[i])) {
        sums[places[i]] += *column->values[i];
        ++counts[places[i]];
      }
  }
  const auto known = metric_of_key(metric);
  const double sign = known && (*known)->better == Better::lower ? -1 : 1;
  std::vector<std::optional<double>> out(study.ids.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (counts[i] != 0) out[i] = sign * sums[i] / static_cast<double>(counts[i]);
  return out;
}

/// Every case with a value, the worst first; equal ones by id.
std::vector<std::size_t> from_worst_to_best(const Study& study, const std::string& metric) {
  const auto gains = mean_gains(study, metric);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (gains[i]) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *gains[i]; });
  return order;
}

/// The images of one case: a results file per model, those that have the case.
struct CaseSources {
  struct OfModel {
    std::size_t model;
    CaseFiles files;
    const ScoredFiles* scored;
  };
  std::vector<OfModel> models{};
};

using FilesOfModels = std::vector<ScoredFiles>;

FilesOfModels files_of_models(const Study& study, const VolumeRequest& request) {
  std::vector<std::string> ids;
  for (const ShownCase& one : request.cases) ids.push_back(study.ids[one.place]);
  FilesOfModels out(study.models.size());
  run_tasks(request.executor, out.size(), [&](std::size_t m) {
    try {
      out[m] = read_scored_files(study.models[m].source, ids);
    } catch (const Error&) {
      out[m] = {};  // it was read as a table before: only its images cannot be found
    }
  });
  return out;
}

CaseSources sources_of(const std::string& id, const FilesOfModels& files) {
  CaseSources out;
  for (std::size_t m = 0; m < files.size(); ++m) {
    const auto found = std::ranges::find(files[m].cases, id, &CaseFiles::id);
    if (found != files[m].cases.end()) out.models.push_back({m, *found, &files[m]});
  }
  return out;
}

/// Predictions that can be read; why others cannot be is noted.
void read_predictions(const Study& study, const CaseSources& sources, const ImageRoots& roots,
                      RegionCase& into) {
  for (const CaseSources::OfModel& one : sources.models) {
    const ResultTable& table = study.models[one.model];
    try {
      const fs::path path = located(
          {one.files.prediction, one.files.prediction_sha256, roots.predictions, table.model_name},
          table.source, one.scored->command);
      into.add_prediction(one.model, path);
    } catch (const Error& error) {
      into.note(table.model_name + ": " + error.what());
    }
  }
}

CaseVolume read_one(const Study& study, const ShownCase& shown, const CaseSources& sources,
                    const ImageRoots& roots) {
  if (sources.models.empty())
    throw Error(Error::Kind::input, "its results files name no images; 'assay score' writes them");
  const CaseSources::OfModel& first = sources.models.front();
  const fs::path reference =
      located({first.files.reference, first.files.reference_sha256, roots.references, ""},
              study.models[first.model].source, first.scored->command);
  RegionCase out(reference, *first.scored);
  read_predictions(study, sources, roots, out);
  if (!roots.images.empty()) {
    const auto image = image_of(study.ids[shown.place], list_images(roots.images));
    if (image)
      out.add_image(roots.images / *image);
    else
      out.note("no image in " + roots.images.string() + " is called by this case");
  }
  CaseVolume volume = std::move(out).cropped();
  if (volume.predictions.empty())
    throw Error(Error::Kind::input, "no prediction could be read (" + volume.notes.front() + ")");
  volume.place = shown.place;
  volume.why = shown.why;
  return volume;
}

}  // namespace

std::vector<ShownCase> shown_cases(const Study& study, const std::string& metric,
                                   const std::vector<std::string>& asked) {
  std::vector<ShownCase> out;
  const auto add = [&](std::size_t place, const char* why) {
    if (std::ranges::find(out, place, &ShownCase::place) == out.end()) out.push_back({place, why});
  };
  for (const std::string& id : asked) {
    const auto found = std::ranges::lower_bound(study.ids, id);
    if (found == study.ids.end() || *found != id)
      throw Error(Error::Kind::usage,
                  "--cases: no file has a case '" + id + "'" + did_you_mean(id, study.ids));
    add(static_cast<std::size_t>(found - study.ids.begin()), "asked for");
  }
  const std::vector<std::size_t> order = from_worst_to_best(study, metric);
  if (order.empty()) return out;
  constexpr std::size_t worst = 3;
  add(order.front(), "worst");
  add(order.back(), "best");
  add(order[order.size() / 2], "median");
  for (std::size_t i = 1; i < std::min(worst, order.size()); ++i)
    add(order[i], i == 1 ? "second worst" : "third worst");
  return out;
}

VolumeReading read_volumes(const Study& study, const VolumeRequest& request) {
  const FilesOfModels files = files_of_models(study, request);
  std::vector<std::optional<CaseVolume>> read(request.cases.size());
  std::vector<std::string> failures(request.cases.size());
  run_tasks(request.executor, request.cases.size(), [&](std::size_t i) {
    const ShownCase& shown = request.cases[i];
    try {
      read[i] = read_one(study, shown, sources_of(study.ids[shown.place], files), request.roots);
    } catch (const Error& error) {
      failures[i] = error.what();
    }
  });
  VolumeReading out;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i]) {
      out.volumes.push_back(std::move(*read[i]));
      continue;
    }
    out.asked_and_absent += request.cases[i].why == "asked for";
    out.notes.push_back("no images of case " + study.ids[request.cases[i].place] + ": " +
                        failures[i]);
  }
  return out;
}

}  // namespace assay
