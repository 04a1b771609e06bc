// SPDX-License-Identifier: Apache-2.0
/// The Wilcoxon signed-rank test, exact by default, or as a named peer version computes it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/base/named.hpp"
#include "assay/stats/ranks.hpp"

namespace assay::stats {

enum class Alternative { two_sided, less, greater };
enum class WilcoxonMethod { automatic, exact, asymptotic };

/// Whose rules decide between exact and approximate. A bare "SciPy p-value" is not a defined
/// number: with ties or zeros it changed in 1.13, 1.14 and 1.15.
enum class WilcoxonPolicy { exact, scipy_1_10, scipy_1_14, scipy_1_15, r };

std::span<const Named<Alternative>> alternatives();
std::span<const Named<ZeroMethod>> zero_methods();
std::span<const Named<WilcoxonMethod>> wilcoxon_methods();
std::span<const Named<WilcoxonPolicy>> wilcoxon_policies();

struct WilcoxonOptions {
  WilcoxonPolicy policy = WilcoxonPolicy::exact;
  WilcoxonMethod method = WilcoxonMethod::automatic;
  ZeroMethod zero_method = ZeroMethod::wilcox;
  Alternative alternative = Alternative::two_sided;
  std::optional<bool> correction = {};  ///< for continuity; unset: R corrects, the others do not
  double tie_tolerance = 0;             ///< magnitudes closer than this are ties, below it zeros
  double alpha = 0.05;                  ///< only for the warning
};

struct WilcoxonResult {
  double statistic = 0;     ///< the smaller rank sum, or that of x > y when one-sided or by R
  double pvalue = 0;        ///< NaN under the scipy policies where SciPy gives NaN
  std::size_t n = 0;        ///< pairs
  std::size_t zeros = 0;    ///< pairs without a difference
  std::size_t ties = 0;     ///< non-zero differences that share their magnitude
  std::string_view method;  ///< what was used: exact or asymptotic
  std::string_view policy;
  std::string warning;      ///< set when no data of this size could fall below alpha
  std::optional<double> z;  ///< when the asymptotic method was used
};

/// Empty or NaN differences: NaN under the scipy policies, an Error under `exact` and `r`.
WilcoxonResult wilcoxon(std::span<const double> differences, const WilcoxonOptions& options = {});

/// The test of the differences x - y, in that order.
WilcoxonResult wilcoxon(std::span<const double> x, std::span<const double> y,
                        const WilcoxonOptions& options = {});

/// x - y, element by element; different lengths are an Error.
std::vector<double> differences(std::span<const double> x, std::span<const double> y);

}  // namespace assay::stats
