// SPDX-License-Identifier: Apache-2.0
/// The last key of every results file. Included by .cpp files only.
#pragma once

#include <string>

#include "assay/io/detail/json.hpp"
#include "assay/io/results.hpp"

namespace assay::detail {

inline Json to_json(const Provenance& p, const std::string& inputs_sha256) {
  Json out = {{"assay", p.version},
              {"commit", p.commit},
              {"command", p.command},
              {"started", p.started},
              {"finished", p.finished},
              {"jobs", p.jobs},
              {"inputs_sha256", inputs_sha256}};
  if (p.host) out["host"] = *p.host;
  return out;
}

}  // namespace assay::detail
