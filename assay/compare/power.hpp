// SPDX-License-Identifier: Apache-2.0
/// How many cases a study needs, planned from the results of a pilot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/compare.hpp"
#include "assay/executor.hpp"
#include "assay/statistics.hpp"

namespace assay::compare {

/// One number for every metric, or separate numbers for some.
struct MetricNumbers {
  std::optional<double> all{};
  std::vector<std::pair<std::string, double>> each{};

  bool empty() const { return !all && each.empty(); }
  std::optional<double> of(const std::string& metric) const;
};

/// Correlations of two models' values that are assumed where the pilot has one model.
inline constexpr std::array<double, 3> usual_correlations = {0.5, 0.7, 0.9};

struct PowerSettings {
  std::string baseline{};  ///< a model's name or file; "": the first of two
  MetricChoice choice{};   ///< no metric asked for: the first that `compare` would take
  UndefinedPolicy undefined = UndefinedPolicy::worst;
  MatchOptions matching{};
  std::string cluster{};       ///< a group column; the cases of one value count as one pair
  MetricNumbers difference{};  ///< model - baseline; empty: the pilot's own, or 0 with a margin
  MetricNumbers margin{};      ///< of equivalence; empty: a difference is to be detected
  std::vector<double> powers = {0.8, 0.9};
  double alpha = 0.05;
  std::size_t models = 0;               ///< compared with the baseline; 0: as many as in the pilot
  std::optional<double> correlation{};  ///< of two models' values, where the pilot has one model
  std::size_t simulations = 1000;
  std::uint32_t seed = 42;
  Executor executor{};
};

/// What a pilot shows in one metric. With two models the values are differences, model - baseline.
struct Pilot {
  std::size_t n = 0;             ///< values: of cases, or means of clusters
  std::size_t cases = 0;         ///< how many cases they are made from
  stats::Interval mean{}, sd{};  ///< with 95 % limits
  double cautious_sd = 0;
  std::size_t failures = 0;             ///< of its models, counted as worst
  std::optional<double> correlation{};  ///< of the two models
  /// Factor by which clusters change the variance of the mean.
  std::optional<double> design_effect{};
};

/// Numbers of pairs for one power; none where no number suffices.
struct PlannedSize {
  double power = 0;
  std::optional<std::size_t> pairs{};     ///< by the t test, or by two one-sided t tests
  std::optional<std::size_t> cautious{};  ///< the same with a larger SD
  std::optional<std::size_t> signed_rank{};
  /// For a difference at the limit of the pilot's interval that is nearer to 0, and at the other
  /// limit.
  std::optional<std::size_t> nearer{}, further{};
};

struct PowerPlan {
  ComparedMetric metric{};
  std::string model{};     ///< "": any other model
  std::string baseline{};  ///< the model of the only file, if there is one
  Pilot pilot{};
  std::optional<double> assumed_correlation{};
  double sd = 0, cautious_sd = 0;  ///< of the paired differences
  double difference = 0;
  bool is_own_difference = false;  ///< the difference is that of the pilot
  std::optional<double> margin{};
  bool is_simulated = false;  ///< whether `signed_rank` was searched
  std::vector<PlannedSize> sizes{};
};

struct PowerStudy {
  PowerSettings settings{};
  std::size_t models = 1;     ///< how many models alpha is divided by
  double alpha_per_test = 0;  ///< the first step of Holm's correction
  double least_possible = 0;  ///< pairs below which the signed-rank test cannot reject
  Matching matching{};
  std::vector<std::string> names{};  ///< of the pilot's models
  std::vector<PowerPlan> plans{};
  std::vector<std::string> notes{};  ///< what the reader should know, in sentences
};

/// The number of cases for that many pairs: the same number, or as many as that many clusters have
/// in the pilot, rounded up.
std::size_t cases_for(const PowerPlan& plan, std::size_t pairs);

/// Throws Error for what cannot be planned; see docs/power.md.
PowerStudy plan_study(std::vector<ResultTable> tables, const PowerSettings& settings);

}  // namespace assay::compare
