// SPDX-License-Identifier: Apache-2.0
#include "assay/results/case_record.hpp"

#include <map>

#include "assay/base/json.hpp"
#include "assay/base/json_append.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"

namespace assay::results {
namespace {

void require(bool is_sound, const std::string& what) {
  if (!is_sound) throw Error(Error::Kind::input, "a case record is not sound: " + what);
}

/// A checksum proves only that a record is as it was written, not that it was measured.
std::int64_t parse_count(const Json& value) {
  const std::int64_t count = Whole(value);
  require(count >= 0, "a count is negative");
  return count;
}

/// A length, an area or a sum of such.
double parse_amount(const Json& value) {
  const double amount = value;
  require(amount >= 0, "a measure is negative");
  return amount;
}

metrics::Confusion parse_counts(const Json& list) {
  return {.tp = parse_count(list.at(0)),
          .fp = parse_count(list.at(1)),
          .fn = parse_count(list.at(2)),
          .tn = parse_count(list.at(3))};
}

/// Every voxel that was compared is counted once. Structures that have a file each may have a grid
/// each as well: their voxels are those of the last one.
void require_sums(const metrics::CaseRecord& record) {
  std::size_t equal = 0;
  for (const auto& [key, counts] : record.counts) equal += counts.total() == record.voxels;
  const bool of_structures = !record.labels && record.counts.size() > 1;
  require(of_structures ? equal > 0 : equal == record.counts.size(),
          "the counts of '" + record.id + "' do not add up to its voxels");
}

/// Numbers by percent or by tolerance.
Json to_json(const std::map<double, double>& values) {
  Json out = Json::array();
  for (const auto& [key, value] : values) out.push_back({key, value});
  return out;
}

std::map<double, double> parse_values(const Json& list) {
  std::map<double, double> out;
  for (const Json& pair : list) out[pair.at(0)] = parse_amount(pair.at(1));
  return out;
}

Json to_json(const metrics::DirectedEvidence& e) {
  return {{"weight", e.weight},
          {"sum_mm", e.sum_mm},
          {"greatest_mm", e.greatest_mm},
          {"percentile_mm", to_json(e.percentile_mm)},
          {"within", to_json(e.within)}};
}

metrics::DirectedEvidence parse_directed(const Json& json) {
  return {.weight = parse_amount(json.at("weight")),
          .sum_mm = parse_amount(json.at("sum_mm")),
          .greatest_mm = parse_amount(json.at("greatest_mm")),
          .percentile_mm = parse_values(json.at("percentile_mm")),
          .within = parse_values(json.at("within"))};
}

Json to_json(const metrics::BoundaryEvidence& e) {
  return {{"prediction", to_json(e.prediction)},
          {"reference", to_json(e.reference)},
          {"pooled_percentile_mm", to_json(e.pooled_percentile_mm)},
          {"common", e.common},
          {"either", e.either}};
}

metrics::BoundaryEvidence parse_boundary(const Json& json) {
  metrics::BoundaryEvidence out = {
      .prediction = parse_directed(json.at("prediction")),
      .reference = parse_directed(json.at("reference")),
      .pooled_percentile_mm = parse_values(json.at("pooled_percentile_mm")),
      .common = parse_count(json.at("common")),
      .either = parse_count(json.at("either"))};
  require(out.common <= out.either, "two borders have more voxels in common than either has");
  return out;
}

Json to_json(const std::vector<metrics::MatchedLesion>& lesions) {
  Json out = Json::array();
  for (const metrics::MatchedLesion& l : lesions)
    out.push_back({l.voxels, l.centroid_mm, l.matched, l.partners, l.dice, or_null(l.hd95_mm)});
  return out;
}

std::vector<metrics::MatchedLesion> parse_lesions(const Json& list) {
  std::vector<metrics::MatchedLesion> out;
  for (const Json& l : list) {
    metrics::MatchedLesion& lesion = out.emplace_back();
    lesion.voxels = parse_count(l.at(0));
    lesion.centroid_mm = l.at(1).get<std::array<double, 3>>();
    lesion.matched = l.at(2);
    for (const Json& partner : l.at(3).get_ref<const Json::array_t&>())
      lesion.partners.push_back(Whole(partner));
    lesion.dice = l.at(4);
    if (!l.at(5).is_null()) lesion.hd95_mm = l.at(5).get<double>();
  }
  return out;
}

Json to_json(const metrics::LesionEvidence& e) {
  Json bins = Json::array();
  for (const metrics::LesionBin& bin : e.by_size) bins.push_back({bin.lesions, bin.detected});
  return {{"counts", {e.references, e.predictions, e.detected, e.confirmed, e.iou_pairs}},
          {"sums", {e.dice_sum, e.hd95_sum_mm, e.iou_sum}},
          {"penalty_mm", e.penalty_mm},
          {"harmonic_f1", e.harmonic_f1},
          {"by_size", bins},
          {"reference", to_json(e.reference)},
          {"prediction", to_json(e.prediction)}};
}

metrics::LesionBin parse_bin(const Json& list) {
  const metrics::LesionBin out = {parse_count(list.at(0)), parse_count(list.at(1))};
  require(out.detected <= out.lesions, "more lesions are detected than there are");
  return out;
}

metrics::LesionEvidence parse_lesion_evidence(const Json& json) {
  const Json &counts = json.at("counts"), &sums = json.at("sums");
  metrics::LesionEvidence out = {.references = parse_count(counts.at(0)),
                                 .predictions = parse_count(counts.at(1)),
                                 .detected = parse_count(counts.at(2)),
                                 .confirmed = parse_count(counts.at(3)),
                                 .dice_sum = parse_amount(sums.at(0)),
                                 .hd95_sum_mm = parse_amount(sums.at(1)),
                                 .iou_sum = parse_amount(sums.at(2)),
                                 .iou_pairs = parse_count(counts.at(4)),
                                 .penalty_mm = parse_amount(json.at("penalty_mm")),
                                 .harmonic_f1 = json.at("harmonic_f1")};
  require(out.detected <= out.references && out.confirmed <= out.predictions,
          "more lesions are matched than there are");
  for (std::size_t i = 0; i < out.by_size.size(); ++i)
    out.by_size[i] = parse_bin(json.at("by_size").at(i));
  out.reference = parse_lesions(json.at("reference"));
  out.prediction = parse_lesions(json.at("prediction"));
  return out;
}

Json to_json(const metrics::ProbabilityEvidence& e) {
  Json bins = Json::array(), sweep = Json::array();
  for (const metrics::CalibrationBin& bin : e.bins)
    bins.push_back({bin.voxels, bin.positives, bin.sum});
  for (const metrics::SweepCounts& counts : e.sweep) sweep.push_back({counts.tp, counts.fp});
  return {{"voxels", e.voxels},
          {"positives", e.positives},
          {"pairs_won", e.pairs_won},
          {"precision_sum", e.precision_sum},
          {"squared_error", e.squared_error},
          {"bins", bins},
          {"sweep", sweep}};
}

metrics::CalibrationBin parse_calibration(const Json& list) {
  const metrics::CalibrationBin out = {.voxels = parse_count(list.at(0)),
                                       .positives = parse_count(list.at(1)),
                                       .sum = parse_amount(list.at(2))};
  require(out.positives <= out.voxels, "a bin has more foreground than voxels");
  return out;
}

metrics::ProbabilityEvidence parse_probability(const Json& json) {
  metrics::ProbabilityEvidence out = {.voxels = parse_count(json.at("voxels")),
                                      .positives = parse_count(json.at("positives")),
                                      .pairs_won = parse_amount(json.at("pairs_won")),
                                      .precision_sum = parse_amount(json.at("precision_sum")),
                                      .squared_error = parse_amount(json.at("squared_error"))};
  require(out.positives <= out.voxels, "a map has more foreground than voxels");
  for (std::size_t i = 0; i < out.bins.size(); ++i)
    out.bins[i] = parse_calibration(json.at("bins").at(i));
  for (std::size_t i = 0; i < out.sweep.size(); ++i) {
    out.sweep[i] = {.tp = parse_count(json.at("sweep").at(i).at(0)),
                    .fp = parse_count(json.at("sweep").at(i).at(1))};
    require(out.sweep[i].tp <= out.positives && out.sweep[i].fp <= out.negatives(),
            "a threshold finds more voxels than there are");
  }
  return out;
}

}  // namespace

std::optional<metrics::Fate> fate_named(std::string_view text) {
  for (const metrics::Fate fate :
       {metrics::Fate::scored, metrics::Fate::failed, metrics::Fate::missing_prediction,
        metrics::Fate::missing_reference})
    if (name(fate) == text) return fate;
  return std::nullopt;
}

namespace {

template <class Evidence>
void add_evidence(Json& out, const char* name, const std::map<std::string, Evidence>& by_region) {
  if (by_region.empty()) return;
  Json& all = out[name] = Json::object();
  for (const auto& [key, evidence] : by_region) append_member(all, key) = to_json(evidence);
}

}  // namespace

std::string record_text(const metrics::CaseRecord& r) {
  Json counts = Json::object();
  for (const auto& [key, c] : r.counts) append_member(counts, key) = {c.tp, c.fp, c.fn, c.tn};
  Json groups = Json::array();
  for (const auto& [column, value] : r.groups) groups.push_back({column, value});
  Json out = {{"kind", "case"},
              {"id", r.id},
              {"fate", name(r.fate)},
              {"error", r.error},
              {"reference_at_fault", r.reference_at_fault},
              {"warnings", r.warnings},
              {"groups", groups},
              {"prediction", r.prediction},
              {"reference", r.reference},
              {"prediction_sha256", r.prediction_sha256},
              {"reference_sha256", r.reference_sha256},
              {"counts", counts},
              {"voxels", r.voxels},
              {"voxel_ml", r.voxel_ml}};
  if (!r.image.empty()) {
    out["image"] = r.image;
    out["image_sha256"] = r.image_sha256;
  }
  if (r.labels) out["labels"] = {r.labels->prediction, r.labels->reference};
  if (!r.without_prediction.empty()) out["without_prediction"] = r.without_prediction;
  if (!r.without_reference.empty()) out["without_reference"] = r.without_reference;
  if (r.is_uncut_map) out["is_uncut_map"] = true;
  if (r.diagonal_mm != 0) out["diagonal_mm"] = r.diagonal_mm;
  add_evidence(out, "boundary", r.boundary);
  add_evidence(out, "lesions", r.lesions);
  add_evidence(out, "probability", r.probability);
  return to_text(out, {.indent = 0});
}

metrics::CaseRecord parse_record(std::string_view text) {
  try {
    const Json json = parse_json(text, "record");
    const auto fate = fate_named(json.at("fate").get<std::string>());
    if (!fate) throw Error(Error::Kind::input, "unknown fate '" + text_of(json["fate"]) + "'");
    metrics::CaseRecord r = {.id = json.at("id"), .fate = *fate, .error = json.at("error")};
    r.reference_at_fault = json.at("reference_at_fault");
    r.warnings = json.at("warnings").get<std::vector<std::string>>();
    for (const Json& group : json.at("groups")) r.groups.emplace_back(group.at(0), group.at(1));
    r.prediction = json.at("prediction");
    r.reference = json.at("reference");
    r.prediction_sha256 = json.at("prediction_sha256");
    r.reference_sha256 = json.at("reference_sha256");
    r.image = json.value("image", "");
    r.image_sha256 = json.value("image_sha256", "");
    for (const auto& item : json.at("counts").items())
      r.counts[item.key()] = parse_counts(item.value());
    r.voxels = parse_count(json.at("voxels"));
    r.voxel_ml = parse_amount(json.at("voxel_ml"));
    if (json.contains("labels"))
      r.labels =
          metrics::OccurringLabels{.prediction = json.at("labels").at(0).get<std::vector<Label>>(),
                                   .reference = json.at("labels").at(1).get<std::vector<Label>>()};
    for (const auto& [key, keys] : {std::pair{"without_prediction", &r.without_prediction},
                                    std::pair{"without_reference", &r.without_reference}})
      if (json.contains(key)) *keys = json.at(key).get<std::vector<std::string>>();
    r.is_uncut_map = json.value("is_uncut_map", false);
    r.diagonal_mm = json.value("diagonal_mm", 0.0);
    if (json.contains("boundary"))
      for (const auto& item : json.at("boundary").items())
        r.boundary[item.key()] = parse_boundary(item.value());
    if (json.contains("lesions"))
      for (const auto& item : json.at("lesions").items())
        r.lesions[item.key()] = parse_lesion_evidence(item.value());
    if (json.contains("probability"))
      for (const auto& item : json.at("probability").items())
        r.probability[item.key()] = parse_probability(item.value());
    require_sums(r);
    return r;
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, "a case record lacks a field or has one of another type");
  }
}

}  // namespace assay::results
