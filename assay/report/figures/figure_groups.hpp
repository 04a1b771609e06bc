// SPDX-License-Identifier: Apache-2.0
/// Rows of models under headings, such as labels or subgroups.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "assay/report/figures/chart.hpp"

namespace assay::report {

/// Every group has a heading and a row for each model.
struct GroupedRows {
  RowLayout layout;
  std::size_t models = 0;

  double heading(std::size_t group) const { return layout.middle(group * (models + 1)); }
  double row(std::size_t group, std::size_t model) const {
    return layout.middle(group * (models + 1) + 1 + model);
  }
};

GroupedRows grouped_rows(std::span<const std::string> models, std::size_t groups);

void draw_group_names(Drawing& drawing, const GroupedRows& rows,
                      std::span<const std::string> groups, std::span<const std::string> models);

}  // namespace assay::report
