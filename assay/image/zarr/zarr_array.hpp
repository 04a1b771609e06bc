// SPDX-License-Identifier: Apache-2.0
/// What the JSON files of a Zarr folder say (version 2 of the format, and OME-NGFF on top of it).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// How chunks are compressed.
enum class ChunkPacking { none, zlib, gzip, zstd, blosc };

/// An array in chunks of equal size, each in a file of its own.
struct ZarrArray {
  std::vector<std::size_t> shape, chunks;  ///< slowest axis first; both have the same length
  VoxelType type = VoxelType::u8;
  bool byte_swapped = false;
  bool first_axis_fastest = false;  ///< within a chunk (order "F")
  char separator = '.';             ///< between the numbers of a chunk's name
  ChunkPacking packing = ChunkPacking::none;
  std::vector<std::byte> fill{};  ///< stored form of a voxel of chunks that have no file

  /// Bytes of a chunk, decompressed.
  std::size_t chunk_size() const;
};

/// Reads `.zarray`. Throws Error (input, unsupported) when it is damaged or asks for what assay
/// does not read.
ZarrArray parse_zarr_array(std::string_view text);

/// An axis as OME-NGFF names it.
struct ZarrAxis {
  std::string name;    ///< "x", "y", "z", or something else, of which there must be one
  double unit_mm = 0;  ///< 0 where it is not a length
};

/// One resolution of an image.
struct ZarrLevel {
  std::string path;           ///< of its array, below the folder
  std::vector<double> scale;  ///< in the units of the axes; empty where it is not stated
};

struct ZarrMultiscale {
  std::vector<ZarrAxis> axes{};  ///< empty in old files: then the last ones are z, y, x
  std::vector<ZarrLevel> levels{};
};

/// Reads the multiscales of `.zattrs`; nothing when it has none. Throws Error::input.
std::optional<ZarrMultiscale> parse_multiscale(std::string_view text);

/// Decompresses a chunk into `into`, which has chunk_size() bytes and must be filled exactly.
/// Throws Error (input, unsupported).
void decode_chunk(ChunkPacking packing, std::span<const std::byte> chunk,
                  std::span<std::byte> into);

}  // namespace assay
