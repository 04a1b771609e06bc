// SPDX-License-Identifier: Apache-2.0
/// The kinds of figures, with a function for each; figures.cpp has the table.
#pragma once

#include <vector>

#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/figure_scene.hpp"

namespace assay::report {

using Figures = std::vector<Figure>;

Figures raincloud_figures(const FigureScene& scene);
Figures forest_figures(const FigureScene& scene);
Figures difference_figures(const FigureScene& scene);
Figures agreement_figures(const FigureScene& scene);
Figures volume_figures(const FigureScene& scene);
Figures probability_figures(const FigureScene& scene);
Figures lesion_size_figures(const FigureScene& scene);
Figures rank_figures(const FigureScene& scene);
Figures critical_difference_figures(const FigureScene& scene);
Figures significance_figures(const FigureScene& scene);
Figures label_figures(const FigureScene& scene);
Figures subgroup_figures(const FigureScene& scene);
Figures parity_figures(const FigureScene& scene);
Figures fold_figures(const FigureScene& scene);

using QaParts = std::span<const QaStudyPart>;

/// What figures of question answering are made from.
struct QaScene {
  QaParts parts;
  double width = page_width;  ///< of each drawing
};

Figures qa_accuracy_figures(const QaScene& scene);
Figures qa_confusion_figures(const QaScene& scene);
Figures qa_vote_figures(const QaScene& scene);
Figures qa_cost_figures(const QaScene& scene);

}  // namespace assay::report
