// SPDX-License-Identifier: Apache-2.0
// Tissues are shells of the ellipsoid in which lesions are placed. The distance from its centre, in
// units of its half axes, says which shell a point is in. Smooth noise folds the borders of the
// cortex, so that it looks like one. Nuclei and ventricles are ellipsoids of their own, the same on
// both sides. Slow changes of brightness and a little noise are added last, as scanners do.
#include "assay/demo/demo_head.hpp"

#include <algorithm>
#include <cmath>

#include "assay/demo/demo_lesion.hpp"

namespace assay::demo {
namespace {

constexpr double air = 4, scalp = 190, skull = 26, fluid = 34, cortex = 92, white = 142,
                 nucleus = 104;

/// An ellipsoid on both sides of the midline, in millimetres; x is the distance from the midline.
struct PairedBody {
  Point centre, half_axes;
  double grey;
};
constexpr PairedBody bodies[] = {
    {{9, -8, 12}, {6, 26, 9}, fluid},      // lateral ventricles
    {{11, -34, 4}, {5, 14, 8}, fluid},     // and their horns
    {{13, -14, -2}, {9, 13, 9}, nucleus},  // thalamus
    {{24, 6, 0}, {7, 17, 10}, nucleus},    // lentiform nucleus
    {{13, 16, 10}, {5, 11, 9}, nucleus},   // caudate nucleus
};

double distance(const Point& at, const Point& half_axes) {
  const double x = at[0] / half_axes[0], y = at[1] / half_axes[1], z = at[2] / half_axes[2];
  return std::sqrt(x * x + y * y + z * z);
}

/// Rises from 0 to 1 as `value` passes `border`, over `width`, so that voxels on a border are
/// mixed.
double rise(double value, double border, double width) {
  const double t = std::clamp((value - border) / width + 0.5, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double mixed(double inner, double outer, double share) {
  return inner + share * (outer - inner);
}

class Head {
 public:
  explicit Head(std::uint64_t seed)
      : random_(seed), folds_(random_, 0.17), fine_(random_, 0.09), shading_(random_, 1.6) {}

  double grey(const Point& mm) {
    const double r = distance(mm, head_mm);
    if (r > outermost) return air;
    const Point unit = {mm[0] / 64, mm[1] / 64, mm[2] / 64};
    const double value = r > 1.04 ? shell(r) : brain(mm, unit, r);
    const double bright = 1 + 0.08 * shading_(unit);
    return value * bright + random_.uniform(-3, 3);
  }

 private:
  static constexpr double outermost = 1.3;

  static double shell(double r) {
    double value = mixed(fluid, skull, rise(r, 1.06, 0.02));
    value = mixed(value, scalp, rise(r, 1.14, 0.03));
    return mixed(value, air, rise(r, 1.25, 0.02));
  }

  double brain(const Point& mm, const Point& unit, double r) const {
    const double fold = folds_(unit) + 0.4 * fine_(unit);
    double value = mixed(white, cortex, rise(r + 0.10 * fold, 0.87, 0.05));
    // Furrows lie where the noise is near zero, close to the surface. Cortex lines them.
    value = mixed(value, cortex, rise(std::abs(fold), 0.30, -0.12) * rise(r, 0.78, 0.12));
    value = mixed(value, fluid, 0.85 * rise(std::abs(fold), 0.10, -0.09) * rise(r, 0.84, 0.10));
    value = mixed(value, fluid, rise(r + 0.02 * fold, 1.0, 0.03));
    value = halves(mm, r, value);
    const Point mirrored = {std::abs(mm[0]), mm[1], mm[2]};
    for (const PairedBody& body : bodies) {
      const Point from = {mirrored[0] - body.centre[0], mm[1] - body.centre[1],
                          mm[2] - body.centre[2]};
      value = mixed(body.grey, value, rise(distance(from, body.half_axes), 1.0, 0.18));
    }
    return value;
  }

  /// Separates the two hemispheres above, in front and behind.
  static double halves(const Point& mm, double r, double value) {
    if (distance({0, mm[1] + 5, mm[2] + 20}, {1, 45, 36}) < 1) return value;
    const double far = rise(r, 0.35, 0.1), from_middle = std::abs(mm[0]);
    value = mixed(value, cortex, far * rise(from_middle, 4.5, -2.5));
    return mixed(value, fluid, far * rise(from_middle, 1.4, -1.6));
  }

  SplitMix64 random_;
  SmoothNoise folds_, fine_, shading_;
};

}  // namespace

Volume<std::uint8_t> head_image(const Volume<std::uint8_t>& lesions, std::uint64_t seed) {
  const Grid& grid = lesions.grid();
  Head head(seed);
  Volume<std::uint8_t> out(grid);
  constexpr double lesion_grey = 60, lesion_shares[] = {0, 0.8, 0.4};
  std::size_t voxel = 0;
  for (std::size_t z = 0; z < grid.shape[2]; ++z)
    for (std::size_t y = 0; y < grid.shape[1]; ++y)
      for (std::size_t x = 0; x < grid.shape[0]; ++x, ++voxel) {
        double grey = head.grey(position_mm(
            grid, {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
        grey = mixed(grey, lesion_grey, lesion_shares[lesions.view().voxels[voxel]]);
        out.voxels()[voxel] = static_cast<std::uint8_t>(std::lround(std::clamp(grey, 0.0, 255.0)));
      }
  return out;
}

}  // namespace assay::demo
