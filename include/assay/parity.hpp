// SPDX-License-Identifier: Apache-2.0
/// Does an experiment reach the numbers of a paper? The verdict, and its reasons.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/executor.hpp"
#include "assay/statistics.hpp"

namespace assay::parity {

// ---- What an experiment reached, as its file says it: every number with the place it was read
// from.

/// Over what a standard deviation was taken. Subjects of one cohort differ ten times more than
/// runs.
enum class SpreadOver { subjects, runs, outer_folds, unknown };

constexpr std::string_view name(SpreadOver spread) {
  constexpr std::string_view names[] = {"subjects", "runs", "outer_folds", "unknown"};
  return names[static_cast<std::size_t>(spread)];
}

/// A number of a file, or why there is none.
struct NumberRead {
  std::optional<double> value{};
  std::string place{};    ///< such as summary.test_mean_dice
  std::string missing{};  ///< such as "summary.test_mean_avd is Infinity"
};

/// A standard deviation with ddof 0, as in the specification.
struct SpreadReading {
  SpreadOver over = SpreadOver::unknown;
  NumberRead std{};
  std::optional<std::size_t> n{};  ///< how many values, where that is known

  /// The same with ddof 1, as 'assay folds' prints it; none of fewer than two values.
  std::optional<double> sample_std() const {
    if (!std.value || n.value_or(0) < 2) return std::nullopt;
    const auto count = static_cast<double>(*n);
    return *std.value * std::sqrt(count / (count - 1));
  }
};

/// Single values, for the comparison with the paper's mean.
struct ScoreSample {
  std::vector<double> values{};  ///< finite
  SpreadOver over = SpreadOver::unknown;
  std::string place{};
  std::size_t left_out = 0;  ///< entries without a finite value
};

/// What the file, or one next to it, says about the network.
struct NetworkDescription {
  std::optional<long long> parameters{}, channels{};
  std::vector<long long> dilations{};
  std::string place{};  ///< where it was read
};

struct Achieved {
  std::string source{};   ///< the file
  std::string origin{};   ///< the part of it that was used: summary, test_results, folds ...
  std::string variant{};  ///< which model the file says it is, if it does
  NumberRead dice{}, avd{}, mcc{}, dice_macro{};
  SpreadReading dice_std{};              ///< the one that belongs to `dice`
  std::vector<SpreadReading> spreads{};  ///< all others of Dice
  std::vector<SpreadReading> macro_spreads{};
  ScoreSample sample{};
  std::optional<std::size_t> runs{}, outer_folds{};  ///< with test values
  NetworkDescription description{};
  std::vector<std::string> warnings{};
};

// ---- A publication to compare with: its models, and what counts as matching them.

struct PaperValue {
  double mean = 0;
  std::optional<double> std{};
  bool differs = false;            ///< starred: differs from the paper's best model
  std::optional<std::size_t> n{};  ///< values that mean and SD are over, where that is known
};

struct PaperModel {
  std::string key, name;
  std::optional<long long> parameters{};
  /// A metric that the paper does not report is not judged; Dice always is.
  PaperValue dice;
  std::optional<PaperValue> avd{}, mcc{};
};

/// The specification's numbers; a paper's own file can say otherwise.
struct ParityLimits {
  double dice_tolerance = 0.01, avd_tolerance = 0.02, mcc_tolerance = 0.02;  ///< strict: mean +-
  double dice_std = 0.03;                                                    ///< strict: at most
  double acceptable_dice = 0.86, acceptable_avd = 0.30, acceptable_mcc = 0.74;
  double minimum_dice = 0.85;
};

struct Paper {
  std::string source{};  ///< the file; "" for the values that are built in
  std::vector<PaperModel> models;
  ParityLimits limits{};
  bool gives_limits = true;  ///< false: a file without limits, judged by the specification's
};

/// The 14 published models with the specification's limits.
Paper built_in_paper();

/// By key; "" is the first. Throws Error::usage with the nearest key and a list of all.
const PaperModel& variant_of(const Paper& paper, std::string_view key);

/// "Residual U-Net" as residual_u_net.
std::string model_key(std::string_view name);

/// 147474 as 147,474.
std::string with_thousands(long long number);

/// Mean Dice for each million parameters; nothing when their number is not known.
std::optional<double> dice_per_million(double dice, std::optional<long long> parameters);

// ---- The four levels of parity, and not assessable.

enum class ParityLevel { strict, acceptable, minimum, failed, not_assessable };

std::string_view name(ParityLevel level);

/// strict, acceptable or minimum. Throws Error::usage for any other word.
ParityLevel parity_level(std::string_view name);

/// Whether a level is at least the required one; what cannot be assessed reaches nothing.
bool reaches(ParityLevel level, ParityLevel required);

/// Bounds are inclusive: |0.886 - 0.876| is above 0.01 in doubles, and must not be.
inline constexpr double parity_slack = 1e-9;

/// The numbers that decide; nothing where the file has none.
struct ParityValues {
  std::optional<double> dice, dice_std, avd, mcc;
};

/// Nothing where the achieved or the published number is missing.
struct MetricDetail {
  std::optional<double> achieved{}, paper{}, diff{}, pct_diff{};
  std::optional<bool> within_tolerance{}, acceptable{}, minimum{};  ///< minimum: of Dice only
  std::optional<bool> meets_or_exceeds{};  ///< at least as good as the mean
  std::optional<bool> within_paper_sd{};   ///< mean +- SD of the paper
};

struct StdDetail {
  std::optional<double> achieved{}, paper{};
  std::optional<bool> acceptable{};
};

struct ParityDetails {
  MetricDetail dice;
  StdDetail dice_std;
  MetricDetail avd, mcc;
};

struct ParityResult {
  std::string model;
  std::optional<double> dice_mean, dice_std, avd_mean, mcc_mean;
  ParityLevel parity_level = ParityLevel::not_assessable;
  ParityDetails details;
  std::optional<bool> meets_or_exceeds{};  ///< in every metric that the paper reports
};

/// `slack` 0 gives the specification's raw comparisons. A metric that the paper reports and the
/// experiment lacks makes the level not assessable; so does a missing SD when it alone would decide
/// between strict and less.
ParityResult parity_of(const ParityValues& values, const PaperModel& paper,
                       const ParityLimits& limits = {}, double slack = parity_slack);

// ---- One sample of scores against a paper's mean: a test of the mean, or what the specification's
// run_statistical_comparison does.

struct PaperComparisonOptions {
  double alpha = 0.05;
  double margin = 0.01;  ///< of equivalence, in units of Dice
  /// The signed-rank test with SciPy 1.10's p-value and the allclose shortcut, "equivalent" for
  /// every p >= alpha, and the word "large" for an effect size that does not exist.
  bool compat_spec = false;
  Executor executor = {};
};

/// Below this many values there is no interval and no verdict.
inline constexpr std::size_t fewest_for_a_verdict = 6;

/// A published mean of Dice, with what is known about how it was obtained.
struct PaperMean {
  double mean = 0;
  std::optional<double> std{};
  std::optional<std::size_t> n{};  ///< values that mean and SD are over
};

struct PaperComparison {
  std::size_t n = 0;
  double our_mean = 0, our_std = 0;  ///< ddof 0
  double paper_mean = 0;
  std::optional<double> paper_std{};
  std::optional<std::size_t> paper_n{};
  std::string_view test_type{};
  std::string_view policy{};  ///< whose Wilcoxon test; "" where the mean was tested
  std::string_view method{};  ///< how the p-value was found
  std::optional<double> wilcoxon_statistic{};
  std::optional<double> p_value{};  ///< absent when no test is possible
  double least_p_value = 0;         ///< of a resampled test; no p-value can be smaller
  bool significant = false;         ///< the p-value is at most alpha
  std::optional<double> cohens_d{};
  std::string cohens_d_missing{};        ///< why there is none
  std::string_view interpretation = "";  ///< negligible, small, medium, large
  double alpha = 0.05, margin = 0.01;
  double difference = 0;  ///< of the means, ours - paper; Hodges-Lehmann under compat_spec
  std::optional<stats::Interval> interval{};       ///< level 1 - alpha
  std::optional<stats::Interval> tost_interval{};  ///< level 1 - 2 alpha
  std::optional<double> tost_p{};  ///< that the mean lies within +-margin of the paper's
  stats::Verdict verdict = stats::Verdict::inconclusive;
  std::string conclusion{};

  /// "p = 0.031", "p ≤ 0.0002", "no p-value".
  std::string p_text() const;
};

/// Values are Dice scores, finite and at least one. The mean is tested by the bootstrap-t, or by
/// Welch's t where the paper's SD and number are known.
PaperComparison compared_with_paper(std::span<const double> values, const PaperMean& paper,
                                    const PaperComparisonOptions& options = {});

/// negligible below 0.2, small below 0.5, medium below 0.8, else large.
std::string_view cohens_d_word(double d);

// ---- Which Dice and which MCC can go together, and what that says about a published table.

struct Bounds {
  double low = 0, high = 0;
};

/// Part of the volume that the reference's lesion takes.
struct LesionFractions {
  double low = 0.002, high = 0.02;
};

/// The range of MCC that is possible with a foreground Dice, over every volume of the prediction
/// and every lesion fraction of the range. Nothing unless 0 < dice <= 1.
std::optional<Bounds> mcc_bounds(double dice, const LesionFractions& fractions = {});

/// The inverse: the range of foreground Dice that is possible with an MCC. Nothing unless 0 < mcc
/// <= 1.
std::optional<Bounds> dice_bounds(double mcc, const LesionFractions& fractions = {});

/// The possible range of macro Dice, the mean of the lesion's and the background's, for a
/// foreground Dice.
std::optional<Bounds> macro_dice_bounds(double dice, const LesionFractions& fractions = {});

/// The possible range of macro Dice for an MCC.
std::optional<Bounds> macro_dice_of_mcc(double mcc, const LesionFractions& fractions = {});

/// Dice = slope * MCC + intercept by least squares over the models that report both.
struct DiceMccLine {
  std::size_t models = 0;
  double slope = 0, intercept = 0, correlation = 0, largest_residual = 0;
  std::optional<double> std_ratio{};  ///< mean of SD(Dice) / SD(MCC) where both are reported
};

/// Nothing with fewer than three models or without any spread.
std::optional<DiceMccLine> dice_mcc_line(std::span<const PaperModel> models);

/// Means of many cases, rounded to three decimals, may leave the bounds of one case by this much.
inline constexpr double bounds_tolerance = 0.005;

/// Whether a pair of Dice and MCC is possible, with Dice of the foreground and with macro Dice.
struct DiceMccPair {
  double dice = 0, mcc = 0;
  std::optional<Bounds> mcc_if_foreground{}, dice_if_macro{};
  bool as_foreground = false, as_macro = false;
};

DiceMccPair dice_mcc_pair(double dice, double mcc, const LesionFractions& fractions = {});

struct Consistency {
  LesionFractions fractions{};
  std::optional<DiceMccLine> line{};
  std::size_t rows = 0, rows_as_foreground = 0, rows_as_macro = 0;  ///< of the paper's table
  std::optional<DiceMccPair> paper{}, achieved{};
};

/// The consistency of the whole table, of the target row, and of what was achieved.
Consistency consistency(const Paper& paper, const PaperModel& target, std::optional<double> dice,
                        std::optional<double> mcc);

// ---- What to check before claiming a replication: what holds, what does not, and what cannot be
// checked.

enum class CheckAnswer { yes, no, cannot_be_checked };

std::string_view name(CheckAnswer answer);

struct CheckItem {
  std::string item{};
  CheckAnswer answer = CheckAnswer::cannot_be_checked;
  std::string because{};
};

/// What the checks look at.
struct CheckInput {
  const Achieved& achieved;
  const PaperModel& paper;
  const ParityLimits& limits;
  const ParityResult& result;
  const SpreadReading& dice_std;  ///< the one that was used
  const std::optional<PaperComparison>& comparison;
};

/// The specification's six items before claiming a replication.
std::vector<CheckItem> success_checklist(const CheckInput& input);

/// The specification's conditions of a minimum viable replication: Dice, parameters, architecture.
std::vector<CheckItem> minimum_viable(const CheckInput& input);

/// "runs", "subjects", "outer folds", or that the file does not say.
std::string_view words(SpreadOver spread);

// ---- Everything there is to say on whether an experiment reached a paper, and why.

struct ParityOptions {
  double alpha = 0.05;
  double margin = 0.01;      ///< of equivalence with the paper's mean
  bool compat_spec = false;  ///< raw bounds, the SD as stored, an Error for what is missing
  std::optional<std::size_t> paper_n{};  ///< values that the paper's mean of Dice is over
  Executor executor = {};
};

/// The level under one of the standard deviations that the file has.
struct SpreadVerdict {
  SpreadReading spread;
  ParityLevel level = ParityLevel::not_assessable;
  bool used = false;
};

/// The level if the paper's Dice is the mean over lesion and background.
struct MacroVerdict {
  NumberRead dice_macro{};            ///< as measured
  std::optional<Bounds> estimated{};  ///< from the foreground Dice, where it was not measured
  bool already = false;               ///< the file's Dice fits its MCC only as a macro Dice
  std::optional<double> dice_std{};
  ParityLevel level = ParityLevel::not_assessable;
};

struct ParityReport {
  Achieved achieved;
  std::string paper_source;  ///< the paper's file; "" for the built-in values
  PaperModel paper;
  ParityLimits limits;
  ParityOptions options;
  ParityResult result;
  SpreadReading dice_std;  ///< the one that was used
  std::vector<SpreadVerdict> by_spread{};
  MacroVerdict macro{};
  Consistency consistency{};
  std::optional<PaperComparison> comparison{};
  std::optional<double> dice_per_million{}, paper_dice_per_million{};
  std::vector<CheckItem> minimum_viable{}, checklist{};
  std::vector<std::string> warnings{}, explanation{};
  std::string benchmark_table{};  ///< Markdown
};

/// `variant` "": the paper's first model.
ParityReport parity_report(const Achieved& achieved, const Paper& paper, std::string_view variant,
                           const ParityOptions& options = {});

/// Sentences that say which numbers were compared with which, and what that is worth.
std::vector<std::string> parity_explanation(const ParityReport& report, const Paper& paper);

}  // namespace assay::parity
