// SPDX-License-Identifier: Apache-2.0
/// Pictures as JPEG. The same picture gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "assay/image/picture.hpp"

namespace assay {

/// Baseline, 4:2:0, no metadata.
std::string jpeg_bytes(const Picture& picture, int quality = 85);

/// Throws Error::input, with `name`, on anything that is not a complete JPEG.
Picture parse_jpeg(std::string_view bytes, const std::string& name);

}  // namespace assay
