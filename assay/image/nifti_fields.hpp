// SPDX-License-Identifier: Apache-2.0
/// The fields of a NIfTI header, their positions and the codes of voxel types: one table each, for
/// reading and for writing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "assay/image.hpp"

namespace assay {

/// A NIfTI voxel type: ours, or the name of one that is not a scalar and so is refused.
struct NiftiDataType {
  int code;
  std::optional<VoxelType> type;
  std::string_view name;
};

inline constexpr std::array nifti_data_types = {
    NiftiDataType{2, VoxelType::u8, "uint8"},
    NiftiDataType{4, VoxelType::i16, "int16"},
    NiftiDataType{8, VoxelType::i32, "int32"},
    NiftiDataType{16, VoxelType::f32, "float32"},
    NiftiDataType{64, VoxelType::f64, "float64"},
    NiftiDataType{256, VoxelType::i8, "int8"},
    NiftiDataType{512, VoxelType::u16, "uint16"},
    NiftiDataType{768, VoxelType::u32, "uint32"},
    NiftiDataType{1024, VoxelType::i64, "int64"},
    NiftiDataType{1280, VoxelType::u64, "uint64"},
    NiftiDataType{1536, VoxelType::f128, "float128"},
    NiftiDataType{1, {}, "1-bit"},
    NiftiDataType{32, {}, "complex64"},
    NiftiDataType{1792, {}, "complex128"},
    NiftiDataType{2048, {}, "complex256"},
    NiftiDataType{128, {}, "RGB"},
    NiftiDataType{2304, {}, "RGBA"},
};

/// The two versions have the same fields at different positions and in different widths.
struct NiftiVersion {
  std::string_view name;
  bool is_wide;  ///< NIfTI-2: sizes are 64-bit integers, reals doubles, codes 32-bit
  std::size_t header_size;
  std::size_t magic, magic_size;
  std::string_view single_magic, pair_magic;
  std::size_t datatype, bitpix, dim, pixdim, vox_offset, scl_slope, scl_inter;
  std::size_t xyzt_units, qform_code, sform_code, quatern, qoffset, srow;

  /// The four bytes after the header say whether extensions follow.
  std::size_t least_offset() const { return header_size + 4; }
  std::size_t real_size() const { return is_wide ? 8 : 4; }
  std::size_t extent_size() const { return is_wide ? 8 : 2; }
};

inline constexpr std::array nifti_versions = {
    NiftiVersion{.name = "NIfTI-1",
                 .is_wide = false,
                 .header_size = 348,
                 .magic = 344,
                 .magic_size = 4,
                 .single_magic = {"n+1\0", 4},
                 .pair_magic = {"ni1\0", 4},
                 .datatype = 70,
                 .bitpix = 72,
                 .dim = 40,
                 .pixdim = 76,
                 .vox_offset = 108,
                 .scl_slope = 112,
                 .scl_inter = 116,
                 .xyzt_units = 123,
                 .qform_code = 252,
                 .sform_code = 254,
                 .quatern = 256,
                 .qoffset = 268,
                 .srow = 280},
    NiftiVersion{.name = "NIfTI-2",
                 .is_wide = true,
                 .header_size = 540,
                 .magic = 4,
                 .magic_size = 8,
                 .single_magic = {"n+2\0\r\n\x1a\n", 8},
                 .pair_magic = {"ni2\0\r\n\x1a\n", 8},
                 .datatype = 12,
                 .bitpix = 14,
                 .dim = 16,
                 .pixdim = 104,
                 .vox_offset = 168,
                 .scl_slope = 176,
                 .scl_inter = 184,
                 .xyzt_units = 500,
                 .qform_code = 344,
                 .sform_code = 348,
                 .quatern = 352,
                 .qoffset = 376,
                 .srow = 400},
};

}  // namespace assay
