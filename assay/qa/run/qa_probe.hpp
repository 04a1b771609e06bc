// SPDX-License-Identifier: Apache-2.0
/// One real call before a run: does the server accept two images, and what does it say about cost?
#pragma once

#include <filesystem>
#include <optional>

#include "assay/qa/run/qa_agents.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

struct ProbeResult {
  ModelOutcome outcome;
  double seconds = 0;
  std::optional<double> worst_usd{};  ///< what the budget would have set aside; nothing: no price
};

/// Shows the item's slide and one crop, as the second step of a navigating agent, and asks for the
/// answer. Nothing is written. Throws Error when the slide cannot be read.
ProbeResult probed(const Item& item, const std::filesystem::path& slide, const QaAgent& agent,
                   const QaRunSettings& settings, const Prices* prices);

}  // namespace assay::qa
