// SPDX-License-Identifier: Apache-2.0
/// Small masks for tests: drawn at random, and packed as the program packs them.
#pragma once

#include <random>
#include <vector>

#include "assay/metrics.hpp"
#include "assay/metrics/bit_volume.hpp"

namespace assay::test {

/// A mask that owns its bits.
struct Mask {
  Shape shape{};
  std::vector<std::uint8_t> voxels{};
  std::vector<std::uint64_t> words{};

  Mask(const Shape& s, std::vector<std::uint8_t> v)
      : shape(s), voxels(std::move(v)), words(metrics::packed_words(voxels.size())) {
    metrics::pack_foreground(voxels, words);
  }
  metrics::PackedMask packed() const { return {shape, words}; }
  bool at(metrics::Index x, metrics::Index y, metrics::Index z) const {
    const auto nx = static_cast<metrics::Index>(shape[0]),
               ny = static_cast<metrics::Index>(shape[1]);
    const auto nz = static_cast<metrics::Index>(shape[2]);
    if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) return false;
    return voxels[static_cast<std::size_t>(x + nx * (y + ny * z))] != 0;
  }
  bool empty() const { return !metrics::bounding_box(packed()); }
};

inline Mask random_mask(std::mt19937_64& rng, const Shape& shape, double share) {
  std::vector<std::uint8_t> voxels(shape[0] * shape[1] * shape[2]);
  for (auto& voxel : voxels)
    voxel = std::generate_canonical<double, 53>(rng) < share ? std::uint8_t{1} : std::uint8_t{0};
  return {shape, std::move(voxels)};
}

inline Shape random_shape(std::mt19937_64& rng, std::size_t longest) {
  return {1 + rng() % longest, 1 + rng() % longest, 1 + rng() % longest};
}

/// Spacings as scanners have them, equal and unequal, exact in binary and not.
inline Point random_spacing(std::mt19937_64& rng) {
  constexpr Point known[] = {{1, 1, 1},     {1, 1, 3},        {0.5, 2, 1},
                             {0.7, 0.7, 5}, {0.85, 1.2, 0.9}, {3, 1, 0.333}};
  return known[rng() % std::size(known)];
}

/// All places where a volume has a bit.
inline std::vector<metrics::Place> places(const metrics::BitVolume& volume) {
  std::vector<metrics::Place> out;
  for (metrics::Index z = 0; z < volume.size()[2]; ++z)
    for (metrics::Index y = 0; y < volume.size()[1]; ++y)
      for (metrics::Index x = 0; x < volume.size()[0]; ++x)
        if (volume.at(x, y, z)) out.push_back({x, y, z});
  return out;
}

}  // namespace assay::test
