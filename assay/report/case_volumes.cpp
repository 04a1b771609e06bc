// SPDX-License-Identifier: Apache-2.0
#include "assay/report/case_volumes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "assay/base/bids.hpp"
#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom_series.hpp"
#include "assay/image/folder.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/region_volume.hpp"
#include "assay/score/channels.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

std::vector<fs::path> candidates(const WantedFile& wanted, const fs::path& results) {
  if (!wanted.given.empty())
    return {wanted.given / wanted.model / wanted.shown, wanted.given / wanted.shown};
  std::vector<fs::path> out = {results.parent_path() / wanted.shown};
  if (!wanted.recorded.empty()) out.insert(out.begin(), wanted.recorded / wanted.shown);
  return out;
}

}  // namespace

fs::path locate_file(const WantedFile& wanted, const fs::path& results) {
  if (wanted.shown.empty())
    throw Error(Error::Kind::input, results.string() + ": names no file for this case");
  bool other_content = false;
  for (const fs::path& path : candidates(wanted, results)) {
    if (!is_file(path) && !is_series(path)) continue;
    if (wanted.sha256.empty() || score::has_content(path, wanted.sha256)) return path;
    other_content = true;
  }
  throw Error(Error::Kind::input,
              wanted.shown +
                  (other_content ? ": is not the file that was scored" : ": is not found") +
                  "; name the folders with --predictions and --references");
}

std::optional<std::string> image_of(const std::string& id, const std::vector<std::string>& images) {
  const auto begins = [&](const std::string& image) {
    constexpr std::string_view separators = "_./";
    return image.starts_with(id) && image.size() > id.size() &&
           separators.find(image[id.size()]) != separators.npos;
  };
  if (images == std::vector<std::string>{"."}) return ".";  // the folder itself is one image
  for (const std::string& image : images)
    if (without_image_ending(image) == id) return image;
  const auto found = std::ranges::find_if(images, begins);
  if (found != images.end()) return *found;
  const auto stated = std::ranges::find_if(images, [wanted = entities(id)](const auto& image) {
    return wanted.contains("sub") &&
           std::ranges::includes(entities(without_image_ending(image)), wanted);
  });
  return stated == images.end() ? std::nullopt : std::optional(*stated);
}

namespace {

namespace fs = std::filesystem;

/// The mean over models, with its sign chosen so that more is better; nothing if no model has a
/// value.
std::vector<std::optional<double>> mean_gains(const Study& study, const std::string& metric) {
  const metrics::Better better = direction_of(study, metric);
  std::vector<double> sums(study.ids.size());
  std::vector<std::size_t> counts(study.ids.size());
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const compare::MetricColumn* column = compare::column_of(shown_columns(study, m), metric);
    if (column == nullptr) continue;
    const std::vector<std::size_t> places = places_in_study(study, m);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (column->values[i] && std::isfinite(*column->values[i])) {
        sums[places[i]] += gain_of(*column->values[i], better);
        ++counts[places[i]];
      }
  }
  std::vector<std::optional<double>> out(study.ids.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (counts[i] != 0) out[i] = sums[i] / static_cast<double>(counts[i]);
  return out;
}

/// Every case with a value, the worst first; ties are ordered by id.
std::vector<std::size_t> from_worst_to_best(const Study& study, const std::string& metric) {
  const auto gains = mean_gains(study, metric);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (gains[i]) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *gains[i]; });
  return order;
}

/// Where the images of one case are recorded: in the results file of each model that has the case.
struct CaseSources {
  struct OfModel {
    std::size_t model;
    const metrics::CaseRecord& files;
    const results::SegmentationFile& scored;
  };
  std::vector<OfModel> models{};
};

using FilesOfModels = std::vector<results::SegmentationFile>;

/// How a results file spells the id of a case of the study.
std::string id_in_file(const compare::ResultTable& table, const std::string& id) {
  if (table.file_ids.empty()) return id;
  const auto found = std::ranges::find(table.ids, id);
  return found == table.ids.end()
             ? id
             : table.file_ids[static_cast<std::size_t>(found - table.ids.begin())];
}

FilesOfModels read_files_of_models(const Study& study, const Executor& executor) {
  FilesOfModels out(study.models.size());
  run_tasks(executor, out.size(), [&](std::size_t m) {
    const std::string& source = study.models[m].source;
    try {
      if (auto file = results::segmentation_in(read_text(source), source))
        out[m] = *std::move(file);
    } catch (const Error&) {
      out[m] = {};  // its values were read before as a table; only its images cannot be found
    }
  });
  return out;
}

CaseSources sources_of(const Study& study, const std::string& id, const FilesOfModels& files) {
  CaseSources out;
  for (std::size_t m = 0; m < files.size(); ++m) {
    const std::string wanted = id_in_file(study.models[m], id);
    const auto found = std::ranges::find_if(
        files[m].cases, [&](const results::SavedCase& one) { return one.record.id == wanted; });
    if (found != files[m].cases.end()) out.models.push_back({m, found->record, files[m]});
  }
  return out;
}

/// Reads the predictions that can be read and notes why others cannot.
void read_predictions(const Study& study, const CaseSources& sources, const ImageRoots& roots,
                      RegionCase& into) {
  for (const CaseSources::OfModel& one : sources.models) {
    const compare::ResultTable& table = study.models[one.model];
    try {
      const fs::path path = locate_file({.shown = one.files.prediction,
                                         .sha256 = one.files.prediction_sha256,
                                         .recorded = one.scored.provenance.roots.prediction,
                                         .given = roots.predictions,
                                         .model = table.model_name},
                                        table.source);
      into.add_prediction(one.model, path);
    } catch (const Error& error) {
      into.note(table.model_name + ": " + error.what());
    }
  }
}

/// Adds the image that a model was given, if a results file names it. A missing file is only noted.
void add_recorded_image(const Study& study, const CaseSources& sources, RegionCase& into) {
  for (const CaseSources::OfModel& one : sources.models) {
    if (one.files.image.empty() || one.scored.provenance.roots.image.empty()) continue;
    try {
      into.add_image(locate_file({.shown = one.files.image,
                                  .sha256 = one.files.image_sha256,
                                  .recorded = one.scored.provenance.roots.image},
                                 study.models[one.model].source));
      return;
    } catch (const Error& error) {
      into.note(error.what());
    }
  }
}

CaseVolume read_one(const Study& study, const ShownCase& shown, const CaseSources& sources,
                    const ImageRoots& roots, const std::vector<std::string>& images) {
  if (sources.models.empty())
    throw Error(Error::Kind::input, "its results files name no images; 'assay score' writes them");
  const CaseSources::OfModel& first = sources.models.front();
  const fs::path reference = locate_file({.shown = first.files.reference,
                                          .sha256 = first.files.reference_sha256,
                                          .recorded = first.scored.provenance.roots.reference,
                                          .given = roots.references},
                                         study.models[first.model].source);
  RegionCase out(reference, first.scored);
  read_predictions(study, sources, roots, out);
  if (roots.images.empty())
    add_recorded_image(study, sources, out);
  else if (const auto image = image_of(study.ids[shown.place], images))
    out.add_image(roots.images / *image);
  else
    out.note("no image in " + roots.images.string() + " is named after this case");
  CaseVolume volume = std::move(out).cropped();
  if (volume.predictions.empty())
    throw Error(Error::Kind::input, "no prediction could be read (" + volume.notes.front() + ")");
  volume.place = shown.place;
  volume.why = shown.why;
  volume.is_spare = shown.is_spare;
  return volume;
}

constexpr const char* asked_for = "asked for";

/// Whether a missing picture should be reported: it was asked for, the user named folders of
/// images, or a results file names its images.
bool is_expected(const VolumeRequest& request, const ShownCase& shown, const CaseSources& sources) {
  const ImageRoots& roots = request.roots;
  if (shown.is_spare) return false;
  if (!roots.images.empty() || !roots.predictions.empty() || !roots.references.empty()) return true;
  return shown.why == asked_for ||
         std::ranges::any_of(sources.models, [](const CaseSources::OfModel& one) {
           return !one.files.reference.empty();
         });
}

/// Cases without a picture whose reasons differ only in the name of the file.
struct Failures {
  std::string reason;  ///< of the first case
  std::vector<std::string> ids;
};

std::string_view without_file(std::string_view reason) {
  const std::size_t colon = reason.find(": ");
  return colon == reason.npos ? reason : reason.substr(colon);
}

void add_failure(std::vector<Failures>& to, const std::string& id, const std::string& reason) {
  const auto found = std::ranges::find_if(
      to, [&](const Failures& each) { return without_file(each.reason) == without_file(reason); });
  if (found == to.end())
    to.push_back({reason, {id}});
  else
    found->ids.push_back(id);
}

std::vector<std::string> failure_notes(const std::vector<Failures>& failures) {
  std::vector<std::string> out;
  for (const Failures& each : failures) {
    std::string note = "no images of case " + each.ids.front();
    if (each.ids.size() > 1) note += " and " + std::to_string(each.ids.size() - 1) + " more";
    out.push_back(note + ": " + each.reason);
  }
  return out;
}

/// Notes a folder of images that has none of the cases, which is probably a mistake of the user.
void note_idle_images(const Study& study, const VolumeRequest& request,
                      const std::vector<std::string>& images, VolumeReading& out) {
  if (request.roots.images.empty()) return;
  const bool is_used = std::ranges::any_of(request.cases, [&](const ShownCase& shown) {
    return image_of(study.ids[shown.place], images).has_value();
  });
  if (!is_used)
    out.notes.push_back("--images: no image in " + request.roots.images.string() +
                        " is named after a case that is shown");
}

}  // namespace

std::optional<std::size_t> worst_case(const Study& study, const std::string& metric) {
  const std::vector<std::size_t> order = from_worst_to_best(study, metric);
  return order.empty() ? std::nullopt : std::optional(order.front());
}

std::vector<ShownCase> shown_cases(const Study& study, const std::string& metric,
                                   const std::vector<std::string>& asked) {
  std::vector<ShownCase> out;
  const auto add = [&](std::size_t place, const char* why) {
    if (std::ranges::find(out, place, &ShownCase::place) == out.end()) out.push_back({place, why});
  };
  const auto is_known = [&](const std::string& id) {
    return std::ranges::binary_search(study.ids, id);
  };
  bool every = false;
  for (const std::string& id : asked) {
    const auto found = std::ranges::lower_bound(study.ids, id);
    if (id == "all" && !is_known(id)) {
      every = true;
      continue;
    }
    if (!is_known(id))
      throw Error(Error::Kind::usage,
                  "--cases: no file has a case '" + id + "'" + did_you_mean(id, study.ids));
    add(static_cast<std::size_t>(found - study.ids.begin()), asked_for);
  }
  const std::vector<std::size_t> order = from_worst_to_best(study, metric);
  if (order.empty()) return out;
  constexpr std::size_t worst = 3;
  add(order.front(), "worst");
  add(order.back(), "best");
  add(order[order.size() / 2], "median");
  for (std::size_t i = 1; i < std::min(worst, order.size()); ++i)
    add(order[i], i == 1 ? "second worst" : "third worst");
  if (every)
    for (const std::size_t place : order) add(place, "");
  return out;
}

VolumeReading read_volumes(const Study& study, const VolumeRequest& request) {
  constexpr std::size_t together = 16;  // cases that are read at once, before their bytes count
  const FilesOfModels files = read_files_of_models(study, request.executor);
  const fs::path& folder = request.roots.images;
  const auto images = folder.empty() ? std::vector<std::string>() : list_scans(folder);
  std::vector<std::optional<CaseVolume>> read(request.cases.size());
  std::vector<std::string> reasons(request.cases.size());
  std::vector<std::size_t> bytes(request.cases.size());
  const bool is_counted = request.cases.size() > together;
  const auto read_case = [&](std::size_t i) {
    const ShownCase& shown = request.cases[i];
    const CaseSources sources = sources_of(study, study.ids[shown.place], files);
    try {
      read[i] = read_one(study, shown, sources, request.roots, images);
      if (is_counted) bytes[i] = volume_blocks(*read[i], i).size();
    } catch (const Error& error) {
      if (is_expected(request, shown, sources)) reasons[i] = error.what();
    }
  };
  VolumeReading out;
  std::size_t done = 0, used = 0;
  while (done < read.size() && used < request.budget_bytes) {
    const std::size_t next = std::min(read.size() - done, together);
    run_tasks(request.executor, next, [&](std::size_t i) { read_case(done + i); });
    for (const std::size_t end = done + next; done < end; ++done) used += bytes[done];
  }
  if (done < read.size()) {
    out.notes.push_back("the images of " + counted(read.size() - done, "further case") +
                        " have no room on this page");
    read.resize(done);
  }
  std::vector<Failures> failures;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i]) {
      out.volumes.push_back(std::move(*read[i]));
      continue;
    }
    out.asked_and_absent += request.cases[i].why == asked_for ? 1U : 0U;
    if (!reasons[i].empty()) add_failure(failures, study.ids[request.cases[i].place], reasons[i]);
  }
  std::ranges::move(failure_notes(failures), std::back_inserter(out.notes));
  note_idle_images(study, request, images, out);
  return out;
}

}  // namespace assay::report
