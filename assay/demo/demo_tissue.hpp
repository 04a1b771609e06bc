// SPDX-License-Identifier: Apache-2.0
/// What is on a made-up slide.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/image/picture.hpp"

namespace assay::demo {

/// Tissue as a function of place: any part can be drawn on its own, and parts fit together.
class DemoTissue {
 public:
  DemoTissue(std::int64_t width, std::int64_t height, std::uint32_t seed);

  /// The square with its upper left corner at (x, y); white where the slide has ended.
  Picture tile(std::int64_t x, std::int64_t y, std::int64_t side) const;

 private:
  struct Ground {
    float tissue;  ///< above 0: inside
    float stain;   ///< 0 pale to 1 dark
  };

  Ground ground(std::int64_t x, std::int64_t y) const;
  float nucleus(std::int64_t x, std::int64_t y) const;

  std::int64_t width_, height_;
  std::uint32_t seed_;
  std::int64_t columns_ = 0;
  std::vector<Ground> coarse_{};  ///< at every 16th pixel; smooth in between
};

}  // namespace assay::demo
