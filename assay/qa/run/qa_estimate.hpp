// SPDX-License-Identifier: Apache-2.0
/// What a run will need, before anything is asked.
#pragma once

#include <cstdint>
#include <optional>

#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// What the guess assumes.
struct ShortAnswers {
  static constexpr std::uint64_t bytes_per_token = 4, pixels_per_token = 750, answer_tokens = 300;
};

/// Twice: a guess with short answers, from one call per attempt to as many steps as the mode can
/// make, where a call finds what the one before it said in the server's cache; and the worst case,
/// with the bounds that the budget uses: a byte of text is a token, a picture counts its most, each
/// answer has as many tokens as it may, nothing is cached. Steps that have to be corrected would
/// come on top of both.
struct QaEstimate {
  std::size_t attempts = 0;
  std::uint64_t fewest_calls = 0, most_calls = 0;
  std::uint64_t fewest_tokens = 0, most_tokens = 0;   ///< with short answers
  std::optional<double> lowest_usd{}, highest_usd{};  ///< nothing without a price
  std::uint64_t worst_tokens = 0;
  std::optional<double> worst_usd{};
};

QaEstimate estimated_run(const QaPlan& plan, const QaRunSettings& settings,
                         const QaExecution& execution);

}  // namespace assay::qa
