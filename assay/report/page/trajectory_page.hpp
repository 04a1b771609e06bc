// SPDX-License-Identifier: Apache-2.0
/// A trajectory as one self-contained HTML page: no script, no network.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "assay/qa.hpp"
#include "assay/qa/values/trajectory.hpp"

namespace assay::report {

struct TrajectoryView {
  qa::Trajectory trajectory;
  std::optional<qa::ItemResult> result{};  ///< the item's row; without it no verdict is shown
  std::map<std::string, std::string>
      jpegs{};            ///< bytes by SHA-256; the page says which are missing
  std::string anchors{};  ///< prefix of the names of its anchors
};

/// The body without the page around it, to be shown with others, each with its own anchors.
std::string trajectory_body(const TrajectoryView& view);

std::string trajectory_page(const TrajectoryView& view);

}  // namespace assay::report
