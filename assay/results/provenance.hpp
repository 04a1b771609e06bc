// SPDX-License-Identifier: Apache-2.0
/// The provenance block that every results file ends with.
#pragma once

#include "assay/base/json.hpp"
#include "assay/results.hpp"

namespace assay::results {

/// Only those that are known.
inline Json roots_json(const CaseRoots& roots) {
  Json out = Json::object();
  for (const auto& [key, member] : root_members)
    if (!(roots.*member).empty()) out[std::string(key)] = (roots.*member).string();
  return out;
}

inline Json provenance_json(const Provenance& p) {
  Json out = {{"assay", p.version},   {"commit", p.commit},     {"command", p.command},
              {"started", p.started}, {"finished", p.finished}, {"jobs", p.jobs}};
  if (p.host) out["host"] = *p.host;
  const Json roots = roots_json(p.roots);
  if (!roots.empty()) out["roots"] = roots;
  if (!p.settings_sha256.empty()) out["settings_sha256"] = p.settings_sha256;
  return out;
}

}  // namespace assay::results
