// SPDX-License-Identifier: Apache-2.0
/// Decompression straight to runs of equal voxels. Most of a compressed mask is one repeated token.
/// Such tokens are counted, and their voxels are never written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// What deflate data are wrapped in.
enum class DeflateWrapper { gzip, zlib, none };

/// Compressed voxels, and where they are once they are decompressed.
struct PackedVoxels {
  std::span<const std::byte> bytes;
  DeflateWrapper wrapper = DeflateWrapper::gzip;
  std::size_t offset = 0;                   ///< bytes before the first voxel
  std::size_t count = 0;                    ///< of voxels
  std::size_t width = 1;                    ///< bytes per voxel
  std::optional<std::uint32_t> checksum{};  ///< CRC-32 of everything, where the wrapper has none
  std::size_t most_runs = SIZE_MAX;         ///< data with more runs are busy

  std::size_t size() const { return offset + count * width; }
};

/// Whether these voxels are read as runs or decompressed: runs pay off where the voxels are at
/// least a hundred times larger than the file, and `inflate_runs` can read voxels of 1, 2, 4 or 8
/// bytes, fewer than 2^32 of them.
bool is_for_runs(const PackedVoxels& packed, VoxelReader reader);

enum class InflatedTo {
  runs,
  bytes,   ///< there are so many runs that bytes are better
  nothing  ///< the data are damaged or of the wrong size: the ordinary reader says which
};

/// After this many runs, busy data are abandoned even in the middle of a block, where they cannot
/// be handed over. The ordinary reader then starts again, which costs little at that point.
inline constexpr std::size_t most_runs_in_a_block = 65536;

/// Decompresses everything and checks its checksums and lengths. When the data turn out to be busy,
/// the rest is left to libdeflate, and everything is put into `room()`, which has `packed.size()`
/// bytes; those before the first voxel are then undefined. If the room is empty, the result is
/// `nothing`.
InflatedTo inflate_runs(const PackedVoxels& packed, VoxelRuns& out,
                        const std::function<std::span<std::byte>()>& room);

/// Writes the voxels of the runs, as they are stored.
void expand_runs(const VoxelRuns& runs, std::size_t width, std::span<std::byte> out);

}  // namespace assay
