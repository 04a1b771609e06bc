// SPDX-License-Identifier: Apache-2.0
/// A comparison in plain words.
#pragma once

#include <string>
#include <string_view>

#include "assay/compare/comparison.hpp"

namespace assay::compare {

/// What may be said about one model against the baseline, and no more: never "equivalent" because a
/// p-value is large.
std::string sentence(const MetricComparison& metric, const PairComparison& pair,
                     std::string_view baseline);

/// Whether the difference of the means has the other sign than a significant test: a few large
/// differences carry the means, and ranks resist them.
bool means_point_elsewhere(const PairComparison& pair);

/// How often each failed, and the test of that; "" where they failed on the same cases.
std::string failure_sentence(const PairComparison& pair, std::string_view baseline,
                             std::size_t cases);

/// What may be said about the algorithms that trained the two models; "" where nothing was asked.
std::string algorithm_sentence(const MetricComparison& metric, const PairComparison& pair,
                               std::string_view baseline);

/// A verdict for people: "too few pairs".
std::string_view plain_words(stats::Verdict verdict);

/// A number for people: three decimals, or two digits when it is smaller than that.
std::string plain_number(double value);

/// "p = 0.003" or "p < 0.001".
std::string plain_pvalue(double pvalue);

}  // namespace assay::compare
