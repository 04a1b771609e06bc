// SPDX-License-Identifier: Apache-2.0
/// The provenance block that every results file ends with.
#pragma once

#include "assay/io/detail/json.hpp"
#include "assay/io/results.hpp"

namespace assay::detail {

inline Json provenance_json(const Provenance& p) {
  Json out = {{"assay", p.version},   {"commit", p.commit},     {"command", p.command},
              {"started", p.started}, {"finished", p.finished}, {"jobs", p.jobs}};
  if (p.host) out["host"] = *p.host;
  return out;
}

}  // namespace assay::detail
