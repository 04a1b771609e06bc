// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/curve_panels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::report {

CurvePanels curve_panels(const FigureScene& scene, bool (*has)(const results::LabelCurves&)) {
  constexpr std::size_t most_panels = 12;
  CurvePanels out;
  std::size_t all = 0;
  const bool several = std::ranges::any_of(scene.study.curves, [&](const auto& of_model) {
    return std::ranges::count_if(of_model, has) > 1;
  });
  for (std::size_t m = 0; m < scene.study.curves.size(); ++m)
    for (const results::LabelCurves& curves : scene.study.curves[m]) {
      if (!has(curves) || ++all > most_panels) continue;
      out.panels.push_back(
          {m, &curves, several ? scene.names[m] + ", " + curves.name : scene.names[m]});
    }
  if (all > most_panels)
    out.fewer = fmt::format(" The first {} of {} panels are shown; a label can be chosen.",
                            most_panels, all);
  return out;
}

}  // namespace assay::report
