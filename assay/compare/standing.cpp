// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/standing.hpp"

namespace assay::compare {

Standing standing_of(const MetricComparison& metric, const PairComparison& pair) {
  if (pair.n == 0 || !pair.result.is_significant) return Standing::undecided;
  const double effect = pair.result.effect_size;
  const metrics::Better better = metric.metric.better;
  if (effect == 0 || better == metrics::Better::neither) return Standing::different;
  return (effect > 0) == (better == metrics::Better::higher) ? Standing::better : Standing::worse;
}

std::string_view name(Standing standing) {
  constexpr std::string_view names[] = {"", "better", "worse", "different"};
  return names[static_cast<std::size_t>(standing)];
}

std::string_view sign(Standing standing) {
  constexpr std::string_view signs[] = {"", "▲", "▼", "◆"};
  return signs[static_cast<std::size_t>(standing)];
}

}  // namespace assay::compare
