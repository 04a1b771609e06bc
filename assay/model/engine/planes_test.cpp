// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/planes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "assay/model/engine/kernels.hpp"

namespace assay::model::planes_test {

TEST(Planes, tiles_cover_an_axis_once) {
  for (std::size_t length = 1; length < 70; ++length)
    for (const std::size_t dilation : std::vector<std::size_t>{1, 2, 3, 16, 33, 100}) {
      std::map<std::size_t, int> seen;
      for (const PhaseTile& tile : phase_tiles(length, dilation))
        for (std::size_t i = 0; i < tile_side; ++i)
          if (const std::size_t at = tile.phase + dilation * (tile_side * tile.index + i);
              at < length)
            ++seen[at];
      ASSERT_EQ(seen.size(), length);
      for (const auto& [at, times] : seen) ASSERT_EQ(times, 1) << at;
    }
}

/// A layer as the engine runs it, watched plane by plane: nothing that is still to be read is
/// written, and there is always room.
TEST(Planes, no_plane_is_written_before_its_last_reader) {
  for (const Shape& shape : {Shape{1, 9, 1}, Shape{1, 9, 50}, Shape{1, 100, 33}, Shape{1, 300, 64}})
    for (const std::size_t dilation : std::vector<std::size_t>{1, 2, 3, 5, 16, 40}) {
      const PlaneLayout layout = plane_layout(shape, 1);
      std::vector<float> memory(layout.plane_stride * planes_needed(layout));
      PlaneTable table(layout, memory.data());
      for (int layer = 0; layer < 3; ++layer) {
        const auto tiles = phase_tiles(layout.depth, dilation);
        const std::size_t step = tiles_at_once(phase_tiles(layout.height, dilation).size());
        for (std::size_t first = 0; first < tiles.size(); first += step) {
          const std::size_t end = std::min(first + step, tiles.size());
          for (std::size_t t = first; t < end; ++t) table.make_room(tiles[t], dilation);
          std::set<const float*> still_read, written;
          for (std::size_t t = first; t < tiles.size(); ++t)
            for (std::size_t i = 0; i < window_side; ++i) {
              const std::size_t z =
                  tiles[t].phase + dilation * (tile_side * tiles[t].index + i) - dilation;
              if (z < layout.depth && layer > 0) still_read.insert(table.plane(z));
              if (z < layout.depth && t < end && i > 0 && i <= tile_side)
                written.insert(table.next_plane(z));
            }
          for (const float* plane : written) ASSERT_EQ(still_read.count(plane), 0U);
          for (std::size_t t = first; t < end; ++t) table.give_back(tiles[t], dilation);
        }
        table.turn_over();
        std::set<const float*> distinct;
        for (std::size_t z = 0; z < layout.depth; ++z) distinct.insert(table.plane(z));
        ASSERT_EQ(distinct.size(), layout.depth);
      }
    }
}

}  // namespace assay::model::planes_test
