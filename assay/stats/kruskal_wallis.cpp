// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/kruskal_wallis.hpp"

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

KruskalWallis kruskal_wallis(std::span<const std::vector<double>> groups) {
  std::vector<double> all;
  double filled = 0;
  for (const auto& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
    filled += group.empty() ? 0 : 1;
  }
  if (std::ranges::any_of(all, [](double value) { return std::isnan(value); }))
    throw Error(Error::Kind::input, "the Kruskal-Wallis test takes no NaN");
  const MidRanks ranks = mid_ranks(all);
  const auto n = static_cast<double>(all.size());
  double untied = n * n * n - n, squares = 0;
  for (const std::size_t size : ranks.groups) {
    const auto t = static_cast<double>(size);
    untied -= t * t * t - t;
  }
  if (filled < 2 || untied <= 0) return {};
  std::size_t next = 0;
  for (const auto& group : groups) {
    double sum = 0;
    for (std::size_t i = 0; i < group.size(); ++i) sum += ranks.ranks[next++];
    if (!group.empty()) squares += sum * sum / static_cast<double>(group.size());
  }
  const double h = (12 / (n * (n + 1)) * squares - 3 * (n + 1)) / (untied / (n * n * n - n));
  return {h, filled - 1, chi2_sf(std::max(h, 0.0), filled - 1)};
}

}  // namespace assay::stats
