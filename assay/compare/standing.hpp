// SPDX-License-Identifier: Apache-2.0
/// On which side of the baseline a model is, as far as the data show: one rule for every table,
/// sentence and figure.
#pragma once

#include <string_view>

#include "assay/compare.hpp"

namespace assay::compare {

/// `different`: significantly different, in a metric in which neither direction is better.
enum class Standing { undecided, better, worse, different };

/// Decided by the test, by the sign of the rank sums, which is what it tests.
Standing standing_of(const MetricComparison& metric, const PairComparison& pair);

/// "better", "worse", "different", or "" where nothing is decided.
std::string_view name(Standing standing);

/// The sign in tables: "▲", "▼", "◆", or "". It means better and worse, not higher and lower.
std::string_view sign(Standing standing);

/// What the signs mean, for the note under a table.
inline constexpr std::string_view sign_words = "▲ better, ▼ worse";

}  // namespace assay::compare
