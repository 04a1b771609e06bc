// SPDX-License-Identifier: Apache-2.0
#include "assay/score/structure_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/dicom_series.hpp"
#include "assay/image/label_table.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// A file of a folder, and its own description if it is DICOM.
struct Described {
  NamedFile file;
  std::optional<DicomSummary> summary{};
};

/// A file that cannot be read keeps its name. Scoring will report why.
std::optional<DicomSummary> summary_of(const fs::path& path) try {
  return read_dicom_summary(path);
} catch (const Error& e) {
  if (e.kind() == Error::Kind::unsupported) throw;
  return std::nullopt;
}

/// The summary of a series' first slice, or of a single DICOM image.
std::optional<DicomSummary> summary_of_scan(const fs::path& path) try {
  if (class_of_file(path)) return summary_of(path);
  return is_series(path) ? summary_of(find_series_at(path).files.front()) : std::nullopt;
} catch (const Error& e) {
  if (e.kind() == Error::Kind::unsupported) throw;
  return std::nullopt;
}

std::vector<Described> described_scans(const std::vector<NamedFile>& files, const fs::path& root) {
  std::vector<Described> out;
  out.reserve(files.size());
  for (const NamedFile& file : files) out.push_back({file, summary_of_scan(root / file.path)});
  return out;
}

std::vector<Described> described(const std::vector<NamedFile>& files, const fs::path& root) {
  std::vector<Described> out;
  for (const NamedFile& file : files) {
    const auto found = class_of_file(root / file.path);
    if (!found)
      out.push_back({file});
    else if (is_structure_class(*found))
      out.push_back({file, summary_of(root / file.path)});
  }
  if (out.empty())
    throw Error(Error::Kind::input, root,
                "holds DICOM images and neither a segmentation nor an RTSTRUCT");
  return out;
}

bool are_all_dicom(const std::vector<Described>& files) {
  return !files.empty() &&
         std::ranges::all_of(files, [](const Described& d) { return d.summary.has_value(); });
}

using Field = std::string DicomSummary::*;

/// The field that a file is named by; "" for the name of the file.
Field field_of(DicomId id) {
  switch (id) {
    case DicomId::study: return &DicomSummary::study_uid;
    case DicomId::patient: return &DicomSummary::patient_id;
    case DicomId::patient_name: return &DicomSummary::patient_name;
    case DicomId::automatic:
    case DicomId::file: return nullptr;
  }
  __builtin_unreachable();
}

/// Several objects of one study are distinguished by the series that they were drawn on.
std::vector<NamedFile> named_by(const std::vector<Described>& files, Field field, bool by_series) {
  std::vector<NamedFile> out;
  for (const Described& each : files) {
    NamedFile file = each.file;
    if (each.summary && field != nullptr && !(*each.summary.*field).empty()) {
      file.stem = *each.summary.*field;
      if (by_series) file.stem += "/" + each.summary->referenced_series_uid;
    }
    out.push_back(std::move(file));
  }
  return out;
}

bool has_repeats(const std::vector<NamedFile>& files) {
  std::set<std::string> stems;
  return !std::ranges::all_of(files,
                              [&](const NamedFile& f) { return stems.insert(f.stem).second; });
}

bool have_common_stem(const std::vector<NamedFile>& a, const std::vector<NamedFile>& b) {
  return std::ranges::any_of(a, [&](const NamedFile& file) {
    return std::ranges::find(b, file.stem, &NamedFile::stem) != b.end();
  });
}

std::string listed_names(const std::vector<StructureName>& names) {
  constexpr std::size_t most = 8;
  std::vector<std::string> out;
  for (const StructureName& each : names)
    if (out.size() < most) out.push_back(each.name);
  if (names.size() > most) out.push_back("…");
  return joined(out);
}

/// The structure names of a case on both sides.
struct NamesOfCase {
  CasePlan* plan;
  std::vector<StructureName> prediction, reference;
};

std::vector<NamesOfCase> names_of_cases(std::vector<CasePlan>& cases) {
  std::vector<NamesOfCase> out;
  for (CasePlan& plan : cases) {
    if (plan.fate != metrics::Fate::scored || plan.files.size() != 1) continue;
    const FilePair& files = plan.files.front();
    if (!files.region.empty() || !holds_structures(files.prediction) ||
        !holds_structures(files.reference))
      continue;
    const auto prediction = summary_of(files.prediction), reference = summary_of(files.reference);
    if (prediction && reference)
      out.push_back({&plan, prediction->structures, reference->structures});
  }
  return out;
}

/// One spelling for names that differ only in letter case: that of the first reference.
std::map<std::string, std::string> spellings(const std::vector<NamesOfCase>& cases) {
  std::map<std::string, std::string> out;
  for (const NamesOfCase& each : cases)
    for (const StructureName& name : each.reference)
      out.try_emplace(ascii_lowered(name.name), name.name);
  return out;
}

/// The names and colours in a file of structures; nothing for other files.
std::vector<StructureName> names_in(const std::string& file) try {
  std::vector<StructureName> out;
  for (const Segment& segment : read_segments(file))
    out.push_back({segment.row.label, segment.row.name, "", segment.row.color});
  return holds_structures(file) ? read_structure_names(file) : out;
} catch (const Error&) {  // scoring will report what is wrong
  return {};
}

/// Matches by the name of the structure. Regions that have a colour keep it.
void color_from(const std::vector<StructureName>& names, std::vector<metrics::Region>& regions) {
  for (metrics::Region& region : regions) {
    const std::string wanted = ascii_lowered(region.name);
    const auto found = std::ranges::find_if(
        names, [&](const StructureName& each) { return ascii_lowered(each.name) == wanted; });
    if (found != names.end() && !region.color) region.color = found->color;
  }
}

}  // namespace

bool has_structures(const FilePair& files) {
  return holds_structures(files.prediction) || holds_structures(files.reference);
}

StructureReading structure_reading(const metrics::ScoreSettings& settings,
                                   const std::optional<Grid>& target) {
  const ContourSettings contours = settings.contours.value_or(ContourSettings{});
  StructureReading out = {.threshold = settings.threshold,
                          .target = target,
                          .rule = contours.rule,
                          .gaps = contours.gaps};
  out.image_folders.assign(settings.image_folders.begin(), settings.image_folders.end());
  return out;
}

std::vector<FileGroup> file_groups(const CasePlan& plan, metrics::CaseRecord& record) {
  std::vector<FileGroup> out;
  for (const FilePair& files : plan.files) {
    if (files.prediction.empty() || files.reference.empty()) {
      (files.reference.empty() ? record.without_reference : record.without_prediction)
          .push_back(files.region);
      continue;
    }
    const bool same = !out.empty() && out.back().files->prediction == files.prediction &&
                      out.back().files->reference == files.reference && has_structures(files);
    if (!same) out.push_back({&files, {}});
    if (!files.region.empty()) out.back().keys.push_back(files.region);
  }
  return out;
}

void name_dicom(const CohortRequest& request, std::vector<NamedFile>& predictions,
                std::vector<NamedFile>& references, std::vector<std::string>& notes) {
  const auto of_predictions = request.side == "image"
                                  ? described_scans(predictions, request.prediction)
                                  : described(predictions, request.prediction);
  const auto of_references = described(references, request.reference);
  const auto name = [&](Field field, bool by_series) {
    predictions = named_by(of_predictions, field, by_series);
    references = named_by(of_references, field, by_series);
  };
  if (request.dicom_id != DicomId::automatic) return name(field_of(request.dicom_id), false);
  const bool are_dicom = are_all_dicom(of_predictions) && are_all_dicom(of_references);
  if (!are_dicom) return name(nullptr, false);
  name(&DicomSummary::study_uid, false);
  if (!have_common_stem(predictions, references)) {
    name(&DicomSummary::patient_id, false);
    if (have_common_stem(predictions, references)) notes.emplace_back("paired by PatientID");
  } else if (has_repeats(predictions) || has_repeats(references)) {
    name(&DicomSummary::study_uid, true);
  }
}

void split_by_structure(std::vector<CasePlan>& cases, std::vector<std::string>& notes) {
  const std::vector<NamesOfCase> named = names_of_cases(cases);
  const auto spelled = spellings(named);
  bool any = false;
  std::set<std::string> extra;
  for (const NamesOfCase& each : named) {
    const FilePair files = each.plan->files.front();
    each.plan->files.clear();
    for (const auto& [lowered, name] : spelled) {
      FilePair& pair = each.plan->files.emplace_back(FilePair{name, {}, {}});
      if (numbers_named(each.reference, name).empty()) continue;
      pair.reference = files.reference;
      if (numbers_meant(each.prediction, each.reference, name).empty()) continue;
      pair.prediction = files.prediction;
      any = true;
    }
    for (const StructureName& name : each.prediction)
      if (!spelled.contains(ascii_lowered(name.name)) &&
          std::ranges::none_of(each.reference, [&](const StructureName& r) {
            return std::ranges::count(numbers_meant(each.prediction, each.reference, r.name),
                                      name.number) > 0;
          }))
        extra.insert(name.name);
  }
  for (const std::string& name : extra)
    notes.push_back("structure " + name + " has no reference in any case and is not scored");
  if (any || named.empty()) return;
  throw Error(Error::Kind::input,
              "predictions and references have no structure with the same name or code (" +
                  listed_names(named.front().prediction) + " against " +
                  listed_names(named.front().reference) +
                  "); give --labels all to match them by number");
}

bool have_contours(const std::vector<CasePlan>& cases) {
  return std::ranges::any_of(cases, [](const CasePlan& plan) {
    return std::ranges::any_of(plan.files, [](const FilePair& files) {
      return class_of_file(files.prediction) == contours_class ||
             class_of_file(files.reference) == contours_class;
    });
  });
}

std::vector<metrics::Region> structure_labels(const std::vector<CasePlan>& cases) {
  std::vector<metrics::Region> out;
  for (const CasePlan& plan : cases)
    for (const FilePair& files : plan.files)
      for (const std::string& file : {files.reference, files.prediction}) {
        if (!holds_structures(file)) continue;
        if (const auto summary = summary_of(file))
          for (const StructureName& each : summary->structures)
            out.push_back({std::to_string(each.number), each.name, {each.number}});
        if (out.empty()) continue;
        color_from(names_in(file), out);
        return out;
      }
  return out;
}

void color_structures(const std::vector<CasePlan>& cases, std::vector<metrics::Region>& regions) {
  constexpr std::size_t most_files = 16;  // further files have the same colours
  std::set<std::string> seen;
  for (const CasePlan& plan : cases)
    for (const FilePair& files : plan.files)
      for (const std::string& file : {files.reference, files.prediction}) {
        const bool is_known = std::ranges::all_of(
            regions, [](const metrics::Region& region) { return region.color.has_value(); });
        if (is_known || seen.size() >= most_files) return;
        if (!file.empty() && seen.insert(file).second) color_from(names_in(file), regions);
      }
}

}  // namespace assay::score
