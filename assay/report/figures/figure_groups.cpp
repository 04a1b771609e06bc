// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/figure_groups.hpp"

namespace assay::report {

GroupedRows grouped_rows(std::span<const std::string> models, std::size_t groups) {
  std::vector<std::string> names;
  for (std::size_t group = 0; group < groups; ++group) {
    names.emplace_back();
    names.insert(names.end(), models.begin(), models.end());
  }
  return {row_layout({.names = names, .row_height = 22, .right_room = 96}), models.size()};
}

void draw_group_names(Drawing& drawing, const GroupedRows& rows,
                      std::span<const std::string> groups, std::span<const std::string> models) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const double y = rows.heading(group);
    if (group != 0) drawing.line({8, y - 11}, {figure_width - 8, y - 11}, {.stroke = tone::rule});
    drawing.text({10, y}, groups[group], {.bold = true, .room = figure_width - 120});
    for (std::size_t m = 0; m < models.size(); ++m)
      drawing.text({rows.layout.plot.x - 10, rows.row(group, m)}, models[m],
                   {.anchor = Anchor::end, .room = rows.layout.plot.x - 18});
  }
}

}  // namespace assay::report
