// SPDX-License-Identifier: Apache-2.0
/// Logits as NumPy keeps arrays.
#pragma once

#include <filesystem>
#include <span>

#include "assay/volume.hpp"

namespace assay {

/// Writes logits, class by class and x fastest in memory, as an array that is indexed
/// (class, x, y, z): float32, C order, what `numpy.load` and `read_image` take. Atomic. Throws
/// Error::io.
void write_logits(const std::filesystem::path& path, std::span<const float> logits,
                  const Shape& shape);

}  // namespace assay
