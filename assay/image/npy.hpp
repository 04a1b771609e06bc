// SPDX-License-Identifier: Apache-2.0
/// NumPy's arrays (.npy, .npz): headers to layouts, logits to files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "assay/image/layout.hpp"

namespace assay {

/// The type that NumPy's code means, such as "f4": without the order of its bytes.
std::optional<VoxelType> numpy_type(std::string_view name);

/// Whether the bytes start as an array's file does.
bool is_npy(std::span<const std::byte> head);
/// Whether the bytes start as a zip archive does.
bool is_npz(std::span<const std::byte> head);

/// An array of two or three axes is indexed (x, y, z), one of four (class, x, y, z); it has no
/// position in space. Throws Error (input, unsupported); arrays of Python objects are never
/// unpickled.
Layout npy_layout(std::span<const std::byte> head, const std::filesystem::path& path);

/// The only array of an archive, or the one with a known name. nnU-Net's `probabilities` and
/// `softmax` are indexed (class, z, y, x).
Layout npz_layout(std::span<const std::byte> head, const std::filesystem::path& path);

/// Writes logits, class by class and x fastest in memory, as an array that is indexed
/// (class, x, y, z): float32, C order, what `numpy.load` and `read_image` take. Atomic. Throws
/// Error::io.
void write_logits(const std::filesystem::path& path, std::span<const float> logits,
                  const Shape& shape);

}  // namespace assay
