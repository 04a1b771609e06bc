// SPDX-License-Identifier: Apache-2.0
/// Images whose parts can be read separately, so that one of any size needs little memory: TIFF and
/// Zarr. Both have levels, which repeat the picture at smaller sizes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/image.hpp"
#include "assay/image/layout.hpp"

namespace assay {

/// One level of such a file. Not for several threads at once; each must open its own.
class TiledImage {
 public:
  TiledImage(Layout layout, const Shape& tile) : layout_(std::move(layout)), tile_(tile) {}
  virtual ~TiledImage() = default;
  TiledImage(const TiledImage&) = delete;
  TiledImage& operator=(const TiledImage&) = delete;

  const Layout& layout() const { return layout_; }
  const Shape& shape() const { return layout_.header.grid.shape; }
  /// Voxels of a tile along each axis. The last ones may reach beyond the image.
  const Shape& tile() const { return tile_; }
  std::size_t voxel_size() const {
    return layout_.header.channels * bytes_per_voxel(layout_.header.type);
  }
  std::size_t tile_size() const { return tile_[0] * tile_[1] * tile_[2] * voxel_size(); }

  /// Fills `into`, which has room for a tile, x fastest. Voxels beyond the image are undefined.
  /// Throws Error::input.
  virtual void read_tile(const Shape& at, std::span<std::byte> into) = 0;

 private:
  Layout layout_;
  Shape tile_;
};

/// A part of an image.
struct ImagePart {
  Shape first, size;

  std::size_t voxels() const { return size[0] * size[1] * size[2]; }
};

/// Fills `into` with the voxels of a box, which lies within the image; `tile` is scratch memory.
void read_box(TiledImage& image, const ImagePart& box, std::span<std::byte> into, Buffer& tile);

/// Whether the path is an image that consists of a folder.
bool is_folder_image(const std::filesystem::path& path);

/// The image if it can be read by parts, else nullptr: a Zarr folder, or a TIFF file by its name.
/// Throws Error (io, input, unsupported), also when it does not have that level.
std::unique_ptr<TiledImage> open_tiled(const std::filesystem::path& path, std::size_t level);

/// Throws Error unless the level exists: `levels` is how many there are.
void require_level(std::size_t level, std::size_t levels);

}  // namespace assay
