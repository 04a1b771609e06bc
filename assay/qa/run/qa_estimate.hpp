// SPDX-License-Identifier: Apache-2.0
/// What a run will need, before anything is asked.
#pragma once

#include <cstdint>
#include <optional>

#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// From one call per attempt to as many as the mode can make. A guess, unlike the bounds that the
/// budget uses: four bytes of text are a token, 750 pixels are one, an answer has 300.
struct QaEstimate {
  std::size_t attempts = 0;
  std::uint64_t fewest_calls = 0, most_calls = 0;
  std::uint64_t fewest_tokens = 0, most_tokens = 0;
  std::optional<double> lowest_usd{}, highest_usd{};  ///< nothing without a price
};

QaEstimate estimated_run(const QaPlan& plan, const QaRunSettings& settings, unsigned runs,
                         const Prices* prices);

}  // namespace assay::qa
