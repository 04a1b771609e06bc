// SPDX-License-Identifier: Apache-2.0
/// What a model is and what it costs, for people.
#pragma once

#include <string>

#include "assay/model/files/model.hpp"

namespace assay::report {

/// A table of its layers and what follows from them, for a volume of that shape.
std::string model_report(const model::Model& model, const Shape& shape);

}  // namespace assay::report
