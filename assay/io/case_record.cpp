// SPDX-License-Identifier: Apache-2.0
/// The way back from a line of the journal to what was measured on a case.
#include "assay/core/error.hpp"
#include "assay/io/detail/json.hpp"
#include "assay/io/results.hpp"

namespace assay {
namespace {

using detail::Json;

Fate parse_fate(std::string_view text) {
  for (const Fate fate :
       {Fate::scored, Fate::failed, Fate::missing_prediction, Fate::missing_reference})
    if (name(fate) == text) return fate;
  throw Error(Error::Kind::input, "unknown fate '" + std::string(text) + "'");
}

Confusion parse_counts(const Json& list) {
  return {.tp = list.at(0), .fp = list.at(1), .fn = list.at(2), .tn = list.at(3)};
}

}  // namespace

CaseRecord parse_record(std::string_view text) {
  try {
    const Json json = detail::parse_json(text, "record");
    CaseRecord r = {.id = json.at("id"),
                    .fate = parse_fate(json.at("fate").get<std::string>()),
                    .error = json.at("error")};
    r.reference_at_fault = json.at("reference_at_fault");
    r.warnings = json.at("warnings").get<std::vector<std::string>>();
    for (const Json& group : json.at("groups")) r.groups.emplace_back(group.at(0), group.at(1));
    r.prediction = json.at("prediction");
    r.reference = json.at("reference");
    r.prediction_sha256 = json.at("prediction_sha256");
    r.reference_sha256 = json.at("reference_sha256");
    for (const auto& item : json.at("counts").items())
      r.counts[item.key()] = parse_counts(item.value());
    r.voxels = json.at("voxels");
    r.voxel_ml = json.at("voxel_ml");
    return r;
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, "a case record lacks a field or has one of another type");
  }
}

}  // namespace assay
