// SPDX-License-Identifier: Apache-2.0
/// Integrals of smooth functions over an interval.
#pragma once

#include <array>

namespace assay::stats {

struct QuadratureNode {
  double at, weight;
};

/// Gauss-Legendre with 16 nodes, the positive half; on -1..1.
inline constexpr std::array gauss16 = {
    QuadratureNode{0.0950125098376374401853, 0.1894506104550684962853},
    QuadratureNode{0.2816035507792589132304, 0.1826034150449235888667},
    QuadratureNode{0.4580167776572273863424, 0.1691565193950025381893},
    QuadratureNode{0.6178762444026437484466, 0.1495959888165767320815},
    QuadratureNode{0.7554044083550030338951, 0.1246289712555338720524},
    QuadratureNode{0.8656312023878317438804, 0.0951585116824927848099},
    QuadratureNode{0.9445750230732325760779, 0.0622535239386478928628},
    QuadratureNode{0.9894009349916499325961, 0.0271524594117540948517},
};

template <class Function>
double integral(double from, double to, const Function& function) {
  constexpr int panels = 64;
  const double half = (to - from) / (2 * panels);
  double sum = 0;
  for (int panel = 0; panel < panels; ++panel) {
    const double centre = from + (2 * panel + 1) * half;
    for (const QuadratureNode& node : gauss16)
      sum += node.weight * (function(centre - node.at * half) + function(centre + node.at * half));
  }
  return sum * half;
}

}  // namespace assay::stats
