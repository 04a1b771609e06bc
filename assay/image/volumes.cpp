// SPDX-License-Identifier: Apache-2.0
#include "assay/image/volumes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/layout.hpp"

namespace assay {

Image one_volume(const Image& image, std::size_t number, Buffer scratch) {
  ImageHeader header = image.header();
  if (number == 0 || number > header.channels)
    throw Error(Error::Kind::input, fmt::format("has {}, and volume {} of the other file has no "
                                                "counterpart",
                                                counted(header.channels, "volume"), number));
  const std::size_t channels = std::exchange(header.channels, 1), first = number - 1;
  const bool is_interleaved = std::exchange(header.interleaved, false) && channels > 1;
  const std::size_t size = voxel_bytes(header), width = bytes_per_voxel(header.type);
  const std::span<std::byte> to = room_in(scratch, size);
  const std::span<const std::byte> from = image.voxels();
  if (!is_interleaved)
    std::ranges::copy(from.subspan(first * size, size), to.begin());
  else
    for (std::size_t i = 0; i < size / width; ++i)
      std::ranges::copy(from.subspan((i * channels + first) * width, width),
                        to.begin() + static_cast<std::ptrdiff_t>(i * width));
  return {header, std::move(scratch), 0};
}

}  // namespace assay
