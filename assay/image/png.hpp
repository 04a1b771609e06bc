// SPDX-License-Identifier: Apache-2.0
/// Pictures as PNG: lossless, and every browser shows it.
#pragma once

#include <string>

#include "assay/image/picture.hpp"

namespace assay {

/// The same picture gives the same bytes.
std::string png(const Picture& picture);

}  // namespace assay
