// SPDX-License-Identifier: Apache-2.0
/// NIfTI-1 and NIfTI-2: headers to layouts, volumes to files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "assay/image/layout.hpp"

namespace assay {

/// Whether the bytes start like a NIfTI header, or like one of its ancestor Analyze, which is then
/// refused by name.
bool is_nifti(std::span<const std::byte> head);

/// What a NIfTI header says. `path` is where the header is; the voxels of a pair are next to it.
/// Affine and scaling are chosen as nibabel does. Throws Error (input, unsupported).
Layout nifti_layout(std::span<const std::byte> head, const std::filesystem::path& path);

/// The names under which the header of an .img or .img.gz may be, best first; none for other files.
std::vector<std::filesystem::path> nifti_header_paths(const std::filesystem::path& path);

/// .nii and .nii.gz.
std::vector<EncodedFile> encode_nifti(const std::filesystem::path& path, const Encodable& image);
/// .hdr, with .img next to it.
std::vector<EncodedFile> encode_nifti_pair(const std::filesystem::path& path,
                                           const Encodable& image);

}  // namespace assay
