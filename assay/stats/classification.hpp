// SPDX-License-Identifier: Apache-2.0
/// Agreement of predicted with true classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/base/named.hpp"

namespace assay::stats {

using Labels = std::span<const std::int64_t>;

enum class ClassificationMetric { accuracy, balanced_accuracy };

std::span<const Named<ClassificationMetric>> classification_metrics();

/// The share of items whose prediction is the truth. No items, or different lengths: an Error.
double accuracy(Labels predictions, Labels truths);

/// The mean over the true classes of the share of their items that are right. A class that is only
/// predicted does not count.
double balanced_accuracy(Labels predictions, Labels truths);

double classification_score(ClassificationMetric metric, Labels predictions, Labels truths);

/// Each item as one small number, 2 * class + (1 if right), so that any sample of the items is
/// scored by counting codes. Classes are numbered in ascending order of their labels.
struct CodedItems {
  std::vector<std::uint32_t> codes;
  std::size_t classes = 0;
};

CodedItems coded_items(Labels predictions, Labels truths);

/// The same items as one class, which turns balanced accuracy into accuracy.
CodedItems coded_as_one_class(Labels predictions, Labels truths);

/// Coded so that `balanced_accuracy_of_counts` gives this metric.
CodedItems coded_for(ClassificationMetric metric, Labels predictions, Labels truths);

/// Balanced accuracy from how often each code occurs; absent classes do not count.
double balanced_accuracy_of_counts(std::span<const std::uint32_t> counts);

}  // namespace assay::stats
