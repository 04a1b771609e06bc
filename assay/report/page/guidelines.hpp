// SPDX-License-Identifier: Apache-2.0
/// What reporting guidelines ask for, and what these results can answer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/study.hpp"

namespace assay::report {

enum class GuidelineAnswer { yes, partly, not_in_these_files };

std::string_view name(GuidelineAnswer answer);

struct GuidelineItem {
  std::string_view guideline;  ///< "CLAIM" or "Metrics Reloaded"
  std::string_view item;       ///< what it asks
  GuidelineAnswer answer = GuidelineAnswer::not_in_these_files;
  std::string because;  ///< where the answer is, or what the authors must add
};

/// CLAIM (Mongan et al. 2020; Tejani et al. 2024) as far as it is about results, and the
/// recommendations of Metrics Reloaded (Maier-Hein et al. 2024).
std::vector<GuidelineItem> guideline_checklist(const Study& study);

}  // namespace assay::report
