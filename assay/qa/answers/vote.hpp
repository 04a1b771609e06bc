// SPDX-License-Identifier: Apache-2.0
/// Several runs over one item as one answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/qa/values/item.hpp"
#include "assay/qa/values/result.hpp"

namespace assay::qa {

using OptionalLabel = std::optional<std::int64_t>;

struct VoteResult {
  OptionalLabel label{};
  std::string prediction{};  ///< the first with that label; without any vote the most common text
  std::vector<std::pair<std::int64_t, std::size_t>> counts{};  ///< in order of first appearance
  bool tied = false;  ///< another label has as many votes and came later
};

/// An item without a label does not vote; if several labels have the most votes, the first seen
/// wins. `predictions` has one text for each label. Throws Error on no labels or different lengths.
VoteResult majority_vote(std::span<const OptionalLabel> labels,
                         std::span<const std::string> predictions);

/// The label alone, for many votes.
OptionalLabel majority_label(std::span<const OptionalLabel> labels);

/// What an attempt votes for; nothing unless it was scored.
OptionalLabel vote_of(const Attempt& attempt);

/// The result of an item: scored when any run gave a label; otherwise the most frequent kind of
/// failure, the first seen of several. Costs and tokens are sums, unknown when any part is.
/// `results.correct` follows from `truth`.
ItemResult voted_result(const Item& item, std::vector<Attempt> attempts);

/// The same over a result whose attempts have changed; everything else stays.
void vote_again(ItemResult& out);

}  // namespace assay::qa
