// SPDX-License-Identifier: Apache-2.0
/// The study label by label: what the page shows when its reader chooses a label.
#pragma once

#include <string>
#include <vector>

#include "assay/compare.hpp"
#include "assay/executor.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

/// Replaces the values of the cases by those of one label. Throws Error::usage that names the known
/// labels.
void use_label(compare::ResultTable& table, const std::string& label);

struct LabelViews {
  std::vector<StudyView> views{};    ///< in the order of the first file
  std::vector<std::string> notes{};  ///< how many labels have no view, and what helps
};

/// A view for each label or region that every model has, as many as can be made in reasonable time.
/// None if a label was asked for, or if there are fewer than two. Every number is the one that a
/// report of that label alone would show.
LabelViews label_views(const Study& study, const Executor& executor);

}  // namespace assay::report
