// SPDX-License-Identifier: Apache-2.0
/// Cross-validation folds equal to scikit-learn's: plain, stratified, grouped, both, nested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::stats {

/// The fold in which each item is tested, from 0.
using FoldNumbers = std::vector<std::size_t>;

/// Names as numbers in the order of their characters, as np.unique numbers strings.
std::vector<std::size_t> coded_names(std::span<const std::string> names);

struct SplitOptions {
  std::size_t folds = 5;
  std::optional<std::uint32_t> seed = {};  ///< set: shuffle, as random_state=seed does
};

/// KFold. All four refuse fewer than two folds, or more folds than there are items (or groups).
FoldNumbers k_fold(std::size_t size, const SplitOptions& options);

/// StratifiedKFold. Refused when every class has fewer members than there are folds.
FoldNumbers stratified_k_fold(std::span<const std::size_t> classes, const SplitOptions& options);

/// GroupKFold: a group is never divided. It has no shuffle; the seed is not used.
FoldNumbers group_k_fold(std::span<const std::size_t> groups, const SplitOptions& options);

/// StratifiedGroupKFold. Without a seed equal to scikit-learn's; with one deliberately not, because
/// there the class counts are shuffled but the groups they belong to are not.
FoldNumbers stratified_group_k_fold(std::span<const std::size_t> classes,
                                    std::span<const std::size_t> groups,
                                    const SplitOptions& options);

/// What is to be divided; empty classes or groups mean none.
struct SplitItems {
  std::size_t size = 0;
  std::vector<std::size_t> classes = {}, groups = {};
};

/// Splits with the one of the four that the items call for.
FoldNumbers split(const SplitItems& items, const SplitOptions& options);

struct NestedFolds {
  FoldNumbers outer;
  std::vector<std::vector<std::optional<std::size_t>>> inner;  ///< by outer fold and item: its
                                                               ///< inner fold, none for test items
};

/// Each outer training set is split again, with the same seed.
NestedFolds nested_split(const SplitItems& items, const SplitOptions& outer,
                         const SplitOptions& inner);

// Strata for cross-validation: numbers cut into bins, and how evenly folds share the strata.

struct QuantileBins {
  std::vector<double> edges;       ///< between the bins, as np.percentile gives them
  std::vector<std::size_t> codes;  ///< by value: its bin, from 0
};

/// Bins of nearly equal counts. A value on an edge belongs to the lower bin, as in pandas.qcut;
/// equal values stay together, so bins can come out uneven or empty. Refuses fewer than two bins,
/// more bins than values, and values that are not finite.
QuantileBins quantile_bins(std::span<const double> values, std::size_t bins);

/// How many items of each class each fold tests: by class, then by fold.
std::vector<std::vector<std::size_t>> members(std::span<const std::size_t> classes,
                                              const FoldNumbers& folds, std::size_t count);

}  // namespace assay::stats
