// SPDX-License-Identifier: Apache-2.0
/// `assay.power/1`: how many cases a study needs. docs/formats/power.md describes it.
#pragma once

#include <string>
#include <string_view>

#include "assay/compare/power.hpp"
#include "assay/results/provenance.hpp"

namespace assay::results {

inline constexpr std::string_view power_schema = "assay.power/1";

/// The text of an `assay.power/1` file.
std::string power_text(const compare::PowerStudy& study, const Provenance& provenance);

}  // namespace assay::results
