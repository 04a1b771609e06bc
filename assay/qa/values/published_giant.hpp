// SPDX-License-Identifier: Apache-2.0
/// What the GIANT paper reports for the five benchmarks.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay::qa {

/// In percent, mean and standard deviation of 1000 bootstrap replicates.
struct PublishedScore {
  double mean = 0;
  std::optional<double> std{};
};

struct PublishedSystem {
  std::string_view name;
  PublishedScore score;
};

struct PublishedBenchmark {
  std::string_view name;
  std::span<const PublishedSystem> systems;
};

inline constexpr std::string_view published_giant_source = "GIANT, Table 1";

/// Nothing for a benchmark that is not in the paper.
const PublishedBenchmark* find_published_giant(std::string_view benchmark);

}  // namespace assay::qa
