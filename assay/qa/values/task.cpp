// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "assay/qa.hpp"

namespace assay::qa {

std::span<const Task> tasks() {
  using enum stats::ClassificationMetric;
  static constexpr std::array table = {
      Task{"tcga", 221, 30, balanced_accuracy, "tcga"},
      Task{"panda", 197, 6, balanced_accuracy, "panda"},
      Task{"gtex", 191, 20, balanced_accuracy, "gtex"},
      Task{"tcga_expert_vqa", 128, 0, accuracy, "tcga"},
      Task{"tcga_slidebench", 197, 0, accuracy, "tcga"},
  };
  return table;
}

const Task* find_task(std::string_view name) {
  const auto found = std::ranges::find(tasks(), name, &Task::name);
  return found == tasks().end() ? nullptr : &*found;
}

std::span<const Named<Outcome>> outcomes() {
  using enum Outcome;
  static constexpr std::array<Named<Outcome>, 7> table = {{{"scored", scored},
                                                           {"unparsed", unparsed},
                                                           {"refused", refused},
                                                           {"truncated", truncated},
                                                           {"errored", errored},
                                                           {"missing", missing},
                                                           {"skipped", skipped}}};
  return table;
}

}  // namespace assay::qa
