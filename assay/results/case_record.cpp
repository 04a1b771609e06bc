// SPDX-License-Identifier: Apache-2.0
#include "assay/results/case_record.hpp"

#include <bitset>
#include <charconv>
#include <cmath>
#include <map>

#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/unicode.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"

namespace assay::results {
namespace {

void require(bool is_sound, const std::string& what) {
  if (!is_sound) throw Error(Error::Kind::input, "a case record is not sound: " + what);
}

/// Values are checked here because a checksum proves only that a record is as it was written.
std::int64_t parse_count(const Json& value) {
  const std::int64_t count = Whole(value);
  require(count >= 0, "a count is negative");
  return count;
}

/// A length, an area, or a sum of either.
double parse_amount(const Json& value) {
  const double amount = value;
  require(amount >= 0 && std::isfinite(amount), "a measure is negative or infinite");
  return amount;
}

/// Every voxel that was compared is counted once. Structures with a file each may also have a grid
/// each. Then `voxels` is that of the last one, and at least one count must add up to it.
void require_sums(const metrics::CaseRecord& record) {
  std::size_t equal = 0;
  for (const auto& [key, counts] : record.counts) equal += counts.total() == record.voxels;
  const bool of_structures = !record.labels && record.counts.size() > 1;
  require(of_structures ? equal > 0 : equal == record.counts.size(),
          "the counts of '" + record.id + "' do not add up to its voxels");
}

void add_members(JsonMembers& out, const metrics::DirectedEvidence& e) {
  out.add("weight", e.weight);
  out.add("sum_mm", e.sum_mm);
  out.add("greatest_mm", e.greatest_mm);
  out.add_list("percentile_mm", e.percentile_mm);
  out.add_list("within", e.within);
}

void add_members(JsonMembers& out, const metrics::BoundaryEvidence& e) {
  out.add_object("prediction", [&](JsonMembers& side) { add_members(side, e.prediction); });
  out.add_object("reference", [&](JsonMembers& side) { add_members(side, e.reference); });
  out.add_list("pooled_percentile_mm", e.pooled_percentile_mm);
  out.add("common", e.common);
  out.add("either", e.either);
  out.add("added_path_mm", e.added_path_mm);
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

/// Value, whether it failed, and why there is no value.
Json to_json(const metrics::OwnValues& values) {
  Json out = Json::object();
  for (const auto& [metric, v] : values) out[metric] = {or_null(v.value), v.failed, v.message};
  return out;
}

metrics::OwnValues parse_own_values(const Json& json) {
  metrics::OwnValues out;
  for (const auto& [metric, list] : json.items()) {
    metrics::OwnValue& one = out[metric];
    if (!list.at(0).is_null()) one.value = list.at(0).get<double>();
    one.failed = list.at(1);
    one.message = list.at(2);
    require(!one.value || (std::isfinite(*one.value) && !one.failed),
            "a metric has a value that cannot be one");
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
void add_evidence(JsonMembers& out, const char* name,
                  const std::map<std::string, Evidence>& by_region) {
  if (by_region.empty()) return;
  out.add_object(name, [&](JsonMembers& all) {
    for (const auto& each : by_region)
      if constexpr (std::is_same_v<Evidence, metrics::BoundaryEvidence>)
        all.add_object(each.first, [&](JsonMembers& one) { add_members(one, each.second); });
      else
        all.add(each.first, to_json(each.second));
  });
}

/// The members that every record has.
void add_fate_and_files(JsonMembers& out, const metrics::CaseRecord& r) {
  out.add("kind", "case");
  out.add("id", r.id);
  out.add("fate", name(r.fate));
  out.add("error", r.error);
  out.add("reference_at_fault", r.reference_at_fault);
  out.add("warnings", r.warnings);
  Json groups = Json::array();
  for (const auto& [column, value] : r.groups) groups.push_back({column, value});
  out.add("groups", groups);
  out.add("prediction", r.prediction);
  out.add("reference", r.reference);
  out.add("prediction_sha256", r.prediction_sha256);
  out.add("reference_sha256", r.reference_sha256);
}

}  // namespace

std::string record_text(const metrics::CaseRecord& r) {
  std::string text;
  JsonMembers out(text, {.indent = 0});
  add_fate_and_files(out, r);
  out.add_object("counts", [&](JsonMembers& counts) {
    for (const auto& [key, c] : r.counts) counts.add_list(key, std::array{c.tp, c.fp, c.fn, c.tn});
  });
  out.add("voxels", r.voxels);
  out.add("voxel_ml", r.voxel_ml);
  if (!r.image.empty()) {
    out.add("image", r.image);
    out.add("image_sha256", r.image_sha256);
  }
  if (r.labels) out.add("labels", Json{r.labels->prediction, r.labels->reference});
  if (!r.without_prediction.empty()) out.add("without_prediction", r.without_prediction);
  if (!r.without_reference.empty()) out.add("without_reference", r.without_reference);
  if (r.is_uncut_map) out.add("is_uncut_map", true);
  if (r.diagonal_mm != 0) out.add("diagonal_mm", r.diagonal_mm);
  if (r.in_pixels) out.add("in_pixels", true);
  if (const auto& each = r.resampling)
    out.add("resampling", Json{each->from, each->before, each->after, each->changed});
  add_evidence(out, "boundary", r.boundary);
  add_evidence(out, "lesions", r.lesions);
  add_evidence(out, "probability", r.probability);
  add_evidence(out, "own", r.own);
  out.close();
  return text;
}

// ---- Reading --------------------------------------------------------------------------------
// There may be hundreds of thousands of records, so they are read front to back without building a
// tree. Evidence on lesions and probabilities, which few records have, is read through a tree.

namespace {

[[noreturn]] void refuse_record() {
  throw Error(Error::Kind::input, "a case record lacks a field or has one of another type");
}

std::int64_t take_count(JsonReader& in) {
  if (in.kind() != JsonReader::Kind::number) refuse_record();
  const std::string_view token = in.number_token();
  std::int64_t count = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), count);
  if (read.ec != std::errc{} || read.ptr != token.data() + token.size())
    return parse_count(Json(json_number(token)));
  return parse_count(Json(count));
}

double take_amount(JsonReader& in) {
  const auto amount = in.number("amount");
  if (!amount) refuse_record();
  require(*amount >= 0 && std::isfinite(*amount), "a measure is negative or infinite");
  return *amount;
}

/// Reads a list with exactly as many elements as there are functions, one function per element.
template <class... Takes>
void take_tuple(JsonReader& in, Takes... takes) {
  std::size_t at = 0;
  in.list("list", [&] {
    std::size_t place = 0;
    ((place++ == at ? static_cast<void>(takes(in)) : static_cast<void>(0)), ...);
    if (++at > sizeof...(takes)) refuse_record();
  });
  if (at != sizeof...(takes)) refuse_record();
}

template <class Value>
auto into(Value& target, Value (*take)(JsonReader&)) {
  return [&target, take](JsonReader& in) { target = take(in); };
}

std::string take_text(JsonReader& in) {
  return in.text("text");
}

std::vector<std::string> take_texts(JsonReader& in) {
  std::vector<std::string> out;
  in.list("list", [&] { out.push_back(take_text(in)); });
  return out;
}

metrics::Confusion take_counts(JsonReader& in) {
  metrics::Confusion out;
  take_tuple(in, into(out.tp, take_count), into(out.fp, take_count), into(out.fn, take_count),
             into(out.tn, take_count));
  return out;
}

std::map<double, double> take_values(JsonReader& in) {
  std::map<double, double> out;
  in.list("list", [&] {
    double key = 0, value = 0;
    take_tuple(in, into(key, take_amount), into(value, take_amount));
    out[key] = value;
  });
  return out;
}

/// Labels may be negative.
std::vector<Label> take_labels(JsonReader& in) {
  std::vector<Label> out;
  in.list("list", [&] {
    if (in.kind() != JsonReader::Kind::number) refuse_record();
    out.push_back(Whole(parse_json(in.number_token(), "label")));
  });
  return out;
}

metrics::Groups take_groups(JsonReader& in) {
  metrics::Groups out;
  in.list("list", [&] {
    auto& [column, value] = out.emplace_back();
    take_tuple(in, into(column, take_text), into(value, take_text));
  });
  return out;
}

/// A member of an object, and the function that reads its value.
template <class Target>
struct Member {
  std::string_view key;
  void (*take)(JsonReader& in, Target& target);
  bool is_required = true;
};

/// Members usually come in the order of the table, so the next one is tried first.
template <class Target, std::size_t count>
void take_members(JsonReader& in, Target& target, const Member<Target> (&members)[count]) {
  std::bitset<count> seen;
  std::size_t at = 0;
  in.object("object", [&](std::string_view key) {
    for (std::size_t tries = 0; tries < count; ++tries, at = (at + 1) % count) {
      if (members[at].key != key) continue;
      seen.set(at);
      const Member<Target>& member = members[at];
      at = (at + 1) % count;
      return member.take(in, target);
    }
    in.skip();
  });
  for (std::size_t i = 0; i < count; ++i)
    if (members[i].is_required && !seen[i]) refuse_record();
}

using Directed = metrics::DirectedEvidence;
constexpr Member<Directed> directed_members[] = {
    {"weight", [](JsonReader& in, Directed& e) { e.weight = take_amount(in); }},
    {"sum_mm", [](JsonReader& in, Directed& e) { e.sum_mm = take_amount(in); }},
    {"greatest_mm", [](JsonReader& in, Directed& e) { e.greatest_mm = take_amount(in); }},
    {"percentile_mm", [](JsonReader& in, Directed& e) { e.percentile_mm = take_values(in); }},
    {"within", [](JsonReader& in, Directed& e) { e.within = take_values(in); }},
};

using Boundary = metrics::BoundaryEvidence;
constexpr Member<Boundary> boundary_members[] = {
    {"prediction",
     [](JsonReader& in, Boundary& e) { take_members(in, e.prediction, directed_members); }},
    {"reference",
     [](JsonReader& in, Boundary& e) { take_members(in, e.reference, directed_members); }},
    {"pooled_percentile_mm",
     [](JsonReader& in, Boundary& e) { e.pooled_percentile_mm = take_values(in); }},
    {"common", [](JsonReader& in, Boundary& e) { e.common = take_count(in); }},
    {"either", [](JsonReader& in, Boundary& e) { e.either = take_count(in); }},
    {"added_path_mm", [](JsonReader& in, Boundary& e) { e.added_path_mm = take_amount(in); }},
};

metrics::BoundaryEvidence take_boundary(JsonReader& in) {
  metrics::BoundaryEvidence out;
  take_members(in, out, boundary_members);
  require(out.common <= out.either, "two borders have more voxels in common than either has");
  return out;
}

template <class Take>
auto take_by_region(JsonReader& in, Take take) {
  std::map<std::string, decltype(take(in))> out;
  in.object("object", [&](std::string_view key) { out[std::string(key)] = take(in); });
  return out;
}

/// The next value of the text as a tree.
Json take_tree(JsonReader& in, std::string_view text) {
  const std::size_t start = in.at();
  in.skip();
  return parse_json(text.substr(start, in.at() - start), "record");
}

bool take_flag(JsonReader& in) {
  if (in.kind() != JsonReader::Kind::boolean) refuse_record();
  return in.boolean();
}

metrics::Fate take_fate(JsonReader& in) {
  const std::string text = take_text(in);
  if (const auto fate = fate_named(text)) return *fate;
  throw Error(Error::Kind::input, "unknown fate '" + text + "'");
}

metrics::OccurringLabels take_labels_of_sides(JsonReader& in) {
  metrics::OccurringLabels out;
  take_tuple(in, into(out.prediction, take_labels), into(out.reference, take_labels));
  return out;
}

metrics::ResamplingEvidence take_resampling(JsonReader& in) {
  metrics::ResamplingEvidence out;
  take_tuple(in, into(out.from, take_text), into(out.before, take_count),
             into(out.after, take_count), into(out.changed, take_count));
  return out;
}

struct RecordReading {
  metrics::CaseRecord record;
  std::string_view text;
};

/// Sets one member of the record.
template <auto member, auto take>
void set(JsonReader& in, RecordReading& r) {
  r.record.*member = take(in);
}

template <auto member, auto take>
void set_by_region(JsonReader& in, RecordReading& r) {
  r.record.*member = take_by_region(in, take);
}

template <auto member, auto parse>
void set_by_tree(JsonReader& in, RecordReading& r) {
  r.record.*member =
      take_by_region(in, [&](JsonReader& each) { return parse(take_tree(each, r.text)); });
}

using Record = metrics::CaseRecord;
constexpr Member<RecordReading> record_members[] = {
    {"kind", [](JsonReader& in, RecordReading&) { in.skip(); }, false},
    {"id", set<&Record::id, take_text>},
    {"fate", set<&Record::fate, take_fate>},
    {"error", set<&Record::error, take_text>},
    {"reference_at_fault", set<&Record::reference_at_fault, take_flag>},
    {"warnings", set<&Record::warnings, take_texts>},
    {"groups", set<&Record::groups, take_groups>},
    {"prediction", set<&Record::prediction, take_text>},
    {"reference", set<&Record::reference, take_text>},
    {"prediction_sha256", set<&Record::prediction_sha256, take_text>},
    {"reference_sha256", set<&Record::reference_sha256, take_text>},
    {"counts", set_by_region<&Record::counts, take_counts>},
    {"voxels", set<&Record::voxels, take_count>},
    {"voxel_ml", set<&Record::voxel_ml, take_amount>},
    {"image", set<&Record::image, take_text>, false},
    {"image_sha256", set<&Record::image_sha256, take_text>, false},
    {"labels", set<&Record::labels, take_labels_of_sides>, false},
    {"without_prediction", set<&Record::without_prediction, take_texts>, false},
    {"without_reference", set<&Record::without_reference, take_texts>, false},
    {"is_uncut_map", set<&Record::is_uncut_map, take_flag>, false},
    {"diagonal_mm", set<&Record::diagonal_mm, take_amount>, false},
    {"in_pixels", set<&Record::in_pixels, take_flag>, false},
    {"resampling", set<&Record::resampling, take_resampling>, false},
    {"boundary", set_by_region<&Record::boundary, take_boundary>, false},
    {"lesions", set_by_tree<&Record::lesions, parse_lesion_evidence>, false},
    {"probability", set_by_tree<&Record::probability, parse_probability>, false},
    {"own", set_by_tree<&Record::own, parse_own_values>, false},
};

}  // namespace

metrics::CaseRecord parse_record(std::string_view text) {
  constexpr std::string_view name = "record";
  if (invalid_utf8_at(text)) refuse_record();
  try {
    RecordReading reading = {.record = {}, .text = text};
    JsonReader in(text, name);
    take_members(in, reading, record_members);
    in.end();
    require_sums(reading.record);
    return std::move(reading.record);
  } catch (const Json::exception&) {
    refuse_record();
  } catch (const Error& e) {
    if (e.file() == name)
      refuse_record();  // the reader's message names a position in the record, which users never
                        // see
    throw;
  }
}

}  // namespace assay::results
