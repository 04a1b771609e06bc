// SPDX-License-Identifier: Apache-2.0
/// Tests of paired scores, corrections for multiple testing, effect sizes with intervals.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/named.hpp"

namespace assay::stats {

// ---- How large a paired difference is, not only whether there is one.

/// A number with its confidence limits.
struct Interval {
  double estimate = 0, lower = 0, upper = 0;
  /// Limits that are NaN say that there are too few values for an interval.
  bool has_limits() const { return !std::isnan(lower) && !std::isnan(upper); }
};

/// (R+ - R-) / (R+ + R-) of the non-zero differences: 1 when all are positive, 0 when there are
/// none. Differences must not be NaN.
double rank_biserial(std::span<const double> differences);

/// P(d > 0) + P(d = 0) / 2; NaN for no differences.
double probability_of_superiority(std::span<const double> differences);

/// mean / standard deviation (ddof 1) of the differences; NaN when that is 0 / 0.
double cohens_dz(std::span<const double> differences);

/// The median of all pairwise means (d_i + d_j) / 2, i <= j, and the interval that inverts the
/// signed-rank test. No differences, or NaN, is an Error.
Interval hodges_lehmann(std::span<const double> differences, double level = 0.95);

/// The same with the limits that invert the test which rejects when |W+ - W-| / sqrt(sum of squared
/// ranks) reaches `critical`; NaN where that cannot happen.
Interval hodges_lehmann_within(std::span<const double> differences, double critical);

// ---- Mid-ranks, and the signed ranks that paired tests are made of.

/// 1-based ranks; equal values share the mean of their places.
struct MidRanks {
  std::vector<double> ranks;        ///< in the order of the values
  std::vector<std::size_t> groups;  ///< how many values share each rank, in ascending order
};

/// Values must not be NaN.
MidRanks mid_ranks(std::span<const double> values);

/// What happens to differences of exactly zero: dropped before ranking (wilcox), ranked and then
/// dropped (pratt), or ranked and shared between both sides (zsplit).
enum class ZeroMethod { wilcox, pratt, zsplit };

/// The ranks of |d| by the sign of d, summed up.
struct SignedRanks {
  std::size_t pairs = 0;           ///< all differences
  std::size_t zeros = 0;           ///< differences of zero
  std::size_t ties = 0;            ///< non-zero differences that share their magnitude with another
  std::size_t ranked = 0;          ///< how many were ranked: without zeros for `wilcox`
  double plus = 0, minus = 0;      ///< rank sums by sign
  double tie_term = 0;             ///< sum of t^3 - t, as the normal approximation wants it
  std::uint64_t doubled_plus = 0;  ///< twice the rank sum of the positive differences
  std::vector<std::uint32_t> doubled;  ///< twice the ranks of the non-zero differences, ascending
};

/// Differences must not be NaN; infinite ones rank last. Magnitudes that differ by no more than
/// `tolerance` from the least of their group are ties (0: only equal numbers are).
SignedRanks signed_ranks(std::span<const double> differences, ZeroMethod method,
                         double tolerance = 0);

// ---- The Wilcoxon signed-rank test, exact by default, or as a named peer version computes it.

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
  double tie_tolerance = 0;  ///< magnitudes closer than this are ties; below this they are zeros
  double alpha = 0.05;       ///< only for the warning
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

// ---- Corrections for testing many hypotheses at once.

/// Family-wise error: all up to `holm_sidak`; the others control the false discovery rate.
enum class Correction {
  holm,
  bonferroni,
  sidak,
  hochberg,
  hommel,
  holm_sidak,
  bh,    ///< Benjamini and Hochberg (1995)
  by,    ///< Benjamini and Yekutieli (2001), for any dependence
  gbs,   ///< Gavrilov, Benjamini and Sarkar (2009), an adaptive step-down procedure
  tsbh,  ///< bh twice: the first stage estimates how many hypotheses are true
  tsbky  ///< the same by Benjamini, Krieger and Yekutieli (2006)
};

std::span<const Named<Correction>> corrections();

/// The correction of a name: ours, or that of statsmodels' `multipletests` or R's `p.adjust`. An
/// unknown one is an Error.
Correction correction_named(std::string_view name);

struct Adjusted {
  std::vector<double> pvalues;  ///< in the order given, at most 1
  std::vector<bool> reject;     ///< decided on the raw p-values against their own limits
};

/// NaN and anything outside 0..1 is an Error; nothing in, nothing out. The adjusted p-values of the
/// two-stage procedures depend on alpha.
Adjusted adjust(std::span<const double> pvalues, Correction correction, double alpha = 0.05);

/// Holm's step-down procedure: adjusted values are monotone in the raw ones.
Adjusted holm(std::span<const double> pvalues, double alpha = 0.05);

// ---- Paired t tests: of a difference, of equivalence, of non-inferiority; their power; and the
// verdict.

struct TTest {
  double t = 0, pvalue = 0, df = 0;
};

/// Two-sided, of x - y. Fewer than two pairs give NaN.
TTest paired_t(std::span<const double> x, std::span<const double> y);

/// A mean, its standard error and the degrees of freedom of Student's t, one less than the number
/// of units that it averages.
struct MeanError {
  double value = 0, error = 0, df = 0;
  double skewness = 0;  ///< of the units

  Interval interval(double level) const;
  /// One-sided, against "the mean is at most `limit`" and "the mean is at least `limit`".
  TTest above(double limit) const;
  /// The same with Hall's transformation (1992), which corrects t for skewness; the skewness is
  /// taken one standard error to the unfavourable side.
  double skew_corrected_above(double limit) const;
  TTest below(double limit) const;
};

MeanError mean_error(std::span<const double> differences);

/// The mean of the differences and its t interval.
Interval mean_interval(std::span<const double> differences, double level = 0.95);

struct Tost {
  double pvalue = 0;  ///< the larger of the two
  TTest lower;        ///< against "the mean difference is at most -margin"
  TTest upper;        ///< against "the mean difference is at least +margin"
};

/// Two one-sided tests (Schuirmann 1987) that the mean of x - y lies within +-margin.
Tost tost_paired(std::span<const double> x, std::span<const double> y, double margin);

/// One-sided test that x is not worse than y by `margin` or more; higher is better.
TTest noninferiority(std::span<const double> x, std::span<const double> y, double margin);

/// Paired differences have neither an interval nor a verdict below this number of pairs: five pairs
/// reach neither p <= 0.05 by the signed-rank test nor an interval of 95 %.
inline constexpr std::size_t least_pairs = 6;

enum class Verdict { different, equivalent, non_inferior, inconclusive, too_few_pairs };

std::string_view name(Verdict verdict);

/// What an interval of the difference (higher is better) says. With a margin: equivalent when it
/// lies within +-margin, even if it excludes zero (a difference too small to matter); different
/// when it excludes zero; non-inferior when it lies above -margin. A large p-value alone is
/// inconclusive.
Verdict verdict(const Interval& difference, std::optional<double> margin = {});

/// The corrected resampled t test (Nadeau and Bengio 2003): `differences` has one mean difference
/// per fold and restart. Their training sets overlap, so the variance of their mean is not
/// s^2 / n but (1 / n + test_share) s^2, where `test_share` is the number of test cases over that
/// of training cases of a fold. Fewer than two differences give NaN.
struct ResampledT {
  TTest test;
  Interval difference;  ///< the mean with its limits at the level that was asked for
};
ResampledT resampled_t(std::span<const double> differences, double test_share, double level = 0.95);

/// Two-sided power of the paired t test for a standardised difference `effect` with n pairs.
double t_power(double effect, double n, double alpha = 0.05);

/// The number of pairs, not rounded, at which `t_power` reaches `power`.
double pairs_for_power(double effect, double power = 0.8, double alpha = 0.05);

// ---- Is a model as good as another, up to a margin? Equivalence and non-inferiority of paired
// scores.

/// Both the mean difference and the pseudo-median must lie within the margin: the pseudo-median
/// alone resists the few failures that matter most, the mean alone can be carried by them. Each is
/// tested by two one-sided tests (Schuirmann 1987), Student's t with a correction for skewness
/// where that is stricter (Hall 1992) and the signed ranks, and the largest p-value counts (an
/// intersection-union test, Berger 1982), so no level is spent twice.
struct MarginTest {
  double level = 0.9;        ///< of the two intervals: 1 - 2 alpha, as two one-sided tests want
  Interval mean{};           ///< difference of the means
  Interval pseudo_median{};  ///< Hodges-Lehmann, of all pairs
  double equivalence_pvalue = 1;      ///< against "one of them is at or beyond the margin"
  double non_inferiority_pvalue = 1;  ///< against "one of them is worse by the margin or more"
  double corrected_equivalence_pvalue = 1, corrected_non_inferiority_pvalue = 1;
  bool equivalent = false, non_inferior = false;  ///< after correction
};

struct MarginOptions {
  double margin = 0;  ///< above 0, or an Error
  double alpha = 0.05;
  bool lower_is_better = false;  ///< swaps the side on which non-inferiority is judged
};

/// `pairs` are the differences that the signed ranks see, `mean` the mean with its error. Not
/// corrected: the corrected values equal the others.
MarginTest margin_test(std::span<const double> pairs, const MeanError& mean,
                       const MarginOptions& options);

/// With n cases and no failure among them, failures in up to this share of all cases cannot be
/// excluded at 95 %.
double share_never_seen(double n);

// ---- Every model against one reference, on the same cases, corrected for how many there are.

struct ModelScores {
  std::string name;
  std::vector<double> scores;  ///< one per case, in the order of the reference's
};

struct ComparisonOptions {
  double alpha = 0.05;
  WilcoxonPolicy policy = WilcoxonPolicy::exact;
  Correction correction = Correction::holm;
  std::optional<double> margin = {};  ///< of equivalence, in units of the scores
  double tie_tolerance = 0;  ///< magnitudes closer than this are ties; below this they are zeros
  bool lower_is_better = false;  ///< swaps the side on which non-inferiority is judged
  /// The cluster of each case; cases of one cluster are not independent. Empty: all are.
  std::span<const std::size_t> clusters = {};
  /// The specification's shortcut: p = 1 when np.allclose holds, however consistent the difference.
  bool allclose_is_equal = false;
};

/// Differences are model - reference: positive when the model is higher. With clusters the test and
/// the Hodges-Lehmann estimate are of the means of clusters, and the mean difference is of the
/// cases with a cluster-robust error.
struct ComparisonResult {
  std::string model_name;
  double p_value = 0, corrected_p_value = 0;
  bool is_significant = false;  ///< after the correction; never with fewer than `least_pairs`
  std::size_t family = 1;       ///< hypotheses that it was corrected with, itself included
  /// With this many differing pairs, no scores could be significant after the correction.
  bool is_hopeless = false;
  double effect_size = 0;  ///< rank-biserial
  double level = 0.95;     ///< of the limits below, 1 - alpha; not corrected for the family
  /// Hodges-Lehmann, of the pairs that differ: the limits invert the test, which drops zeros. None
  /// for fewer than `least_pairs` of them.
  Interval difference;
  Interval difference95;                 ///< the same at 95 %, whatever alpha is
  std::optional<Interval> simultaneous;  ///< valid for the whole family, where there is such a one
  Interval mean_difference;              ///< with the limits of Student's t, from `least_pairs` on
  Interval mean_difference95;
  double probability_of_superiority = 0, cohens_dz = 0;  ///< cohens_dz: NaN for 0 / 0
  /// Factor by which clusters change the variance of the mean.
  std::optional<double> design_effect;
  std::optional<MarginTest> margin;  ///< against the margin, if there is one
  Verdict verdict = Verdict::inconclusive;
  WilcoxonResult test;

  std::size_t differing() const { return test.n - test.zeros; }
  /// The limits to show: those of the family, if there are any.
  const Interval& shown() const { return simultaneous ? *simultaneous : difference; }
};

/// One model without correction: `corrected_p_value` is the p-value itself. Equal scores give p = 1
/// under every policy, also where that program gives none. NaN scores are an Error, also under the
/// scipy policies: a NaN p-value cannot be part of a corrected family.
ComparisonResult compare_pair(std::span<const double> reference, const ModelScores& model,
                              const ComparisonOptions& options = {});

/// Corrects for the number of results and settles each verdict: stars and words always agree.
void correct_family(std::span<ComparisonResult> family, const ComparisonOptions& options = {});

/// The tests against margins alone, and the verdicts: for families whose p-values were corrected
/// elsewhere.
void correct_margins(std::span<ComparisonResult> family, const ComparisonOptions& options = {});

/// Both, in the order of the models.
std::vector<ComparisonResult> compare_models_to_reference(std::span<const double> reference,
                                                          std::span<const ModelScores> models,
                                                          const ComparisonOptions& options = {});

/// The differences that the test of a pair sees: of the cases, or of the means of clusters.
std::vector<double> tested_differences(std::span<const double> reference,
                                       std::span<const double> scores,
                                       std::span<const std::size_t> clusters);

/// np.allclose(a, b) with its default tolerances, which are relative to b.
bool allclose(std::span<const double> a, std::span<const double> b);

// ---- Several models on the same cases: Friedman, Iman and Davenport, Nemenyi.

/// One row per case, one column per model; higher is better. Rows of unequal length, fewer than
/// two rows or three columns, or NaN are an Error.
using ScoreTable = std::span<const std::vector<double>>;

struct FriedmanResult {
  double statistic = 0, pvalue = 0;  ///< chi-squared, corrected for ties
  double f = 0, f_pvalue = 0;        ///< Iman and Davenport (1980), less conservative
  double kendall_w = 0;              ///< agreement of the cases about the order, 0 to 1
  std::vector<double> mean_ranks;    ///< by model; 1 is the best
};

FriedmanResult friedman(ScoreTable table);

struct NemenyiResult {
  std::vector<double> mean_ranks;
  double critical_difference = 0;            ///< mean ranks further apart differ at `alpha`
  std::vector<std::vector<double>> pvalues;  ///< by pair of models; 1 on the diagonal
};

NemenyiResult nemenyi(ScoreTable table, double alpha = 0.05);

/// P(Q > q) of the studentized range of k groups with infinite degrees of freedom, and its inverse.
double studentized_range_sf(double q, unsigned k);
double studentized_range_quantile(double upper_tail, unsigned k);

// ---- McNemar's test of two classifiers on the same items.

/// Binomial, binomial with half the point probability, chi-squared with and without Edwards'
/// continuity correction.
enum class McNemarMethod { exact, mid_p, corrected, uncorrected };

std::span<const Named<McNemarMethod>> mcnemar_methods();

struct McNemarResult {
  double statistic = 0;  ///< the smaller count, or chi-squared
  double pvalue = 1;
};

/// b and c count the items that only the first or only the second got right. Without any such item
/// nothing distinguishes them: p = 1.
McNemarResult mcnemar(std::uint64_t b, std::uint64_t c,
                      McNemarMethod method = McNemarMethod::exact);

}  // namespace assay::stats
