// SPDX-License-Identifier: Apache-2.0
/// NRRD (.nrrd, .nhdr), Teem's format, as 3D Slicer and ITK write it: headers to layouts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "assay/image/layout.hpp"

namespace assay {

/// Whether the bytes start with NRRD's magic.
bool is_nrrd(std::span<const std::byte> head);

/// What a NRRD header says; `path` is where it is, for voxels in a file of their own. An axis
/// without direction in space, first or last, counts volumes. The affine is turned to RAS+.
/// Throws Error (input, unsupported).
Layout nrrd_layout(std::span<const std::byte> head, const std::filesystem::path& path);

}  // namespace assay
