// SPDX-License-Identifier: Apache-2.0
/// A comparison as people read it: the paper's table, sentences, ranks, subgroups.
#pragma once

#include <span>
#include <string>

#include "assay/compare.hpp"
#include "assay/report/text/paper_table.hpp"

namespace assay::report {

/// `mean (SD)` per model and metric, with `*` where it differs from the baseline; best model first.
/// `with_paper` adds the published rows, parameters and efficiency.
PaperTable comparison_table(const compare::Comparison& comparison, bool with_paper);

/// The specification's own Markdown table, in the order of the inputs.
std::string specification_table(const compare::Comparison& comparison);

/// One line per model and metric with every number.
std::string comparison_csv(const compare::Comparison& comparison);

/// Everything on one screen.
std::string comparison_report(const compare::Comparison& comparison, bool with_paper, bool color);

/// The models and metrics whose mean and sign seem to contradict each other, and why; "" if there
/// are none.
std::string opposite_signs_note(const compare::Comparison& comparison);

/// Says in a sentence or two whether the difference depends on the group at all, which signs in
/// single groups do not show. `subgroups` are those of one column. "" if there is nothing to say.
std::string interaction_words(const compare::Comparison& comparison,
                              std::span<const compare::Subgroup> subgroups, std::size_t metric);

}  // namespace assay::report
