// SPDX-License-Identifier: Apache-2.0
/// What is odd about an image that should be a mask. For messages; only the first is cheap.
#pragma once

#include <string>

#include "assay/image.hpp"

namespace assay {

/// Whether an image of 8 bits holds more than 128 different values, like maps of probabilities
/// scaled to 0-255, and unlike masks. False for every other type.
bool has_many_values(const Image& image);

/// Whether some value is below 0 and none is above.
bool has_only_negative_values(const Image& image);

/// Two values that show an image to be a map: "0.25 at voxel (1, 2, 3) and 0.5 at voxel (1, 2, 4)".
std::string map_values(const Image& image);

}  // namespace assay
