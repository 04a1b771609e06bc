// SPDX-License-Identifier: Apache-2.0
/// A picture in memory: rows from the top, three bytes a pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};  ///< width * height * 3

  static Picture filled(std::size_t width, std::size_t height, std::uint8_t grey = 255) {
    return {width, height, std::vector<std::uint8_t>(width * height * 3, grey)};
  }
  std::uint8_t* at(std::size_t x, std::size_t y) { return rgb.data() + (y * width + x) * 3; }
  const std::uint8_t* at(std::size_t x, std::size_t y) const {
    return rgb.data() + (y * width + x) * 3;
  }

  bool operator==(const Picture&) const = default;
};

}  // namespace assay
