// SPDX-License-Identifier: Apache-2.0
/// The colours in which DICOM recommends to show segments.
#pragma once

#include <array>

#include "assay/volume.hpp"

namespace assay {

/// From L*, a* and b* as three numbers of 0 to 65535 (PS3.3, C.10.7.1.1) to the nearest colour of
/// sRGB. The white point is D65: the standard means D50, but DCMTK, dcmqi and highdicom write D65.
Color color_of_cielab(const std::array<double, 3>& stored);

}  // namespace assay
