// SPDX-License-Identifier: Apache-2.0
/// MetaImage's names of voxel types: one table, for reading and for writing.
#pragma once

#include <array>
#include <string_view>

#include "assay/image.hpp"

namespace assay {

struct MetaImageType {
  std::string_view name;
  VoxelType type;
};

/// MET_LONG has 32 bits in files, whatever the machine. The first name of a type is the one that
/// is written.
inline constexpr std::array metaimage_types = {
    MetaImageType{"MET_UCHAR", VoxelType::u8},       MetaImageType{"MET_CHAR", VoxelType::i8},
    MetaImageType{"MET_USHORT", VoxelType::u16},     MetaImageType{"MET_SHORT", VoxelType::i16},
    MetaImageType{"MET_UINT", VoxelType::u32},       MetaImageType{"MET_INT", VoxelType::i32},
    MetaImageType{"MET_ULONG", VoxelType::u32},      MetaImageType{"MET_LONG", VoxelType::i32},
    MetaImageType{"MET_ULONG_LONG", VoxelType::u64}, MetaImageType{"MET_LONG_LONG", VoxelType::i64},
    MetaImageType{"MET_FLOAT", VoxelType::f32},      MetaImageType{"MET_DOUBLE", VoxelType::f64},
};

}  // namespace assay
