// SPDX-License-Identifier: Apache-2.0
/// A trajectory as one HTML page that needs nothing else: no script, no network.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "assay/qa/result.hpp"
#include "assay/qa/trajectory.hpp"

namespace assay {

struct TrajectoryView {
  Trajectory trajectory;
  std::optional<ItemResult> result{};          ///< the item's row; nothing: no verdict is shown
  std::map<std::string, std::string> jpegs{};  ///< bytes by SHA-256; what lacks is said
};

std::string trajectory_page(const TrajectoryView& view);

}  // namespace assay
