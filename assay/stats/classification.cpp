// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"

namespace assay::stats {

namespace {

constexpr std::array metric_names = {
    Named<ClassificationMetric>{"accuracy", ClassificationMetric::accuracy},
    Named<ClassificationMetric>{"balanced_accuracy", ClassificationMetric::balanced_accuracy},
};

void require_items(Labels predictions, Labels truths) {
  if (predictions.size() != truths.size())
    throw Error(Error::Kind::input, std::to_string(predictions.size()) + " predictions for " +
                                        std::to_string(truths.size()) + " truths");
  if (truths.empty()) throw Error(Error::Kind::input, "there are no items to score");
}

double score_of(const CodedItems& items) {
  std::vector<std::uint32_t> counts(2 * items.classes);
  for (const std::uint32_t code : items.codes) ++counts[code];
  return balanced_accuracy_of_counts(counts);
}

}  // namespace

std::span<const Named<ClassificationMetric>> classification_metrics() {
  return metric_names;
}

CodedItems coded_items(Labels predictions, Labels truths) {
  require_items(predictions, truths);
  std::vector<std::int64_t> classes(truths.begin(), truths.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  CodedItems items{std::vector<std::uint32_t>(truths.size()), classes.size()};
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const auto place = std::lower_bound(classes.begin(), classes.end(), truths[i]);
    items.codes[i] = static_cast<std::uint32_t>(2 * (place - classes.begin())) +
                     static_cast<std::uint32_t>(predictions[i] == truths[i]);
  }
  return items;
}

CodedItems coded_as_one_class(Labels predictions, Labels truths) {
  require_items(predictions, truths);
  CodedItems items{std::vector<std::uint32_t>(truths.size()), 1};
  std::transform(predictions.begin(), predictions.end(), truths.begin(), items.codes.begin(),
                 [](auto p, auto t) { return static_cast<std::uint32_t>(p == t); });
  return items;
}

CodedItems coded_for(ClassificationMetric metric, Labels predictions, Labels truths) {
  return metric == ClassificationMetric::balanced_accuracy
             ? coded_items(predictions, truths)
             : coded_as_one_class(predictions, truths);
}

double balanced_accuracy_of_counts(std::span<const std::uint32_t> counts) {
  double recalls = 0, present = 0;
  for (std::size_t code = 0; code < counts.size(); code += 2) {
    const auto right = static_cast<double>(counts[code + 1]);
    const double all = right + static_cast<double>(counts[code]);
    if (all == 0) continue;
    recalls += right / all;
    present += 1;
  }
  return recalls / present;
}

double accuracy(Labels predictions, Labels truths) {
  return score_of(coded_as_one_class(predictions, truths));
}

double balanced_accuracy(Labels predictions, Labels truths) {
  return score_of(coded_items(predictions, truths));
}

double classification_score(ClassificationMetric metric, Labels predictions, Labels truths) {
  return metric == ClassificationMetric::accuracy ? accuracy(predictions, truths)
                                                  : balanced_accuracy(predictions, truths);
}

}  // namespace assay::stats
