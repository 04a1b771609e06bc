// SPDX-License-Identifier: Apache-2.0
/// The runs of a (nested) cross-validation: restarts paired by subject, outer folds pooled, and
/// each kind of spread under its own name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/compare.hpp"

namespace assay::compare {

using Value = std::optional<double>;  ///< finite, or none

/// One training, tested on the subjects of its outer fold.
struct FoldRun {
  std::string file;  ///< where it was read, for messages and the result
  std::size_t outer_fold = 0, restart = 0;
  std::vector<std::string> ids = {};    ///< of its subjects; empty when the file names none
  std::vector<long long> indices = {};  ///< their places in the dataset; empty when not given
  std::vector<MetricColumn> columns = {};
  std::vector<metrics::Region> averaged =
      {};  ///< what its values are over; empty when the file has no labels
  std::optional<long long> seed = {};
  Value final_train_loss = {}, duration_seconds = {};
  std::vector<std::pair<std::string, double>> recorded = {};  ///< the file's own means, by metric
};

/// How the restarts of an outer fold become one value per subject. `best` takes the restart with
/// the highest mean Dice. It is chosen on the test set, so its numbers are optimistic.
enum class Restarts { mean, median, best };

std::string_view name(Restarts restarts);
/// Throws Error::usage on an unknown name.
Restarts restarts_named(std::string_view typed);

/// Some values and how they scatter. One value alone has no spread.
struct Spread {
  std::size_t n = 0, undefined = 0;  ///< how many values there are, and how many were undefined
  Value mean, median, q25, q75;
  Value std;             ///< ddof 1
  Value population_std;  ///< ddof 0, np.std's default
};

Spread spread(std::span<const Value> values);

/// A run with its subjects in the order of its outer fold.
struct TestedRun {
  FoldRun run;
  std::vector<Spread> subjects;  ///< by metric
};

struct OuterFold {
  std::size_t number = 0;
  std::vector<std::string> subjects;
  std::vector<TestedRun> runs;             ///< by restart
  std::vector<std::vector<Value>> values;  ///< by metric and subject: the restarts combined
  std::vector<Spread> over_subjects;       ///< by metric, of `values`
  std::vector<Spread> over_runs;           ///< by metric, of the runs' means
  std::optional<std::size_t> best;         ///< the run that `Restarts::best` took
};

/// The spread from restart to restart within an outer fold, pooled over the folds.
struct RestartSpread {
  Value std;
  std::size_t degrees = 0;  ///< of freedom: runs - outer folds
};

/// The spreads of one metric, which must not be confused with one another.
struct NamedSpreads {
  std::string metric;
  Spread subjects;            ///< of all outer folds
  Spread runs;                ///< of the runs' means
  Spread outer_folds;         ///< of the means of outer folds
  RestartSpread restarts;     ///< of runs around the mean of their outer fold
  std::size_t undefined = 0;  ///< values of single runs that were left out
};

struct PooledSubject {
  std::string id;
  std::size_t outer_fold = 0;
  std::vector<Value> values;  ///< by metric
};

struct CrossValidation {
  Restarts restarts = Restarts::mean;
  std::vector<std::string> metrics;     ///< those that every run has
  std::vector<OuterFold> folds;         ///< by number
  std::vector<PooledSubject> subjects;  ///< by id
  std::vector<NamedSpreads> spreads;    ///< by metric
  std::vector<std::string> warnings;
};

/// Throws Error naming the runs that cannot be paired, and the subject that is tested in two outer
/// folds (outer folds must not overlap).
CrossValidation cross_validated(std::vector<FoldRun> runs, Restarts restarts);

}  // namespace assay::compare
