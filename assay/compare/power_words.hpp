// SPDX-License-Identifier: Apache-2.0
/// A planned study in sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/compare/power.hpp"

namespace assay::compare {

/// "pair", or "cluster" where cases are averaged.
std::string_view pair_word(const PowerStudy& study);

/// "dice: unet against meshnet".
std::string heading(const PowerPlan& plan);

/// "to detect a mean difference of 0.02 (two-sided, alpha 0.05)".
std::string purpose(const PowerStudy& study, const PowerPlan& plan);

/// The numbers of pairs, and what they are based on.
std::string sentence(const PowerStudy& study, const PowerPlan& plan);

/// What a reader of the numbers must know about this plan, with a blank before each sentence; often
/// "".
std::string remark(const PowerStudy& study, const PowerPlan& plan);

/// What the whole plan assumes, each in a sentence or two.
std::vector<std::string> assumptions(const PowerStudy& study);

}  // namespace assay::compare
