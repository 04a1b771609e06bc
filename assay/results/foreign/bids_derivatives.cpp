// SPDX-License-Identifier: Apache-2.0
#include "assay/results/foreign/bids_derivatives.hpp"

#include <algorithm>
#include <vector>

#include "assay/base/ascii.hpp"
#include "assay/base/bids.hpp"
#include "assay/base/json.hpp"
#include "assay/base/shortest.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"

namespace assay::results {
namespace {

constexpr const char* bids_version = "1.10.0";
constexpr std::string_view no_value = "n/a";

/// A column that every table has, and its description.
struct FixedColumn {
  const char *name, *description;
};

constexpr FixedColumn fixed_columns[] = {
    {"participant_id", "Participant, as in participants.tsv"},
    {"case_id", "Reference that was scored against, by the entities that tell it from the others"},
    {"label", "Label or region that was scored"},
    {"status", "ok, which mask is empty, or why the case was not scored"}};

template <class Table>
bool contains(const Table& table, std::string_view word) {
  return std::ranges::find(table, word) != std::end(table);
}

std::string_view last_part_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// Folders of a subject that hold images (objects/datatypes).
constexpr std::string_view bids_datatypes[] = {"anat", "dwi", "fmap", "func",
                                               "micr", "mrs", "perf", "pet"};

/// The datatype folder that an image is in; otherwise `anat`, since most images are anatomical.
std::string_view datatype_of(std::string_view stem) {
  for (const std::string_view part : parts_of(stem, '/'))
    if (contains(bids_datatypes, part)) return part;
  return bids_datatypes[0];
}

/// Replaces characters that would break a cell out of its column or line.
std::string cell(std::string_view text) {
  if (text.empty()) return std::string(no_value);
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return out;
}

std::string subject_of(const metrics::CaseRecord& record) {
  const Entities of_case =
      entities(record.reference.empty() ? record.prediction : record.reference);
  const auto found = of_case.find("sub");
  return found == of_case.end() ? "" : "sub-" + found->second;
}

/// The group columns of all cases, in order of first appearance.
std::vector<std::string> group_names(const metrics::SegmentationResult& result) {
  std::vector<std::string> out;
  for (const metrics::CaseScores& scores : result.cases)
    for (const auto& group : scores.record.groups)
      if (!contains(out, group.first)) out.push_back(group.first);
  return out;
}

/// The name of a group's column, made different from all other columns.
std::string group_column(const metrics::SegmentationResult& result, const std::string& name) {
  const auto is_fixed = [&](const FixedColumn& column) { return name == column.name; };
  const auto is_scored = [&](const metrics::ChosenMetric& metric) { return name == metric.key; };
  const bool is_taken = std::ranges::any_of(fixed_columns, is_fixed) ||
                        metrics::metric_of_key(name) ||
                        std::ranges::any_of(result.settings.metrics, is_scored);
  return is_taken ? "group_" + name : name;
}

std::string group_cell(const metrics::Groups& groups, const std::string& name) {
  const auto found = std::ranges::find(groups, name, &metrics::Groups::value_type::first);
  return cell(found == groups.end() ? "" : found->second);
}

std::string status_cell(const metrics::CaseScores& scores, const metrics::LabelScores* label) {
  if (scores.record.fate != metrics::Fate::scored) return cell(metrics::name(scores.record.fate));
  return cell(label->missing ? metrics::name(*label->missing)
                             : metrics::name(metrics::presence(label->evidence.counts)));
}

/// The lines of a table.
class TableLines {
 public:
  explicit TableLines(const metrics::SegmentationResult& result)
      : result_(result), groups_(group_names(result)) {}

  std::string header() const {
    std::vector<std::string> cells;
    for (const FixedColumn& column : fixed_columns) cells.emplace_back(column.name);
    for (const std::string& name : groups_) cells.push_back(cell(group_column(result_, name)));
    for (const metrics::ChosenMetric& metric : result_.settings.metrics)
      cells.push_back(metric.key);
    return joined(cells, "\t") + "\n";
  }

  /// `label` is null for a case that has no scores at all.
  std::string line(const metrics::CaseScores& scores, const metrics::LabelScores* label,
                   const std::string& key) const {
    const metrics::CaseRecord& record = scores.record;
    std::vector<std::string> cells = {cell(subject_of(record)), cell(record.id), cell(key),
                                      status_cell(scores, label)};
    for (const std::string& name : groups_) cells.push_back(group_cell(record.groups, name));
    for (std::size_t m = 0; m < result_.settings.metrics.size(); ++m) {
      const auto value = label == nullptr ? std::nullopt : metrics::value(label->scores[m]);
      cells.push_back(value ? shortest(*value) : std::string(no_value));
    }
    return joined(cells, "\t") + "\n";
  }

 private:
  const metrics::SegmentationResult& result_;
  std::vector<std::string> groups_;
};

/// Metrics of the user's own may have no note.
std::string description_of(const metrics::ChosenMetric& metric) {
  std::string out(metric->equation);
  if (!metric->note.empty()) out.append(". ").append(metric->note);
  return out;
}

Json column_json(const metrics::ChosenMetric& metric) {
  Json out = {{"LongName", metric->title}, {"Description", description_of(metric)}};
  if (!metric->unit.empty()) out["Units"] = metric->unit;
  return out;
}

}  // namespace

std::string_view bids_suffix(std::string_view stem) {
  const std::string_view name = last_part_of(stem);
  const std::size_t last = name.rfind('_');
  const std::string_view suffix = last == name.npos ? name : name.substr(last + 1);
  return suffix.find('-') == suffix.npos ? suffix : "";
}

bool is_bids_segmentation(std::string_view stem) {
  return contains(bids_segmentations, bids_suffix(stem));
}

std::string bids_label(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_ascii_letter(c) || is_ascii_digit(c)) out += c;
  if (out.empty())
    throw Error(Error::Kind::usage, "'" + std::string(text) +
                                        "' has no letters or digits, which names in BIDS are made "
                                        "of; give a name with --model");
  return out;
}

std::string bids_metrics_path(std::string_view stem, std::string_view model) {
  Entities stated = entities(last_part_of(stem));
  stated["desc"] = bids_label(model);
  if (!stated.contains("sub"))
    throw Error(Error::Kind::input, std::string(stem),
                "the name has no subject; it should look like sub-01_mask.nii.gz");
  std::string folder, name;
  for (const std::string_view key : bids_entities) {
    const auto found = stated.find(std::string(key));
    if (found == stated.end()) continue;
    const std::string part = std::string(key) + "-" + bids_label(found->second);
    name += part + "_";
    if (key == "sub" || key == "ses") folder += part + "/";
  }
  return folder.append(datatype_of(stem)) + "/" + name.append(bids_metrics) + ".tsv";
}

std::string bids_dataset_path(std::string_view model, std::string_view suffix,
                              std::string_view ending) {
  return ("desc-" + bids_label(model) + "_").append(suffix).append(ending);
}

std::string bids_description(std::string_view version) {
  return to_text({{"Name", "Agreement of segmentations with their references"},
                  {"BIDSVersion", bids_version},
                  {"DatasetType", "derivative"},
                  {"GeneratedBy", Json::array({{{"Name", "assay"}, {"Version", version}}})}}) +
         "\n";
}

void write_bids_table(const metrics::SegmentationResult& result,
                      std::span<const metrics::CaseScores> cases, const TextSink& sink) {
  const TableLines lines(result);
  sink(lines.header());
  for (const metrics::CaseScores& scores : cases) {
    if (scores.labels.empty()) sink(lines.line(scores, nullptr, ""));
    for (std::size_t r = 0; r < scores.labels.size(); ++r)
      sink(lines.line(scores, &scores.labels[r], result.regions[r].key));
  }
}

std::string bids_sidecar(const metrics::SegmentationResult& result) {
  Json out = Json::object();
  for (const FixedColumn& column : fixed_columns)
    out[column.name] = {{"Description", column.description}};
  for (const std::string& name : group_names(result))
    out[group_column(result, name)] = {{"Description", "Column of the table of participants"}};
  for (const metrics::ChosenMetric& metric : result.settings.metrics)
    out[metric.key] = column_json(metric);
  return to_text(out) + "\n";
}

}  // namespace assay::results
