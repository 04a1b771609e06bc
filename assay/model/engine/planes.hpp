// SPDX-License-Identifier: Apache-2.0
/// Activations as planes that change places, so that a layer's output can reuse the memory of its
/// input.
//
// With dilation d, the planes z, z + d, z + 2 d ... of a volume depend only on each other; they
// form a phase. A tile computes four of them from six. The next tile of the same phase still needs
// the last two of those six, and nothing needs the first four any more. So planes are processed
// phase by phase, and a plane is free as soon as the last tile that reads it is done. One volume
// and a few planes therefore suffice instead of two volumes. The place of each plane is decided
// before any tile runs, so it does not depend on threads.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/volume.hpp"

namespace assay::model {

/// Rows of all channels are stored together: [plane][y][channel][x].
struct PlaneLayout {
  std::size_t width = 0, padded_width = 0, height = 0, depth = 0;
  std::size_t row_stride = 0;    ///< floats from channel to channel
  std::size_t line_stride = 0;   ///< floats from y to y
  std::size_t plane_stride = 0;  ///< floats from plane to plane
};

PlaneLayout plane_layout(const Shape& shape, std::size_t channels);

/// Four outputs of one phase along an axis: the phase's elements 4 * index to 4 * index + 3.
struct PhaseTile {
  std::size_t phase = 0, index = 0;
};

/// All tiles along an axis of `length`, phase by phase.
std::vector<PhaseTile> phase_tiles(std::size_t length, std::size_t dilation);

/// How many tiles along z are computed at once: together with those along y enough for many
/// threads.
std::size_t tiles_at_once(std::size_t tiles_along_y);

/// How many planes have to exist for a volume of that height and depth, whatever the dilation.
std::size_t planes_needed(const PlaneLayout& layout);

/// The places of the planes of the current activations and of those being computed.
class PlaneTable {
 public:
  PlaneTable(const PlaneLayout& layout, float* memory);

  const PlaneLayout& layout() const { return layout_; }
  float* plane(std::size_t z) const { return current_[z]; }

  /// Whether the current activations lie in these planes. Those of the first layer do not, so it
  /// gives no plane back.
  bool has_input() const { return !current_.empty(); }

  /// Takes planes for the outputs of a tile. To be called in the order of the tiles.
  void make_room(const PhaseTile& tile, std::size_t dilation);
  /// Gives back the planes that no tile after this one reads.
  void give_back(const PhaseTile& tile, std::size_t dilation);
  /// Makes the computed planes the current ones.
  void turn_over();

  float* next_plane(std::size_t z) const { return next_[z]; }

 private:
  PlaneLayout layout_;
  std::vector<float*> current_, next_, free_;
};

}  // namespace assay::model
