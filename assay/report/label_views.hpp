// SPDX-License-Identifier: Apache-2.0
/// The study label by label: what the page shows when its reader chooses one.
#pragma once

#include <string>
#include <vector>

#include "assay/compare.hpp"
#include "assay/executor.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

/// Makes the values of a label those of the cases. Throws Error::usage naming the labels that there
/// are.
void use_label(compare::ResultTable& table, const std::string& label);

struct LabelViews {
  std::vector<StudyView> views{};    ///< in the order of the first file
  std::vector<std::string> notes{};  ///< which labels have none, and what helps
};

/// A view for each label or region that every model has, as far as they do not take too long to
/// make; none if a label was asked for, or if there are fewer than two. Every number is the one
/// that a report of that label alone would show.
LabelViews label_views(const Study& study, const Executor& executor);

}  // namespace assay::report
