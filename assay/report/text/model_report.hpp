// SPDX-License-Identifier: Apache-2.0
/// What a model is and what it costs, for people.
#pragma once

#include <string>

#include "assay/model.hpp"
#include "assay/model/files/model.hpp"

namespace assay::report {

/// A table of its layers and what follows from them, for a volume of that shape.
std::string model_report(const model::Model& model, const Shape& shape);

// What a recipe does, for people.

/// The steps in their order, a line each, and the hash.
std::string recipe_report(const model::Recipe& recipe);

/// One line for each recipe that is built in.
std::string builtin_recipes_report();

/// "256x256x64 voxels of ... -> 256x256x256 voxels of ...".
std::string placement_report(const model::Placement& placement);

}  // namespace assay::report
