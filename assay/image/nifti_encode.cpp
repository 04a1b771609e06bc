// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "assay/base/bytes.hpp"
#include "assay/base/gzip.hpp"
#include "assay/error.hpp"
#include "assay/image/nifti.hpp"
#include "assay/image/nifti_fields.hpp"

namespace assay {
namespace {

/// Writes fields in the widths of a version.
class Writer {
 public:
  explicit Writer(const NiftiVersion& version) : version_(version), bytes_(version.header_size) {}

  void real(std::size_t at, std::size_t index, double value) {
    at += index * version_.real_size();
    version_.is_wide ? put(at, value) : put(at, static_cast<float>(value));
  }
  void extent(std::size_t index, std::size_t value) {
    const std::size_t at = version_.dim + index * version_.extent_size();
    version_.is_wide ? put(at, static_cast<std::int64_t>(value))
                     : put(at, static_cast<std::int16_t>(value));
  }
  void form_code(std::size_t at, std::int16_t value) {
    version_.is_wide ? put(at, std::int32_t{value}) : put(at, value);
  }
  void voxel_offset(std::size_t value) {
    version_.is_wide ? put(version_.vox_offset, static_cast<std::int64_t>(value))
                     : put(version_.vox_offset, static_cast<float>(value));
  }
  void magic(std::string_view text) {
    std::ranges::copy(std::as_bytes(std::span(text)),
                      bytes_.begin() + static_cast<std::ptrdiff_t>(version_.magic));
  }
  template <class T>
  void put(std::size_t at, T value) {
    store_little_endian(bytes_.data() + at, value);
  }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  const NiftiVersion& version_;
  std::vector<std::byte> bytes_;
};

/// A rotation as a quaternion with a positive first part. NIfTI stores the other three parts.
struct Turn {
  std::array<double, 3> bcd;
  double qfac;  ///< -1 when the third axis is mirrored
};

/// The affine as a rotation of perpendicular axes; nothing when it has shear, which a qform cannot
/// express.
std::optional<Turn> turn_of(const Grid& grid) {
  const Point mm = spacing_mm(grid);
  std::array<Point, 3> axis{};  // unit vectors
  for (std::size_t column = 0; column < 3; ++column)
    for (std::size_t row = 0; row < 3; ++row)
      axis[column][row] = grid.affine[row][column] / mm[column];
  const auto dot = [](const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  const Point cross = {axis[0][1] * axis[1][2] - axis[0][2] * axis[1][1],
                       axis[0][2] * axis[1][0] - axis[0][0] * axis[1][2],
                       axis[0][0] * axis[1][1] - axis[0][1] * axis[1][0]};
  const double handedness = dot(cross, axis[2]);
  if (std::abs(dot(axis[0], axis[1])) > 1e-6 || !(std::abs(handedness) > 1 - 1e-6))
    return std::nullopt;
  const double qfac = handedness < 0 ? -1 : 1;
  for (double& x : axis[2]) x *= qfac;
  // Shepperd's method starts from the largest part of the quaternion, to avoid dividing by a small
  // number.
  const double xx = axis[0][0], yy = axis[1][1], zz = axis[2][2];
  const std::array<double, 4> squares = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz,
                                         1 - xx - yy + zz};
  const double yz = axis[1][2] - axis[2][1], zx = axis[2][0] - axis[0][2],
               xy = axis[0][1] - axis[1][0];
  const double xy_sum = axis[0][1] + axis[1][0], xz_sum = axis[0][2] + axis[2][0],
               yz_sum = axis[1][2] + axis[2][1];
  const std::array<std::array<double, 4>, 4> parts = {{{squares[0], yz, zx, xy},
                                                       {yz, squares[1], xy_sum, xz_sum},
                                                       {zx, xy_sum, squares[2], yz_sum},
                                                       {xy, xz_sum, yz_sum, squares[3]}}};
  const auto largest =
      static_cast<std::size_t>(std::distance(squares.begin(), std::ranges::max_element(squares)));
  const double scale = (parts[largest][0] < 0 ? -0.5 : 0.5) / std::sqrt(squares[largest]);
  return Turn{{parts[largest][1] * scale, parts[largest][2] * scale, parts[largest][3] * scale},
              qfac};
}

void put_forms(Writer& writer, const NiftiVersion& version, const Grid& grid) {
  const Point mm = spacing_mm(grid);
  writer.real(version.pixdim, 0, 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    writer.real(version.pixdim, axis + 1, mm[axis]);
    for (std::size_t column = 0; column < 4; ++column)
      writer.real(version.srow, 4 * axis + column, grid.affine[axis][column]);
  }
  writer.form_code(version.sform_code, 1);
  const auto turn = turn_of(grid);
  // Qform_code stays 0: no qform is better than one that disagrees with the sform.
  if (!turn) return;
  writer.form_code(version.qform_code, 1);
  writer.real(version.pixdim, 0, turn->qfac);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    writer.real(version.quatern, axis, turn->bcd[axis]);
    writer.real(version.qoffset, axis, grid.affine[axis][3]);
  }
}

const NiftiVersion& version_for(const Grid& grid) {
  constexpr std::size_t most = std::numeric_limits<std::int16_t>::max();
  return nifti_versions[std::ranges::max(grid.shape) > most ? 1 : 0];
}

std::vector<std::byte> header_bytes(const Encodable& image, bool pair) {
  require_usable(image.grid.affine, "affine", "give a grid with three independent axes");
  const NiftiVersion& version = version_for(image.grid);
  const auto type = std::ranges::find(nifti_data_types, image.type, &NiftiDataType::type);
  if (type == nifti_data_types.end())
    throw Error(Error::Kind::unsupported, "this voxel type cannot be written");
  Writer writer(version);
  writer.put(0, static_cast<std::int32_t>(version.header_size));
  writer.put(version.datatype, static_cast<std::int16_t>(type->code));
  writer.put(version.bitpix, static_cast<std::int16_t>(8 * bytes_per_voxel(image.type)));
  writer.extent(0, image.volumes > 1 ? 4 : 3);
  for (std::size_t i = 1; i < 8; ++i) writer.extent(i, i <= 3 ? image.grid.shape[i - 1] : 1);
  writer.extent(4, image.volumes);
  writer.voxel_offset(pair ? 0 : version.least_offset());
  writer.real(version.scl_slope, 0, image.slope);
  writer.put(version.xyzt_units, std::uint8_t{2});  // millimetres; the lowest byte in both versions
  writer.magic(pair ? version.pair_magic : version.single_magic);
  put_forms(writer, version, image.grid);
  return std::move(writer).take();
}

}  // namespace

std::vector<EncodedFile> encode_nifti(const std::filesystem::path& path, const Encodable& image) {
  std::vector<std::byte> bytes = header_bytes(image, false);
  bytes.reserve(bytes.size() + 4 + image.voxels.size());
  bytes.insert(bytes.end(), 4, std::byte{0});  // no extensions
  append_little_endian(bytes, image);
  if (path.extension() == ".gz") bytes = deflate_gzip(bytes);
  return {{path, std::move(bytes)}};
}

std::vector<EncodedFile> encode_nifti_pair(const std::filesystem::path& path,
                                           const Encodable& image) {
  auto voxel_path = path;
  voxel_path.replace_extension(".img");
  std::vector<std::byte> voxels;
  append_little_endian(voxels, image);
  return {{std::move(voxel_path), std::move(voxels)}, {path, header_bytes(image, true)}};
}

}  // namespace assay
