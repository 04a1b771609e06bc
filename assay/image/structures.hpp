// SPDX-License-Identifier: Apache-2.0
/// Named structures of one image that may overlap, as DICOM keeps them: segments and contours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/volume.hpp"

namespace assay {

/// Consecutive stored voxels, from `first` up to but not including `end`.
struct VoxelSpan {
  std::uint32_t first = 0, end = 0;

  bool operator==(const VoxelSpan&) const = default;
};

using VoxelSpans = std::vector<VoxelSpan>;  ///< ascending, not touching

/// What a structure is called.
struct StructureName {
  Label number = 0;    ///< of the segment or the region of interest; the label in a label map
  std::string name{};  ///< "Liver"
  std::string code{};  ///< "SCT 10200004", of what was segmented; "" when it has none
  std::optional<Color> color{};  ///< in which it is to be shown

  bool operator==(const StructureName&) const = default;
};

struct Structure {
  StructureName is;
  VoxelSpans voxels{};
};

struct StructureSet {
  Grid grid{};
  std::vector<Structure> structures{};
};

/// Adds a span after the existing ones; one that touches the last lengthens it.
inline void append_span(VoxelSpans& spans, std::uint32_t first, std::uint32_t end) {
  if (!spans.empty() && spans.back().end == first)
    spans.back().end = end;
  else
    spans.push_back({first, end});
}

/// Appends the pixels that are set, of `count` pixels of one bit each, the lowest bit first, from
/// bit `start` of `bits` on. The first pixel is voxel `first`.
void append_set_bits(VoxelSpans& spans, std::span<const std::byte> bits, std::size_t start,
                     std::size_t count, std::uint32_t first);

/// Spans in any order, with gaps or not, as ascending ones that do not touch.
VoxelSpans united(VoxelSpans spans);

/// The structures of these numbers as one; all structures when no number is given.
VoxelSpans voxels_of(const StructureSet& set, std::span<const Label> numbers);

/// The spans as codes 1 among 0, over all voxels.
std::vector<Run> runs_of(std::span<const VoxelSpan> spans, std::size_t voxels);

/// Throws Error::input unless spans can count the voxels of a grid.
void require_countable(const Grid& grid);

/// The numbers of two structures on one voxel, if any are.
std::optional<std::array<Label, 2>> overlap_in(const StructureSet& set);

// ---- Structures on one lattice.

/// The smallest grid that holds both, if their axes run alike and the voxels of one lie on those of
/// the other; nothing when they do not.
std::optional<Grid> common_grid(const Grid& a, const Grid& b);

/// The same structures on `grid`, which holds theirs.
StructureSet placed_on(const Grid& grid, StructureSet set);

/// The same structures with their voxels walked by `map`.
StructureSet walked_by(const AxisMap& map, StructureSet set);

// ---- Which structure of a prediction is which of a reference.

/// The numbers of the structures that are named `name`, without regard to case.
std::vector<Label> numbers_named(std::span<const StructureName> names, std::string_view name);

/// The structures of a prediction that are meant by `name` in the reference: those with the same
/// name, or else those with the same code, if only structures of that name have it.
std::vector<Label> numbers_meant(std::span<const StructureName> prediction,
                                 std::span<const StructureName> reference, std::string_view name);

}  // namespace assay
