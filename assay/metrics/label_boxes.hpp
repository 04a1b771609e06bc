// SPDX-License-Identifier: Apache-2.0
/// Where the labels of a map lie.
#pragma once

#include <optional>
#include <vector>

#include "assay/metrics/bit_volume.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// The smallest box around every label, by its code, in one pass over the map; nothing for a label
/// that does not occur. Background, which is not worth measuring, has the whole image.
std::vector<std::optional<Box>> label_boxes(const LabelView& labels);

}  // namespace assay::metrics
