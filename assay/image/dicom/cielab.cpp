// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/cielab.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay {
namespace {

/// The inverse of the function by which CIELab is defined (CIE 15).
double from_lightness(double t) {
  constexpr double low = 6.0 / 29;
  return t > low ? t * t * t : 3 * low * low * (t - 4.0 / 29);
}

/// From linear light to a byte of sRGB (IEC 61966-2-1).
std::uint8_t srgb_byte(double light) {
  light = std::clamp(light, 0.0, 1.0);
  const double shown =
      light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * shown));
}

}  // namespace

Color color_of_cielab(const std::array<double, 3>& stored) {
  const double lightness = stored[0] * 100 / 65535, a = stored[1] * 255 / 65535 - 128,
               b = stored[2] * 255 / 65535 - 128;
  const double middle = (lightness + 16) / 116;
  const std::array<double, 3> xyz = {0.9505 * from_lightness(middle + a / 500),
                                     from_lightness(middle),
                                     1.0889 * from_lightness(middle - b / 200)};
  constexpr double to_linear[3][3] = {
      {3.2406, -1.5372, -0.4986}, {-0.9689, 1.8758, 0.0415}, {0.0557, -0.2040, 1.0570}};
  Color out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] =
        srgb_byte(to_linear[i][0] * xyz[0] + to_linear[i][1] * xyz[1] + to_linear[i][2] * xyz[2]);
  return out;
}

}  // namespace assay
