// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/strata.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/error.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {

QuantileBins quantile_bins(std::span<const double> values, std::size_t bins) {
  if (bins < 2) throw Error(Error::Kind::usage, "bins must be two or more");
  if (bins > values.size())
    throw Error(Error::Kind::input, "cannot make " + std::to_string(bins) + " bins of " +
                                        std::to_string(values.size()) + " values; ask for fewer");
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw Error(Error::Kind::input, "a value that is not finite has no bin");
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  QuantileBins result;
  for (std::size_t edge = 1; edge < bins; ++edge)
    result.edges.push_back(percentile_of_sorted(
        ascending, 100.0 * static_cast<double>(edge) / static_cast<double>(bins)));
  for (const double value : values) {
    const auto above = std::ranges::lower_bound(result.edges, value);
    result.codes.push_back(static_cast<std::size_t>(above - result.edges.begin()));
  }
  return result;
}

std::vector<std::vector<std::size_t>> members(std::span<const std::size_t> classes,
                                              const FoldNumbers& folds, std::size_t count) {
  const std::size_t known = classes.empty() ? 0 : std::ranges::max(classes) + 1;
  std::vector<std::vector<std::size_t>> result(known, std::vector<std::size_t>(count));
  for (std::size_t i = 0; i < classes.size(); ++i) ++result[classes[i]][folds[i]];
  return result;
}

}  // namespace assay::stats
