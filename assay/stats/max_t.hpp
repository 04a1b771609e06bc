// SPDX-License-Identifier: Apache-2.0
/// Many paired tests at once: which of them hold when the chance of any false positive is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/executor.hpp"

namespace assay::stats {

struct MaxTOptions {
  double alpha = 0.05;
  std::size_t replicates = 10000;  ///< sign flips; all of them if there are no more than this
  std::uint32_t seed = 42;
  Executor executor{};  ///< the numbers do not depend on it
};

struct MaxT {
  std::vector<double> pvalues;      ///< adjusted, step-down; one per hypothesis
  std::vector<double> single_step;  ///< adjusted against the maximum over all hypotheses
  double critical = 0;              ///< `single_step` is at most alpha where a statistic reaches it
  std::size_t flips = 0;            ///< how many assignments of signs were tried
  bool is_exact = false;            ///< whether all assignments were tried
};

/// Westfall and Young's step-down max-T (1993) by flipping the signs of cases. `scores[h][i]` is
/// what case i adds to the statistic of hypothesis h, with its sign: a signed rank, a difference,
/// or 0 where there is none. The statistic is |sum| / sqrt(sum of squares). A case flips in all
/// hypotheses at once, which keeps the dependence between them. A hypothesis without any score has
/// p = 1.
MaxT max_t(std::span<const std::vector<double>> scores, const MaxTOptions& options = {});

}  // namespace assay::stats
