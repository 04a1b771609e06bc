// SPDX-License-Identifier: Apache-2.0
/// Which labels a cohort has, and what is odd about those that are scored.
#pragma once

#include <string>
#include <vector>

#include "assay/cohort.hpp"

namespace assay::metrics {

/// Labels that occur in any prediction and in any reference of the scored cases; empty lists where
/// nothing was read as a label map.
OccurringLabels occurring_labels(const SegmentationResult& result);

/// The scored regions of which no label occurs on either side of any case.
std::vector<Region> absent_regions(const SegmentationResult& result);

/// The sentence that refuses such a result: which labels are absent, and which do occur.
std::string absence(const std::vector<Region>& absent, const OccurringLabels& found);

/// What a reader of the results must know about their labels: predictions and references have none
/// in common, a label occurs nowhere, or in predictions only.
std::vector<std::string> label_warnings(const SegmentationResult& result);

}  // namespace assay::metrics
