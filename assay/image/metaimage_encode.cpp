// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "assay/error.hpp"
#include "assay/image/metaimage.hpp"
#include "assay/image/metaimage_types.hpp"

namespace assay {
namespace {

/// The shortest text that reads back as the same number: the grid survives exactly.
std::string shortest(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number == 0 ? 0.0 : number).ptr;
  return {text, end};
}

/// RAS+ to ITK's LPS.
double sign_of(std::size_t row) {
  return row < 2 ? -1 : 1;
}

std::string header_text(const Encodable& image, std::string_view data_file) {
  require_usable(image.grid.affine, "affine", "give a grid with three independent axes");
  const Point mm = spacing_mm(image.grid);
  std::string matrix, offset, spacing, size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t row = 0; row < 3; ++row)
      matrix += " " + shortest(sign_of(row) * image.grid.affine[row][axis] / mm[axis]);
    offset += " " + shortest(sign_of(axis) * image.grid.affine[axis][3]);
    spacing += " " + shortest(mm[axis]);
    size += " " + std::to_string(image.grid.shape[axis]);
  }
  const auto type = std::ranges::find(metaimage_types, image.type, &Named<VoxelType>::value);
  if (type == std::end(metaimage_types))
    throw Error(Error::Kind::unsupported, "this voxel type cannot be written");
  return "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
         "CompressedData = False\nTransformMatrix =" +
         matrix + "\nOffset =" + offset + "\nCenterOfRotation = 0 0 0\nElementSpacing =" + spacing +
         "\nDimSize =" + size + "\nElementType = " + std::string(type->name) +
         "\nElementDataFile = " + std::string(data_file) + "\n";
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<EncodedFile> encode_mha(const std::filesystem::path& path, const Encodable& image) {
  auto bytes = bytes_of(header_text(image, "LOCAL"));
  append_little_endian(bytes, image);
  return {{path, std::move(bytes)}};
}

std::vector<EncodedFile> encode_mhd(const std::filesystem::path& path, const Encodable& image) {
  auto voxel_path = path;
  voxel_path.replace_extension(".raw");
  std::vector<std::byte> voxels;
  append_little_endian(voxels, image);
  auto header = bytes_of(header_text(image, voxel_path.filename().string()));
  return {{std::move(voxel_path), std::move(voxels)}, {path, std::move(header)}};
}

}  // namespace assay
