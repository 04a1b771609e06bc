// SPDX-License-Identifier: Apache-2.0
/// Two sets of named structures, which may overlap, on one grid.
#pragma once

#include <string>
#include <vector>

#include "assay/image/structures.hpp"
#include "assay/metrics.hpp"
#include "assay/volume.hpp"

namespace assay::score {

/// A label map as structures without names; the background is not a structure.
StructureSet structures_of(const LabelView& labels);

struct StructurePair {
  StructureSet prediction, reference;  ///< on one grid
  std::string warning{};               ///< "" when their grids are equal
};

/// Axis flips and permutations are resolved. Grids that are different extents of one lattice are
/// extended to the smallest grid that holds both. All others throw Error::input as `aligned` does.
StructurePair settled_pair(StructureSet prediction, StructureSet reference,
                           bool allow_affine_mismatch);

/// The structures that make up one region on each side. A side without numbers means all
/// structures.
struct StructureRegion {
  metrics::Region region;
  std::vector<Label> prediction{}, reference{};
};

/// The regions for keys that name structures of the reference.
std::vector<StructureRegion> named_regions(const StructurePair& pair,
                                           const std::vector<std::string>& keys);

/// The regions of numbered structures; with `all_labels`, one for each number that occurs.
std::vector<StructureRegion> numbered_regions(const StructurePair& pair,
                                              const std::vector<metrics::Region>& regions,
                                              bool all_labels);

/// The numbers of structures that are not empty.
metrics::OccurringLabels occurring_numbers(const StructurePair& pair);

}  // namespace assay::score
