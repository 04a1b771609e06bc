// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nifti.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"
#include "assay/image/nifti_fields.hpp"

namespace assay {
namespace {

/// Millimetres in one unit of length, by its code; any other code (0: unknown) is treated as mm.
struct Unit {
  int code;
  double mm;
};
constexpr std::array length_units = {Unit{1, 1000}, Unit{2, 1}, Unit{3, 0.001}};

/// The fields of a header, whatever its version and byte order.
class NiftiFields {
 public:
  NiftiFields(std::span<const std::byte> head, const NiftiVersion& version, bool swapped)
      : head_(head), version_(&version), swapped_(swapped) {}

  const NiftiVersion& version() const { return *version_; }
  bool swapped() const { return swapped_; }

  double real(std::size_t at, std::size_t index = 0) const {
    at += index * version_->real_size();
    return version_->is_wide ? get<double>(at) : double{get<float>(at)};
  }
  std::int64_t extent(std::size_t index) const {
    const std::size_t at = version_->dim + index * version_->extent_size();
    return version_->is_wide ? get<std::int64_t>(at) : get<std::int16_t>(at);
  }
  int form_code(std::size_t at) const {
    return version_->is_wide ? get<std::int32_t>(at) : get<std::int16_t>(at);
  }
  int units() const {
    const std::size_t at = version_->xyzt_units;
    return version_->is_wide ? get<std::int32_t>(at) : get<std::uint8_t>(at);
  }
  int datatype() const { return get<std::int16_t>(version_->datatype); }
  /// As stored; a float in NIfTI-1, so it may be anything.
  long double voxel_offset() const {
    const std::size_t at = version_->vox_offset;
    return version_->is_wide ? static_cast<long double>(get<std::int64_t>(at)) : get<float>(at);
  }
  std::string_view magic() const {
    return {reinterpret_cast<const char*>(head_.data()) + version_->magic, version_->magic_size};
  }

 private:
  template <class T>
  T get(std::size_t at) const {
    return load<T>(head_.data() + at, swapped_);
  }

  std::span<const std::byte> head_;
  const NiftiVersion* version_;
  bool swapped_;
};

/// By the header's own length, its first field, in either byte order.
std::optional<NiftiFields> fields_of(std::span<const std::byte> head) {
  if (head.size() < 4) return std::nullopt;
  for (const NiftiVersion& version : nifti_versions)
    for (const bool swapped : {false, true})
      if (load<std::uint32_t>(head.data(), swapped) == version.header_size)
        return NiftiFields(head, version, swapped);
  return std::nullopt;
}

/// Whether the voxels are in a file of their own. Throws unless the magic is intact.
bool is_pair(const NiftiFields& fields) {
  const NiftiVersion& version = fields.version();
  if (fields.magic() == version.single_magic) return false;
  if (fields.magic() == version.pair_magic) return true;
  if (version.is_wide)
    throw Error(Error::Kind::input,
                "its NIfTI-2 signature is damaged, as happens when a file is transferred as text; "
                "transfer it again as binary");
  throw Error(Error::Kind::unsupported,
              "is an Analyze 7.5 header (or a NIfTI-1 header whose signature is damaged): Analyze "
              "cannot tell left from right; convert the image to NIfTI");
}

VoxelType voxel_type(const NiftiFields& fields) {
  const int code = fields.datatype();
  const auto row = std::ranges::find(nifti_data_types, code, &NiftiDataType::code);
  if (row == nifti_data_types.end())
    throw Error(Error::Kind::unsupported,
                fmt::format("its data type has the code {}, which NIfTI does not define", code));
  if (!row->type)
    throw Error(Error::Kind::unsupported,
                fmt::format("its data type is {}; assay reads scalar voxels only, so convert it",
                            row->name));
  return *row->type;
}

std::vector<std::int64_t> extents(const NiftiFields& fields) {
  const std::int64_t count = fields.extent(0);
  if (count < 2 || count > 7)
    throw Error(Error::Kind::input,
                fmt::format("its header counts {} axes; an image has 2 to 7", count));
  std::vector<std::int64_t> all;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(count); ++i)
    all.push_back(fields.extent(i));
  return all;
}

/// A slope of 0, NaN or infinity means "not scaled", as in nibabel.
Scaling scaling(const NiftiFields& fields) {
  const double slope = fields.real(fields.version().scl_slope);
  const double intercept = fields.real(fields.version().scl_inter);
  if (slope == 0 || !std::isfinite(slope)) return {};
  if (!std::isfinite(intercept))
    throw Error(Error::Kind::input,
                "its scl_inter is NaN or infinite though scl_slope is not; repair the header");
  return {slope, intercept};
}

/// Voxel sizes as nibabel repairs them: no signs, and 1 for 0.
Point pixdims(const NiftiFields& fields) {
  Point mm{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = std::abs(fields.real(fields.version().pixdim, axis + 1));
    mm[axis] = size == 0 ? 1 : size;
  }
  return mm;
}

Affine sform(const NiftiFields& fields) {
  Affine affine{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      affine[row][column] = fields.real(fields.version().srow, 4 * row + column);
  return affine;
}

using Rotation = std::array<std::array<long double, 3>, 3>;

/// The rotation that the header's quaternion describes. In long double and in nibabel's order of
/// operations, so that both round in the same way.
Rotation rotation(const NiftiFields& fields) {
  const NiftiVersion& version = fields.version();
  const long double x = fields.real(version.quatern), y = fields.real(version.quatern, 1),
                    z = fields.real(version.quatern, 2);
  const long double w_squared = 1 - (x * x + y * y + z * z);
  const long double slack = 3 * (version.is_wide ? std::numeric_limits<double>::epsilon()
                                                 : double{std::numeric_limits<float>::epsilon()});
  if (!(w_squared >= -slack))
    throw Error(Error::Kind::input,
                "its qform is not a rotation: the quaternion is longer than 1; set an sform, or "
                "qform_code to 0");
  const long double w = w_squared < 0 ? 0 : std::sqrt(w_squared);
  const long double s = 2 / (w * w + x * x + y * y + z * z);
  const long double xs = x * s, ys = y * s, zs = z * s;
  return {{{1 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys},
           {x * ys + w * zs, 1 - (x * xs + z * zs), y * zs - w * xs},
           {x * zs - w * ys, y * zs + w * xs, 1 - (x * xs + y * ys)}}};
}

Affine qform(const NiftiFields& fields) {
  const Rotation turned = rotation(fields);
  Point mm = pixdims(fields);
  if (fields.real(fields.version().pixdim) == -1) mm[2] = -mm[2];  // qfac
  Affine affine{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      affine[row][column] = static_cast<double>(turned[row][column] * mm[column]);
    affine[row][3] = fields.real(fields.version().qoffset, row);
  }
  return affine;
}

/// Neither form is given: nibabel's guess, which is Analyze's. The x axis runs to the left, and the
/// centre is the origin.
Affine base_affine(const NiftiFields& fields, const Shape& shape) {
  Point mm = pixdims(fields);
  if (fields.extent(0) < 3) mm[2] = 1;
  mm[0] = -mm[0];
  Affine affine{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    affine[axis][axis] = mm[axis];
    affine[axis][3] = -((static_cast<double>(shape[axis]) - 1) / 2 * mm[axis]);
  }
  return affine;
}

Affine in_millimetres(Affine affine, int unit_code) {
  const auto unit = std::ranges::find(length_units, unit_code & 7, &Unit::code);
  if (unit == length_units.end() || unit->mm == 1) return affine;
  for (auto& row : affine)
    for (double& x : row) x *= unit->mm;
  return affine;
}

Affine best_affine(const NiftiFields& fields, const Shape& shape) {
  if (fields.form_code(fields.version().sform_code) > 0) {
    const Affine affine = in_millimetres(sform(fields), fields.units());
    require_usable(affine, "sform", "repair it, or set sform_code to 0 to use the qform");
    return affine;
  }
  const bool has_qform = fields.form_code(fields.version().qform_code) > 0;
  const Affine affine =
      in_millimetres(has_qform ? qform(fields) : base_affine(fields, shape), fields.units());
  require_usable(affine, has_qform ? "qform" : "voxel size", "repair the header");
  return affine;
}

std::size_t voxel_offset(const NiftiFields& fields, bool pair) {
  const long double offset = fields.voxel_offset();
  const std::size_t least = pair ? 0 : fields.version().least_offset();
  if (!(offset >= static_cast<long double>(least)) || offset > 0x1p62L ||
      offset != std::floor(offset))
    throw Error(
        Error::Kind::input,
        fmt::format("its vox_offset is {}, not a whole number of {} or more; repair the header",
                    static_cast<double>(offset), least));
  return static_cast<std::size_t>(offset);
}

// The two names of a pair, by ending. A pair is compressed as a whole or not at all, so the partner
// with the same compression is tried first.
struct Partner {
  std::string_view ending, first, second;
};
constexpr std::array voxel_partners = {Partner{".hdr", ".img", ".img.gz"},
                                       Partner{".hdr.gz", ".img.gz", ".img"}};
constexpr std::array header_partners = {Partner{".img", ".hdr", ".hdr.gz"},
                                        Partner{".img.gz", ".hdr.gz", ".hdr"}};

std::vector<std::filesystem::path> beside(const std::filesystem::path& path,
                                          std::span<const Partner> partners) {
  const std::string name = path.filename().string();
  for (const Partner& partner : partners) {
    if (!name.ends_with(partner.ending)) continue;
    const std::string stem = name.substr(0, name.size() - partner.ending.size());
    return {path.parent_path() / (stem + std::string(partner.first)),
            path.parent_path() / (stem + std::string(partner.second))};
  }
  return {};
}

std::vector<std::filesystem::path> voxels_beside(const std::filesystem::path& header) {
  auto found = beside(header, voxel_partners);
  if (found.empty())
    throw Error(Error::Kind::input,
                "is the header of a pair, but is not named .hdr; give it the name of its .img with "
                "the ending .hdr");
  return found;
}

}  // namespace

bool is_nifti(std::span<const std::byte> head) {
  return fields_of(head).has_value();
}

Layout nifti_layout(std::span<const std::byte> head, const std::filesystem::path& path) {
  const NiftiFields fields = fields_of(head).value();
  if (head.size() < fields.version().header_size)
    throw Error(Error::Kind::input,
                fmt::format("its {} header is cut short: {} of {} bytes; copy or download it again",
                            fields.version().name, head.size(), fields.version().header_size));
  const bool pair = is_pair(fields);
  Layout layout;
  layout.header.type = voxel_type(fields);
  const Extents sizes = extents_from(extents(fields));
  layout.header.grid.shape = sizes.shape;
  layout.header.grid.has_axis = sizes.has_axis;
  layout.header.channels = sizes.volumes;
  layout.header.grid.affine = best_affine(fields, layout.header.grid.shape);
  layout.header.scaling = scaling(fields);
  layout.header.byte_swapped = fields.swapped();
  layout.offset = voxel_offset(fields, pair);
  if (pair) layout.voxel_files = voxels_beside(path);
  return layout;
}

std::vector<std::filesystem::path> nifti_header_paths(const std::filesystem::path& path) {
  return beside(path, header_partners);
}

}  // namespace assay
