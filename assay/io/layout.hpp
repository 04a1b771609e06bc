// SPDX-License-Identifier: Apache-2.0
/// What a format's header parser hands over: meaning of the voxels, and where their bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/io/image.hpp"

namespace assay {

/// Everything needed to fetch the voxels. Parsers fill it and touch no file.
struct Layout {
  ImageHeader header;
  /// Where the voxels are if not in the header's own file: names to try in this order.
  std::vector<std::filesystem::path> voxel_files;
  std::size_t offset = 0;  ///< of the voxels in their file, after any gzip
  bool at_end = false;     ///< the voxels are the file's last bytes; `offset` is unused
  bool is_zlib = false;    ///< the voxels are one zlib stream from `offset` on
  std::optional<std::size_t> zlib_size;  ///< its length; without one it runs to the file's end
};

/// One file of an encoded image. Several are written in their order, the header last.
struct EncodedFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;
};

/// A volume about to be encoded.
struct Encodable {
  Grid grid;
  VoxelType type = VoxelType::u8;
  std::span<const std::byte> voxels;  ///< in this machine's byte order
};

/// The three extents of an image whose header lists two to seven. Throws Error when one is not
/// positive, or when there is more than one volume.
Shape shape_from(std::span<const std::int64_t> extents);

/// Bytes of all voxels. Throws Error when the number does not fit: such a header lies.
std::size_t voxel_bytes(const ImageHeader& header);

/// Throws Error unless the affine maps voxels to distinct, finite places. `name` is what the format
/// calls it, `remedy` what can be done.
void require_usable(const Affine& affine, std::string_view name, std::string_view remedy);

/// Room for `size` bytes. Throws Error when there is none: a cohort must not end because one header
/// asks for more than the machine has.
std::span<std::byte> room_in(Buffer& buffer, std::size_t size);

/// The voxels with the lowest byte first, whatever the machine.
void append_little_endian(std::vector<std::byte>& out, const Encodable& image);

}  // namespace assay
