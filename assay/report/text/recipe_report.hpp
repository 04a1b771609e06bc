// SPDX-License-Identifier: Apache-2.0
/// What a recipe does, for people.
#pragma once

#include <string>

#include "assay/model.hpp"

namespace assay::report {

/// The steps in their order, a line each, and the hash.
std::string recipe_report(const model::Recipe& recipe);

/// One line for each recipe that is built in.
std::string builtin_recipes_report();

/// "256x256x64 voxels of ... -> 256x256x256 voxels of ...".
std::string placement_report(const model::Placement& placement);

}  // namespace assay::report
