// SPDX-License-Identifier: Apache-2.0
/// How the pixels of DICOM images are stored, and what they mean.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/image.hpp"
#include "assay/image/dicom/dicom_file.hpp"

namespace assay {

/// What every frame of an image has in common.
struct PixelFormat {
  std::size_t columns = 0, rows = 0;
  std::size_t allocated = 16, stored = 16, high = 15;  ///< bits, used bits, the highest of them
  bool is_signed = false;

  std::size_t frame_bytes() const { return columns * rows * allocated / 8; }
  VoxelType type() const;

  bool operator==(const PixelFormat&) const = default;
};

/// Throws Error::unsupported on colours and on types other than whole numbers of 8, 16 or 32 bits.
PixelFormat pixel_format(const DicomItem& data);

/// RescaleSlope and RescaleIntercept of each frame.
std::vector<Scaling> frame_scalings(const DicomItem& data, const std::vector<DicomItem>& frames);

/// Removes what is stored in unused bits, and extends the sign over them, in place.
void clear_unused_bits(std::span<std::byte> pixels, const PixelFormat& format);

/// Writes the values that the numbers of a frame mean; `into` has room for one float per pixel.
void rescale(std::span<const std::byte> pixels, const PixelFormat& format, const Scaling& scaling,
             std::span<float> into);

}  // namespace assay
