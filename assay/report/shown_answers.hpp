// SPDX-License-Identifier: Apache-2.0
/// The answers whose steps a report shows.
#pragma once

#include <string>
#include <vector>

#include "assay/report/page/page.hpp"

namespace assay::report {

struct AnswerReading {
  std::vector<ShownAnswer> answers{};
  std::vector<std::string> notes{};
};

/// Those that were asked for by item id, then wrong ones, then others, a few of each benchmark; if
/// their trajectories are next to the results.
AnswerReading read_answers(const Study& study, const std::vector<std::string>& asked);

}  // namespace assay::report
