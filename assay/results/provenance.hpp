// SPDX-License-Identifier: Apache-2.0
/// The provenance block that every results file ends with: written and read here.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/results.hpp"

namespace assay::results {

nlohmann::ordered_json provenance_json(const Provenance& provenance);

/// Members that are absent stay empty. Throws Json::exception or Error on a member of the wrong
/// type.
Provenance parse_provenance(const nlohmann::ordered_json& block);

}  // namespace assay::results
