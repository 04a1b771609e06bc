// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/cohort.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom_series.hpp"
#include "assay/image/folder.hpp"
#include "assay/image/formats.hpp"
#include "assay/image/label_table.hpp"
#include "assay/results/foreign/bids_derivatives.hpp"
#include "assay/results/group_table.hpp"
#include "assay/score.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/grand_challenge.hpp"
#include "assay/score/pairing.hpp"
#include "assay/score/plan_labels.hpp"
#include "assay/score/split_volumes.hpp"
#include "assay/score/structure_plan.hpp"
#include "assay/score/swapped_sides.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// The reference is kept because it says how large the image is.
CasePlan lost_prediction(const CohortRequest& request, const std::string& id,
                         const std::string& reference) {
  return {.id = id,
          .reference = reference,
          .files = {{"", {}, request.reference / reference}},
          .fate = metrics::Fate::missing_prediction,
          .error = "there is no " + request.side + " for the reference " + reference};
}

CasePlan lost_reference(const CohortRequest& request, const std::string& id,
                        const std::string& prediction) {
  return {.id = id,
          .prediction = prediction,
          .fate = metrics::Fate::missing_reference,
          .error = "there is no reference for the " + request.side + " " + prediction};
}

/// nnU-Net and others write an array of probabilities next to an image of the same name. The two
/// are one prediction, and the image is used. A pattern can select the arrays.
std::vector<std::string> without_copies(const std::vector<std::string>& paths) {
  std::map<std::string_view, std::size_t> images;
  const auto is_array = [](const std::string& path) {
    return kind_of_image(path) == ImageKind::array;
  };
  for (const std::string& path : paths)
    if (!is_array(path)) ++images[without_image_ending(path)];
  std::vector<std::string> out;
  for (const std::string& path : paths)
    if (!is_array(path) || !images.contains(without_image_ending(path))) out.push_back(path);
  return out;
}

void must_exist(const fs::path& path, const std::string& side) {
  if (!fs::exists(path) && !is_series(path))
    throw Error(Error::Kind::io, path, "no such file or folder; it was given as the " + side);
}

/// What may be taken from a folder: any mask, only masks by BIDS names, or scans to run a model on.
enum class ImagesWanted { masks, bids_segmentations, scans };

/// The images of one side that may be scored.
std::vector<NamedFile> files_in(const fs::path& root, const std::string& pattern,
                                ImagesWanted wanted) {
  auto paths = wanted == ImagesWanted::scans ? require_scans(root) : require_images(root);
  if (wanted == ImagesWanted::bids_segmentations) {
    std::erase_if(paths, [](const std::string& path) {
      return !results::is_bids_segmentation(without_image_ending(path));
    });
    if (paths.empty())
      throw Error(Error::Kind::input, root,
                  "has no segmentations by the names of BIDS: _mask, _dseg or _probseg");
  }
  return pattern.empty() ? named_files(without_copies(without_illustrations(paths)))
                         : matching_files(paths, pattern);
}

std::vector<CasePlan> cases_of_pairing(const CohortRequest& request, const Pairing& pairing) {
  std::vector<CasePlan> cases;
  for (const Pair& pair : pairing.pairs)
    cases.push_back({.id = pair.id,
                     .prediction = pair.prediction.path,
                     .reference = pair.reference.path,
                     .files = {{"", request.prediction / pair.prediction.path,
                                request.reference / pair.reference.path}}});
  for (const NamedFile& f : pairing.without_prediction)
    cases.push_back(lost_prediction(request, f.stem, f.path));
  for (const NamedFile& f : pairing.without_reference)
    cases.push_back(lost_reference(request, f.stem, f.path));
  return cases;
}

using Structures = std::map<std::string, std::string>;  // label -> path

std::map<std::string, Structures> by_case(const std::vector<NamedFile>& files) {
  std::map<std::string, Structures> out;
  for (const NamedFile& f : files)
    if (!out[f.stem].try_emplace(f.label, f.path).second)
      throw Error(Error::Kind::input, "case " + f.stem + " has two files for " + f.label + ", " +
                                          out[f.stem][f.label] + " and " + f.path);
  return out;
}

/// Every structure that some reference has is expected in every case. A structure that lacks its
/// prediction or its reference is missing on its own, without failing the case.
CasePlan case_of_structures(const CohortRequest& request, const std::string& id,
                            const Structures& predictions, const Structures& references,
                            const std::set<std::string>& expected) {
  CasePlan plan = {.id = id,
                   .prediction = fs::path(predictions.begin()->second).parent_path().string(),
                   .reference = fs::path(references.begin()->second).parent_path().string()};
  for (const std::string& label : expected) {
    const auto prediction = predictions.find(label), reference = references.find(label);
    FilePair& files = plan.files.emplace_back(FilePair{label, {}, {}});
    if (prediction != predictions.end()) files.prediction = request.prediction / prediction->second;
    if (reference != references.end()) files.reference = request.reference / reference->second;
  }
  return plan;
}

/// One file per structure, in one folder per case. Every structure is a region of its case.
std::vector<CasePlan> cases_of_structures(const CohortRequest& request,
                                          const std::vector<NamedFile>& predictions,
                                          const std::vector<NamedFile>& references,
                                          std::vector<std::string>& notes) {
  const auto of_predictions = by_case(predictions), of_references = by_case(references);
  std::set<std::string> expected, extra;
  for (const NamedFile& f : references) expected.insert(f.label);
  for (const NamedFile& f : predictions)
    if (!expected.contains(f.label)) extra.insert(f.label);
  for (const std::string& label : extra)
    notes.push_back("structure " + label + " has no reference in any case and is not scored");
  std::vector<CasePlan> cases;
  for (const auto& [id, structures] : of_references) {
    const auto found = of_predictions.find(id);
    const Structures& of_case = structures;  // clang 14 captures no structured binding
    const bool has_any = found != of_predictions.end() &&
                         std::ranges::any_of(found->second, [&](const auto& structure) {
                           return of_case.contains(structure.first);
                         });
    cases.push_back(!has_any
                        ? lost_prediction(request, id, structures.begin()->second)
                        : case_of_structures(request, id, found->second, structures, expected));
  }
  for (const auto& [id, structures] : of_predictions)
    if (!of_references.contains(id))
      cases.push_back(lost_reference(request, id, structures.begin()->second));
  return cases;
}

bool names_structures(const std::string& pattern) {
  return pattern.find("{label}") != std::string::npos;
}

/// Pairs files by name.
std::vector<CasePlan> cases_of_names(const CohortRequest& request,
                                     const std::vector<NamedFile>& predictions,
                                     const std::vector<NamedFile>& references,
                                     std::vector<std::string>& notes) {
  const PairingWords words =
      request.grand_challenge ? PairingWords{"job", false} : PairingWords{request.side};
  Pairing pairing = paired(predictions, references, words);
  if (pairing.pairs.empty()) {
    const NamedFile &prediction = predictions.front(), &reference = references.front();
    throw Error(Error::Kind::input,
                request.grand_challenge
                    ? "no reference is named after the input image of a job (" + reference.path +
                          " and " + prediction.stem +
                          ", for example); say how with --ref-pattern, such as '{id}_seg.nii.gz'"
                    : "no " + request.side + " matches a reference by name (" + prediction.path +
                          " and " + reference.path +
                          ", for example); say how with --pred-pattern and --ref-pattern, such as "
                          "'{id}_seg.nii.gz'");
  }
  if (!pairing.rule.ends_with("same name")) notes.push_back("paired " + pairing.rule);
  if (request.reference_pattern.empty()) name_by_entities(pairing);  // a pattern's {id} wins
  return cases_of_pairing(request, pairing);
}

/// The images of a folder, each represented by its first channel.
std::vector<NamedFile> images_in(const CohortRequest& request, std::vector<ChannelFiles>& images) {
  images = group_images(request,
                        without_copies(without_illustrations(require_scans(request.prediction))));
  return first_channels(images, request.prediction_pattern);
}

std::vector<CasePlan> cases_of_folders(const CohortRequest& request,
                                       std::vector<std::string>& notes) {
  const auto masks =
      request.segmentations_only ? ImagesWanted::bids_segmentations : ImagesWanted::masks;
  const bool is_scan = request.side == "image";
  std::vector<ChannelFiles> images;
  auto predictions = is_scan && request.channels != 1
                         ? images_in(request, images)
                         : files_in(request.prediction, request.prediction_pattern,
                                    is_scan ? ImagesWanted::scans : masks);
  auto references = files_in(request.reference, request.reference_pattern, masks);
  if (request.prediction_pattern.empty() && request.reference_pattern.empty())
    name_dicom(request, predictions, references, notes);
  const bool structures = names_structures(request.prediction_pattern);
  if (structures != names_structures(request.reference_pattern))
    throw Error(Error::Kind::usage,
                "{label} is in only one pattern; give it in --pred-pattern and --ref-pattern, "
                "such as '{id}/{label}.nii.gz'");
  if (structures) return cases_of_structures(request, predictions, references, notes);
  std::vector<CasePlan> cases = cases_of_names(request, predictions, references, notes);
  add_channels(cases, request.prediction, images);
  return cases;
}

/// A job's output belongs to the reference that is named after the job's input image.
std::vector<CasePlan> cases_of_jobs(const CohortRequest& request, std::vector<std::string>& notes) {
  const auto jobs = read_jobs(request.prediction, *request.grand_challenge);
  must_exist(request.reference, "reference");
  const auto references =
      files_in(request.reference, request.reference_pattern, ImagesWanted::masks);
  std::vector<CasePlan> cases = cases_of_names(request, jobs, references, notes);
  for (CasePlan& plan : cases)
    if (plan.fate == metrics::Fate::scored) find_output(plan, request.prediction);
  return cases;
}

std::vector<CasePlan> case_of_files(const CohortRequest& request) {
  const std::string name = request.reference.filename().string();
  return {{.id = std::string(without_image_ending(name)),
           .prediction = request.prediction.filename().string(),
           .reference = name,
           .files = {{"", request.prediction, request.reference}}}};
}

// ---- Manifest -------------------------------------------------------------------------------

std::size_t needed_column(const Csv& table, const std::string& name, const CohortRequest& request) {
  if (const auto column = table.column(name)) return *column;
  throw Error(Error::Kind::input, request.manifest,
              "has no column '" + name + "'; a manifest has id, " + request.side +
                  ", reference, and any others as groups");
}

/// A path of the manifest: absolute, relative to the given root, or relative to the manifest.
fs::path located(const std::string& text, const fs::path& root, const fs::path& manifest) {
  return (root.empty() ? manifest.parent_path() : root) / text;
}

/// One file, or one file per channel of an image.
std::vector<fs::path> files_of_manifest(const std::string& text, const CohortRequest& request) {
  const fs::path root = located("", request.prediction, request.manifest);
  return request.side == "image" ? listed_channels(text, root)
                                 : std::vector{located(text, request.prediction, request.manifest)};
}

std::vector<CasePlan> cases_of_manifest(const CohortRequest& request) {
  const Csv table = parse_csv(read_text(request.manifest), request.manifest.string());
  const std::size_t id = needed_column(table, "id", request);
  const std::size_t prediction = needed_column(table, request.side, request);
  const std::size_t reference = needed_column(table, "reference", request);
  std::vector<CasePlan> cases;
  const auto is_there = [](const fs::path& path) {
    std::error_code
        absent;  // set when absent, when the name is too long, or when the folder is not accessible
    return fs::exists(path, absent) || is_series(path);
  };
  for (const auto& row : table.rows) {
    if (row[id].empty())
      throw Error(Error::Kind::input, request.manifest, "a case has no id; give every line one");
    CasePlan plan = {.id = row[id], .prediction = row[prediction], .reference = row[reference]};
    for (std::size_t c = 0; c < row.size(); ++c)
      if (c != id && c != prediction && c != reference)
        plan.groups.emplace_back(table.header[c], row[c]);
    const auto images = files_of_manifest(row[prediction], request);
    const fs::path& p = images.front();
    const fs::path r = located(row[reference], request.reference, request.manifest);
    if (row[reference].empty() || !is_there(r)) {
      plan.fate = metrics::Fate::missing_reference;
      plan.error = "the reference '" + row[reference] + "' of the manifest does not exist";
    } else if (const auto lost = std::ranges::find_if_not(images, is_there);
               row[prediction].empty() || lost != images.end()) {
      plan.fate = metrics::Fate::missing_prediction;
      plan.error = "the " + request.side + " '" +
                   (images.size() == 1 ? row[prediction] : lost->filename().string()) +
                   "' of the manifest does not exist";
    }
    plan.files = {{"", p, r}};
    if (images.size() > 1) plan.prediction = parts_of(row[prediction], ';').front();
    for (std::size_t c = 1; c < images.size(); ++c)
      plan.files.front().channels.push_back(images[c].string());
    cases.push_back(std::move(plan));
  }
  if (cases.empty())
    throw Error(Error::Kind::input, request.manifest, "the manifest lists no case");
  return cases;
}

// ---------------------------------------------------------------------------------------------

/// The folder that the paths of one side are relative to.
fs::path root_of(const fs::path& given, const fs::path& manifest) {
  fs::path root = given.empty() ? manifest.parent_path() : given;
  if (manifest.empty() && !is_cohort_folder(root)) root = root.parent_path();
  return root.empty() ? "." : root;
}

std::vector<CasePlan> cases_of(const CohortRequest& request, std::vector<std::string>& notes) {
  if (!request.manifest.empty()) return cases_of_manifest(request);
  if (request.grand_challenge) return cases_of_jobs(request, notes);
  must_exist(request.prediction, request.side);
  must_exist(request.reference, "reference");
  // A folder may hold the slices of a single image.
  const bool is_scan = request.side == "image" && !is_cohort_folder(request.reference) &&
                       is_series(request.prediction);
  const bool folders = is_cohort_folder(request.prediction) && !is_scan;
  if (folders != is_cohort_folder(request.reference))
    throw Error(Error::Kind::usage, "the prediction is a " +
                                        std::string(folders ? "folder" : "file") +
                                        " and the reference a " + (folders ? "file" : "folder") +
                                        "; give two files, two folders, or --manifest");
  return folders ? cases_of_folders(request, notes) : case_of_files(request);
}

void refuse_repeated_ids(const std::vector<CasePlan>& cases, const fs::path& manifest) {
  const std::string where = manifest.empty() ? "" : manifest.string() + ": ";
  for (std::size_t i = 1; i < cases.size(); ++i)
    if (cases[i].id == cases[i - 1].id)
      throw Error(Error::Kind::input,
                  where + "case " + cases[i].id + " is listed twice; ids must be unique");
}

/// Adds the columns of a table to those of a manifest, if there is one.
void add_groups(Cohort& cohort, const fs::path& path) {
  const results::GroupTable groups(path);
  std::vector<std::string> ids;
  for (const CasePlan& plan : cohort.cases) ids.push_back(plan.id);
  const auto without = groups.without_row(ids);
  if (!without.empty()) {
    const std::string trouble = "--groups: " + groups.trouble(without, ids.size());
    if (without.size() == ids.size())
      throw Error(Error::Kind::input, trouble + "; spell them the same way");
    cohort.warnings.push_back(trouble);
  }
  for (CasePlan& plan : cohort.cases)
    for (std::size_t c = 0; c < groups.columns().size(); ++c) {
      const std::string& column = groups.columns()[c];
      const auto* const row = groups.values_of(plan.id);
      std::erase_if(plan.groups, [&](const auto& group) { return group.first == column; });
      plan.groups.emplace_back(column, row == nullptr ? "" : (*row)[c]);
    }
}

std::string model_name(const CohortRequest& request) {
  if (!request.model_name.empty()) return request.model_name;
  fs::path path = request.prediction.empty() ? request.manifest : request.prediction;
  path = fs::absolute(path).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "preds/" is "preds"
  const std::string name = path.filename().string();
  const std::string ending(image_ending(name));
  return ending.empty() && path.has_extension() && !is_cohort_folder(path)
             ? path.stem().string()
             : name.substr(0, name.size() - ending.size());
}

/// Tells a user who asks for another tool's numbers which metrics that tool does not define.
void note_coverage(const metrics::ScoreSettings& settings, std::vector<std::string>& notes) {
  const std::string keys = joined(metrics::not_covered(*settings.convention, settings.metrics));
  if (!keys.empty())
    notes.push_back("convention " + std::string(settings.convention->name) + " does not cover " +
                    keys + "; these values are assay's own");
}

}  // namespace

Cohort plan_cohort(const CohortRequest& request, metrics::ScoreSettings settings) {
  Cohort cohort = {.settings = std::move(settings), .cases = {}, .notes = {}};
  cohort.settings.model_name = model_name(request);
  // Skipped for images that a model is to be run on, which look like neither side.
  if (request.manifest.empty() && request.side == "prediction")
    if (const auto warning = swap_warning(request)) cohort.warnings.push_back(*warning);
  cohort.cases = cases_of(request, cohort.notes);
  const fs::path first = root_of(request.prediction, request.manifest);
  (request.side == "image" ? cohort.roots.image : cohort.roots.prediction) = first;
  cohort.roots.reference = root_of(request.reference, request.manifest);
  std::ranges::sort(cohort.cases, {}, &CasePlan::id);
  refuse_repeated_ids(cohort.cases, request.manifest);
  if (request.side == "prediction")
    split_volumes(cohort);
  else if (cohort.settings.volumes != metrics::VolumeRule::automatic)
    throw Error(Error::Kind::usage,
                "--volumes applies to prediction files; a model's predictions have one volume");
  if (!request.groups.empty()) add_groups(cohort, request.groups);
  if (!request.colors.empty()) cohort.settings.pictures.colors = read_color_table(request.colors);
  if (!have_contours(cohort.cases)) cohort.settings.contours.reset();
  settle_labels(request, cohort.cases, cohort.settings, cohort.notes);
  name_by_segments(request, cohort);
  cohort.labels_were_asked_for = asks_for_labels(request);
  if (!cohort.labels_were_asked_for && !requires_probability(cohort.settings))
    split_by_structure(cohort.cases, cohort.notes);
  note_coverage(cohort.settings, cohort.notes);
  if (auto structures = structure_regions(cohort.cases); !structures.empty()) {
    color_structures(cohort.cases, structures);
    if (cohort.labels_were_asked_for || cohort.settings.ignored)
      throw Error(Error::Kind::usage,
                  cohort.settings.volumes == metrics::VolumeRule::labels
                      ? "--volumes labels scores every volume as a label of its own; drop "
                        "--labels, --region and --ignore-label"
                      : "structures are matched by name (from DICOM, or {label} in the patterns); "
                        "drop --labels, --region and --ignore-label");
    cohort.settings.regions = std::move(structures);
    if (!request.label_names.empty()) name_by_table(request.label_names, cohort.settings.regions);
  }
  return cohort;
}

std::vector<std::filesystem::path> input_files(const Cohort& cohort) {
  std::vector<fs::path> files;
  for (const CasePlan& plan : cohort.cases)
    for (const FilePair& pair : plan.files)
      for (const auto& each : {image_files(pair), {pair.reference}})
        files.insert(files.end(), each.begin(), each.end());
  return files;
}

}  // namespace assay::score
