// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"

namespace assay::results {
namespace {

/// A text, or "" for null.
std::string text_or_nothing(JsonReader& in, std::string_view key) {
  if (in.kind() == JsonReader::Kind::text) return in.text(key);
  in.skip();
  return "";
}

CaseFiles read_case(JsonReader& in) {
  CaseFiles out;
  struct Field {
    std::string_view key;
    std::string CaseFiles::*member;
  };
  constexpr Field fields[] = {{"id", &CaseFiles::id},
                              {"prediction", &CaseFiles::prediction},
                              {"reference", &CaseFiles::reference},
                              {"image", &CaseFiles::image},
                              {"prediction_sha256", &CaseFiles::prediction_sha256},
                              {"reference_sha256", &CaseFiles::reference_sha256},
                              {"image_sha256", &CaseFiles::image_sha256}};
  in.object("a case", [&](std::string_view key) {
    for (const Field& field : fields)
      if (field.key == key) {
        out.*field.member = text_or_nothing(in, key);
        return;
      }
    in.skip();
  });
  return out;
}

std::vector<metrics::Region> regions_in(const Json& labels) {
  std::vector<metrics::Region> out;
  for (const auto& [key, label] : labels.items()) {
    metrics::Region region = {key, label.value("name", key), {}};
    for (const Json& member : label.value("members", Json::array()))
      if (member.is_number_integer()) region.members.push_back(member.get<Label>());
    out.push_back(std::move(region));
  }
  return out;
}

Json object_in(const std::string& text, const std::string& name) {
  const Json out = text.empty() ? Json::object() : parse_json(text, name);
  return out.is_object() ? out : Json::object();
}

void read_settings(const std::vector<std::string>& members, const std::string& name,
                   ScoredFiles& out) {
  try {
    out.regions = regions_in(object_in(members[1], name));
    const Json settings = object_in(members[2], name);
    if (const auto found = settings.find("threshold");
        found != settings.end() && found->is_number())
      out.threshold = found->get<double>();
    out.foreground_nonzero = settings.value("foreground", Json()) == "nonzero";
    out.allow_affine_mismatch = settings.value("allow_affine_mismatch", false);
    const Json provenance = object_in(members[3], name);
    const Json roots = provenance.value("roots", Json::object());
    for (const auto& [key, member] : root_members) out.roots.*member = roots.value(key, "");
  } catch (const nlohmann::json::exception&) {
    throw Error(Error::Kind::input,
                name +
                    ": 'labels', 'settings' or 'provenance' are not as 'assay score' writes "
                    "them; score the cases again");
  }
}

}  // namespace

std::vector<std::string> member_texts(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> members) {
  text = without_mark(text);
  std::vector<std::string> out(members.size());
  if (first_sign(text) != '{') return out;
  const JsonObject file(text, name);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!file.has(members[i])) continue;
    JsonReader in = file.at(members[i]);
    const std::size_t from = text.find_first_not_of(white_space, in.at());
    in.skip();
    out[i] = text.substr(from, in.at() - from);
  }
  return out;
}

ScoredFiles read_scored_files(const std::filesystem::path& path, std::span<const std::string> ids) {
  return parse_scored_files(read_text(path), path.string(), ids);
}

ScoredFiles parse_scored_files(std::string_view text, const std::string& name,
                               std::span<const std::string> ids) {
  ScoredFiles out;
  constexpr std::string_view wanted[] = {"schema", "labels", "settings", "provenance"};
  const std::vector<std::string> members = member_texts(text, name, wanted);
  if (members[0] != to_text(Json(segmentation_schema))) return out;
  read_settings(members, name, out);
  const JsonObject file(text, name);
  JsonReader in = file.at("cases");
  in.list("cases", [&] {
    CaseFiles one = read_case(in);
    if (std::ranges::find(ids, one.id) != ids.end()) out.cases.push_back(std::move(one));
  });
  return out;
}

}  // namespace assay::results
