// SPDX-License-Identifier: Apache-2.0
/// MetaImage (.mha, .mhd), ITK's own format: headers to layouts, volumes to files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "assay/image/layout.hpp"

namespace assay {

/// Whether the bytes start with "Key = ", where Key is one of the format.
bool is_metaimage(std::span<const std::byte> head);

/// What a MetaImage header says; `path` is where it is, for voxels in a file of their own. ITK's
/// world is LPS: the affine is turned to RAS+. Throws Error (input, unsupported).
Layout metaimage_layout(std::span<const std::byte> head, const std::filesystem::path& path);

/// .mha.
std::vector<EncodedFile> encode_mha(const std::filesystem::path& path, const Encodable& image);
/// .mhd, with .raw next to it.
std::vector<EncodedFile> encode_mhd(const std::filesystem::path& path, const Encodable& image);

}  // namespace assay
