// SPDX-License-Identifier: Apache-2.0
/// Many paired tests at once: which of them hold when the chance of any false one is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/executor.hpp"

namespace assay::stats {

struct MaxTOptions {
  double alpha = 0.05;
  std::size_t replicates = 10000;  ///< sign flips; all of them where there are no more
  std::uint32_t seed = 42;
  Executor executor{};  ///< the numbers do not depend on it
};

struct MaxT {
  std::vector<double> pvalues;      ///< adjusted, step-down; one per hypothesis
  std::vector<double> single_step;  ///< adjusted against the maximum over all hypotheses
  double critical = 0;              ///< `single_step` is at most alpha where a statistic reaches it
  std::size_t flips = 0;            ///< how many assignments of signs were looked at
  bool is_exact = false;            ///< all of them were
};

/// Westfall and Young's step-down max-T (1993) by flipping the signs of cases. `scores[h][i]` is
/// what case i adds to the statistic of hypothesis h, with its sign: a signed rank, a difference,
/// or 0 where there is none. The statistic is |sum| / sqrt(sum of squares). A case flips in all
/// hypotheses at once, so whatever ties the hypotheses together is kept. A hypothesis without any
/// score has p = 1.
MaxT max_t(std::span<const std::vector<double>> scores, const MaxTOptions& options = {});

}  // namespace assay::stats
