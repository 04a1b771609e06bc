// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/pixels.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom/frames.hpp"

namespace assay {
namespace {

/// Calls `use` with a number of the stored type.
template <class Use>
void with_pixel_type(const PixelFormat& format, Use use) {
  switch (format.type()) {
    case VoxelType::u8: return use(std::uint8_t{});
    case VoxelType::i8: return use(std::int8_t{});
    case VoxelType::u16: return use(std::uint16_t{});
    case VoxelType::i16: return use(std::int16_t{});
    case VoxelType::u32: return use(std::uint32_t{});
    default: return use(std::int32_t{});
  }
}

/// The bits from `high` down, `stored` of them, as a number of their own.
template <class Pixel>
Pixel used_bits(Pixel pixel, const PixelFormat& format) {
  using Unsigned = std::make_unsigned_t<Pixel>;
  const auto up = static_cast<unsigned>(format.allocated - 1 - format.high);
  const auto down = static_cast<unsigned>(format.allocated - format.stored);
  const auto shifted = static_cast<Unsigned>(static_cast<Unsigned>(pixel) << up);
  return static_cast<Pixel>(static_cast<Pixel>(shifted) >> down);  // keeps the sign, if it has one
}

}  // namespace

VoxelType PixelFormat::type() const {
  if (allocated == 8) return is_signed ? VoxelType::i8 : VoxelType::u8;
  if (allocated == 16) return is_signed ? VoxelType::i16 : VoxelType::u16;
  return is_signed ? VoxelType::i32 : VoxelType::u32;
}

PixelFormat pixel_format(const DicomItem& data) {
  PixelFormat out = {.columns = size_in(data, DCM_Columns, "Columns", 65535),
                     .rows = size_in(data, DCM_Rows, "Rows", 65535),
                     .allocated = size_in(data, DCM_BitsAllocated, "BitsAllocated", 64),
                     .is_signed = data.number(DCM_PixelRepresentation).value_or(0) != 0};
  const bool is_colored = data.number(DCM_SamplesPerPixel).value_or(1) != 1 ||
                          data.text(DCM_PhotometricInterpretation) == "PALETTE COLOR";
  if (is_colored || (out.allocated != 8 && out.allocated != 16 && out.allocated != 32))
    throw Error(
        Error::Kind::unsupported,
        "is a colour image or has an unsupported pixel type; assay reads one number of 8, 16 "
        "or 32 bits per pixel");
  const auto bits = static_cast<double>(out.allocated);
  const double stored = data.number(DCM_BitsStored).value_or(bits);
  const double high = data.number(DCM_HighBit).value_or(stored - 1);
  if (!(stored >= 1 && stored <= bits && high >= stored - 1 && high < bits))
    throw Error(Error::Kind::input, "states impossible BitsStored or HighBit; export it again");
  out.stored = static_cast<std::size_t>(stored);
  out.high = static_cast<std::size_t>(high);
  return out;
}

std::vector<Scaling> frame_scalings(const DicomItem& data, const std::vector<DicomItem>& frames) {
  std::vector<Scaling> out;
  out.reserve(frames.size());
  for (const DicomItem& frame : frames) {
    const DicomItem from =
        frame_group(frame, data, DCM_PixelValueTransformationSequence).value_or(data);
    out.push_back(
        {from.number(DCM_RescaleSlope).value_or(1), from.number(DCM_RescaleIntercept).value_or(0)});
  }
  return out;
}

void clear_unused_bits(std::span<std::byte> pixels, const PixelFormat& format) {
  if (format.stored == format.allocated) return;
  with_pixel_type(format, [&](auto example) {
    using Pixel = decltype(example);
    for (std::size_t at = 0; at + sizeof(Pixel) <= pixels.size(); at += sizeof(Pixel)) {
      const Pixel used = used_bits(load<Pixel, false>(pixels.data() + at), format);
      std::memcpy(pixels.data() + at, &used, sizeof used);
    }
  });
}

void rescale(std::span<const std::byte> pixels, const PixelFormat& format, const Scaling& scaling,
             std::span<float> into) {
  with_pixel_type(format, [&](auto example) {
    using Pixel = decltype(example);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const Pixel used = used_bits(load<Pixel, false>(pixels.data() + i * sizeof(Pixel)), format);
      into[i] = static_cast<float>(static_cast<double>(used) * scaling.slope + scaling.intercept);
    }
  });
}

}  // namespace assay
