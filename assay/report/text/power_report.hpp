// SPDX-License-Identifier: Apache-2.0
/// A planned study for the terminal.
#pragma once

#include <string>

#include "assay/compare/power.hpp"

namespace assay::report {

std::string power_report(const compare::PowerStudy& study, bool color);

}  // namespace assay::report
