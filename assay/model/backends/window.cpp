// SPDX-License-Identifier: Apache-2.0
// The rules are those of MONAI 1.3 to 1.6 (sliding_window_inference, dense_patch_slices and
// compute_importance_map), so that a network which was validated there gives the same scores here.
#include "assay/model/backends/window.hpp"

#include <algorithm>
#include <cmath>

namespace assay::model {
namespace {

std::size_t step_of(std::size_t window, std::size_t image, double overlap) {
  if (window == image) return window;
  const auto step = static_cast<std::size_t>(static_cast<double>(window) * (1 - overlap));
  return std::max<std::size_t>(step, 1);
}

std::vector<std::size_t> starts_of(std::size_t window, std::size_t image, double overlap) {
  const std::size_t step = step_of(window, image, overlap), last = image - window;
  std::vector<std::size_t> out;
  for (std::size_t start = 0; start < last; start += step) out.push_back(start);
  out.push_back(last);
  return out;
}

std::vector<float> bell(std::size_t size) {
  constexpr double share = 0.125;  // one standard deviation as a share of the window
  const double middle = (static_cast<double>(size) - 1) / 2;
  const double deviation = share * static_cast<double>(size);
  std::vector<float> out(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double away = (static_cast<double>(i) - middle) / deviation;
    out[i] = static_cast<float>(std::exp(-away * away / 2));
  }
  return out;
}

}  // namespace

WindowPlan window_plan(const Shape& image, const ScoreRules& rules) {
  WindowPlan out = {.window = rules.window.value_or(image), .padded = image};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t window = out.window[axis];
    out.padded[axis] = std::max(window, image[axis]);
    out.before[axis] = (out.padded[axis] - image[axis]) / 2;
    out.starts[axis] = starts_of(window, out.padded[axis], rules.overlap);
  }
  return out;
}

std::vector<float> window_weights(const Shape& window, WindowWeights weights) {
  std::vector<float> out(window[0] * window[1] * window[2], 1.0F);
  if (weights == WindowWeights::constant) return out;
  constexpr float least = 1e-3F;
  const std::array bells = {bell(window[0]), bell(window[1]), bell(window[2])};
  auto at = out.begin();
  for (const float z : bells[2])
    for (const float y : bells[1])
      for (const float x : bells[0]) *at++ = std::max(x * y * z, least);
  return out;
}

}  // namespace assay::model
