// SPDX-License-Identifier: Apache-2.0
/// MetaImage's names of voxel types: one table, for reading and for writing.
#pragma once

#include "assay/image.hpp"
#include "assay/named.hpp"

namespace assay {

/// MET_LONG has 32 bits in files, whatever the machine. The first name of a type is the one that
/// is written.
inline constexpr Named<VoxelType> metaimage_types[] = {
    {"MET_UCHAR", VoxelType::u8},       {"MET_CHAR", VoxelType::i8},
    {"MET_USHORT", VoxelType::u16},     {"MET_SHORT", VoxelType::i16},
    {"MET_UINT", VoxelType::u32},       {"MET_INT", VoxelType::i32},
    {"MET_ULONG", VoxelType::u32},      {"MET_LONG", VoxelType::i32},
    {"MET_ULONG_LONG", VoxelType::u64}, {"MET_LONG_LONG", VoxelType::i64},
    {"MET_FLOAT", VoxelType::f32},      {"MET_DOUBLE", VoxelType::f64}};

}  // namespace assay
