// SPDX-License-Identifier: Apache-2.0
/// Parts of the paragraph of methods.
#pragma once

#include <string>

#include "assay/report/figures/figure_scene.hpp"

namespace assay::report {

/// Tolerance, lesions, ignored voxels, missing predictions and intervals, in sentences.
std::string measuring_words(const FigureScene& scene);

}  // namespace assay::report
