// SPDX-License-Identifier: Apache-2.0
#include "assay/results/provenance.hpp"

#include "assay/base/json.hpp"
#include "assay/base/whole.hpp"

namespace assay::results {
namespace {

struct Text {
  const char* key;
  std::string Provenance::*member;
};
constexpr Text texts[] = {{"assay", &Provenance::version},
                          {"commit", &Provenance::commit},
                          {"started", &Provenance::started},
                          {"finished", &Provenance::finished},
                          {"settings_sha256", &Provenance::settings_sha256}};

}  // namespace

Json provenance_json(const Provenance& p) {
  Json out = {{"assay", p.version},   {"commit", p.commit},     {"command", p.command},
              {"started", p.started}, {"finished", p.finished}, {"jobs", p.jobs}};
  if (p.host) out["host"] = *p.host;
  Json roots = Json::object();
  for (const auto& [key, member] : root_members)
    if (!(p.roots.*member).empty()) roots[std::string(key)] = (p.roots.*member).string();
  if (!roots.empty()) out["roots"] = roots;
  if (!p.settings_sha256.empty()) out["settings_sha256"] = p.settings_sha256;
  return out;
}

Provenance parse_provenance(const Json& block) {
  Provenance out;
  for (const Text& text : texts)
    if (block.contains(text.key)) out.*text.member = block.at(text.key).get<std::string>();
  if (block.contains("command")) out.command = block.at("command").get<std::vector<std::string>>();
  if (block.contains("host")) out.host = block.at("host").get<std::string>();
  if (block.contains("jobs")) out.jobs = Whole(block.at("jobs"));
  if (block.contains("roots"))
    for (const auto& [key, member] : root_members)
      out.roots.*member = block.at("roots").value(std::string(key), "");
  return out;
}

}  // namespace assay::results
