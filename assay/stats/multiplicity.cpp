// SPDX-License-Identifier: Apache-2.0
//
// Every procedure works on ascending p-values and is one row of a table. The order of the floating
// point operations is that of statsmodels, so that decisions at the very edge agree too: a
// step-down procedure rejects while p <= its limit, a step-up procedure everything up to the last
// such p.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/moments.hpp"

namespace assay::stats {

namespace {

using Values = std::vector<double>;

/// How many hypotheses are left to test after the i smallest p-values: m, m - 1, ..., 1.
double remaining(const Values& p, std::size_t i) {
  return static_cast<double>(p.size() - i);
}

template <class Term>
Values each(const Values& p, Term term) {
  Values result(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) result[i] = term(i);
  return result;
}

Values running_max(Values values) {
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = std::max(values[i], values[i - 1]);
  return values;
}

Values running_min_from_top(Values values) {
  for (std::size_t i = values.size(); i-- > 1;) values[i - 1] = std::min(values[i - 1], values[i]);
  return values;
}

/// Rejects until the first p above its limit.
template <class Limit>
std::vector<bool> step_down(const Values& p, Limit limit) {
  std::vector<bool> reject(p.size(), false);
  for (std::size_t i = 0; i < p.size() && p[i] <= limit(i); ++i) reject[i] = true;
  return reject;
}

/// Rejects everything up to the last p within its limit.
template <class Limit>
std::vector<bool> step_up(const Values& p, Limit limit) {
  std::size_t count = p.size();
  while (count > 0 && p[count - 1] > limit(count - 1)) --count;
  std::vector<bool> reject(p.size(), false);
  std::fill_n(reject.begin(), count, true);
  return reject;
}

Adjusted holm_ascending(const Values& p, double alpha) {
  return {running_max(each(p, [&](std::size_t i) { return p[i] * remaining(p, i); })),
          step_down(p, [&](std::size_t i) { return alpha / remaining(p, i); })};
}

Adjusted bonferroni_ascending(const Values& p, double alpha) {
  const double m = remaining(p, 0);
  return {each(p, [&](std::size_t i) { return p[i] * m; }),
          step_down(p, [&](std::size_t) { return alpha / m; })};
}

Adjusted sidak_ascending(const Values& p, double alpha) {
  const double m = remaining(p, 0), limit = 1 - std::pow(1 - alpha, 1 / m);
  return {each(p, [&](std::size_t i) { return -std::expm1(m * std::log1p(-p[i])); }),
          step_down(p, [&](std::size_t) { return limit; })};
}

Adjusted hochberg_ascending(const Values& p, double alpha) {
  return {running_min_from_top(each(p, [&](std::size_t i) { return remaining(p, i) * p[i]; })),
          step_up(p, [&](std::size_t i) { return alpha / remaining(p, i); })};
}

Adjusted holm_sidak_ascending(const Values& p, double alpha) {
  const auto adjusted = [&](std::size_t i) {
    return -std::expm1(remaining(p, i) * std::log1p(-p[i]));
  };
  return {running_max(each(p, adjusted)), step_down(p, [&](std::size_t i) {
            return 1 - std::pow(1 - alpha, 1 / remaining(p, i));
          })};
}

/// Hommel (1988) in the form of Wright (1992): for each size m the Simes test of the m largest.
Adjusted hommel_ascending(const Values& p, double alpha) {
  Values adjusted = p;
  for (std::size_t m = p.size(); m > 1; --m) {
    const std::size_t first = p.size() - m;
    const auto size = static_cast<double>(m);
    double simes = size * p[first];
    for (std::size_t i = 1; i < m; ++i)
      simes = std::min(simes, size * p[first + i] / static_cast<double>(i + 1));
    for (std::size_t i = 0; i < p.size(); ++i)
      adjusted[i] = std::max(adjusted[i], i >= first ? simes : std::min(size * p[i], simes));
  }
  return {adjusted, step_up(adjusted, [&](std::size_t) { return alpha; })};
}

/// Benjamini and Hochberg (1995); `penalty` is 1, or for Benjamini and Yekutieli (2001) the
/// harmonic sum that pays for arbitrary dependence.
Adjusted false_discovery(const Values& p, double alpha, double penalty) {
  const auto share = [&](std::size_t i) {
    return static_cast<double>(i + 1) / static_cast<double>(p.size()) / penalty;
  };
  return {running_min_from_top(each(p, [&](std::size_t i) { return p[i] / share(i); })),
          step_up(p, [&](std::size_t i) { return share(i) * alpha; })};
}

Adjusted bh_ascending(const Values& p, double alpha) {
  return false_discovery(p, alpha, 1);
}

Adjusted by_ascending(const Values& p, double alpha) {
  const Values terms = each(p, [](std::size_t i) { return 1 / static_cast<double>(i + 1); });
  return false_discovery(p, alpha, pairwise_sum(terms));
}

/// Rejects while the odds p / (1 - p) times what remains, over the rank, are within alpha.
Adjusted gbs_ascending(const Values& p, double alpha) {
  const auto adjusted = running_max(each(p, [&](std::size_t i) {
    return remaining(p, i) / static_cast<double>(i + 1) * p[i] / (1 - p[i]);
  }));
  return {adjusted, step_up(adjusted, [&](std::size_t) { return alpha; })};
}

/// A first stage at the level alpha / price estimates how many hypotheses are true, and the second
/// spends alpha on those alone.
Adjusted two_stages(const Values& p, double alpha, double price) {
  const double level = alpha / price, m = remaining(p, 0);
  Adjusted found = bh_ascending(p, level);
  const auto rejected = static_cast<double>(std::ranges::count(found.reject, true));
  double share = 1;
  if (rejected > 0 && rejected < m) {
    found = bh_ascending(p, level * m / (m - rejected));
    share = (m - rejected) / m;
  }
  for (double& value : found.pvalues) value = std::min(value, 1.0) * share * price;
  return found;
}

Adjusted tsbh_ascending(const Values& p, double alpha) {
  return two_stages(p, alpha, 1);
}

Adjusted tsbky_ascending(const Values& p, double alpha) {
  return two_stages(p, alpha, 1 + alpha);
}

struct Procedure {
  Correction correction;
  Adjusted (*on_ascending)(const Values&, double alpha);
};

constexpr std::array procedures = {
    Procedure{Correction::holm, holm_ascending},
    Procedure{Correction::bonferroni, bonferroni_ascending},
    Procedure{Correction::sidak, sidak_ascending},
    Procedure{Correction::hochberg, hochberg_ascending},
    Procedure{Correction::hommel, hommel_ascending},
    Procedure{Correction::holm_sidak, holm_sidak_ascending},
    Procedure{Correction::bh, bh_ascending},
    Procedure{Correction::by, by_ascending},
    Procedure{Correction::gbs, gbs_ascending},
    Procedure{Correction::tsbh, tsbh_ascending},
    Procedure{Correction::tsbky, tsbky_ascending},
};

constexpr std::array correction_names = {
    Named<Correction>{"holm", Correction::holm},
    Named<Correction>{"bonferroni", Correction::bonferroni},
    Named<Correction>{"sidak", Correction::sidak},
    Named<Correction>{"hochberg", Correction::hochberg},
    Named<Correction>{"hommel", Correction::hommel},
    Named<Correction>{"holm-sidak", Correction::holm_sidak},
    Named<Correction>{"bh", Correction::bh},
    Named<Correction>{"by", Correction::by},
    Named<Correction>{"gbs", Correction::gbs},
    Named<Correction>{"tsbh", Correction::tsbh},
    Named<Correction>{"tsbky", Correction::tsbky},
};

/// The names of statsmodels. R's differ only in capitals, except for one.
constexpr std::array other_names = {
    Named<Correction>{"h", Correction::holm},
    Named<Correction>{"b", Correction::bonferroni},
    Named<Correction>{"bonf", Correction::bonferroni},
    Named<Correction>{"s", Correction::sidak},
    Named<Correction>{"sh", Correction::hochberg},
    Named<Correction>{"simes-hochberg", Correction::hochberg},
    Named<Correction>{"ho", Correction::hommel},
    Named<Correction>{"hs", Correction::holm_sidak},
    Named<Correction>{"fdr_bh", Correction::bh},
    Named<Correction>{"fdr_i", Correction::bh},
    Named<Correction>{"fdr_p", Correction::bh},
    Named<Correction>{"fdri", Correction::bh},
    Named<Correction>{"fdrp", Correction::bh},
    Named<Correction>{"fdr_by", Correction::by},
    Named<Correction>{"fdr_n", Correction::by},
    Named<Correction>{"fdr_c", Correction::by},
    Named<Correction>{"fdrn", Correction::by},
    Named<Correction>{"fdrcorr", Correction::by},
    Named<Correction>{"fdr_gbs", Correction::gbs},
    Named<Correction>{"fdr_tsbh", Correction::tsbh},
    Named<Correction>{"fdr_2sbh", Correction::tsbh},
    Named<Correction>{"fdr_tsbky", Correction::tsbky},
    Named<Correction>{"fdr_2sbky", Correction::tsbky},
    Named<Correction>{"fdr_twostage", Correction::tsbky},
    Named<Correction>{"fdr", Correction::bh},  // R
};

void require_probabilities(std::span<const double> pvalues) {
  for (std::size_t i = 0; i < pvalues.size(); ++i)
    if (!(pvalues[i] >= 0 && pvalues[i] <= 1))
      throw Error(Error::Kind::input, "p-value " + std::to_string(i + 1) + " of " +
                                          std::to_string(pvalues.size()) + " is " +
                                          std::to_string(pvalues[i]) +
                                          ", not a number from 0 to 1; leave it out");
}

}  // namespace

std::span<const Named<Correction>> corrections() {
  return correction_names;
}

Correction correction_named(std::string_view name) {
  const auto row = std::ranges::find(other_names, name, &Named<Correction>::name);
  return row != other_names.end() ? row->value : value_in(corrections(), name, "method");
}

Adjusted adjust(std::span<const double> pvalues, Correction correction, double alpha) {
  require_probabilities(pvalues);
  std::vector<std::size_t> order(pvalues.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pvalues[a] < pvalues[b]; });
  const Values ascending = each(Values(order.size()), [&](auto i) { return pvalues[order[i]]; });
  const auto row = std::ranges::find(procedures, correction, &Procedure::correction);
  const Adjusted found = row->on_ascending(ascending, alpha);
  Adjusted result{Values(order.size()), std::vector<bool>(order.size())};
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.pvalues[order[i]] = std::min(found.pvalues[i], 1.0);
    result.reject[order[i]] = found.reject[i];
  }
  return result;
}

Adjusted holm(std::span<const double> pvalues, double alpha) {
  return adjust(pvalues, Correction::holm, alpha);
}

}  // namespace assay::stats
