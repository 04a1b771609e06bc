// SPDX-License-Identifier: Apache-2.0
/// Panels of figures about a label of a model as a whole, not about the values of its cases.
#pragma once

#include <string>
#include <vector>

#include "assay/report/figures/figure_scene.hpp"
#include "assay/results/label_curves.hpp"

namespace assay::report {

struct CurvePanel {
  std::size_t model = 0;
  const results::LabelCurves* curves = nullptr;
  std::string title;   ///< the model, and the label where there are several
  std::string note{};  ///< small, right of the title
};

struct CurvePanels {
  std::vector<CurvePanel> panels{};
  std::string fewer{};  ///< what a caption adds if there are too many panels; "" otherwise
};

/// A panel for each model and label for which `has` says that there is something to draw.
CurvePanels curve_panels(const FigureScene& scene, bool (*has)(const results::LabelCurves&));

}  // namespace assay::report
