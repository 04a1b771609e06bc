// SPDX-License-Identifier: Apache-2.0
/// Metrics that are functions of a map of probabilities.
#include <cmath>

#include "assay/metrics.hpp"
#include "assay/metrics/metric_families.hpp"

namespace assay::metrics {
namespace {

Score auroc(const ProbabilityEvidence& e) {
  if (e.positives == 0) return Undefined::reference_empty;
  return ratio(e.pairs_won, real(e.positives) * real(e.negatives()));
}

Score average_precision(const ProbabilityEvidence& e) {
  if (e.positives == 0) return Undefined::reference_empty;
  return ratio(e.precision_sum, real(e.positives));
}

Score brier(const ProbabilityEvidence& e) {
  return ratio(e.squared_error, real(e.voxels));
}

Score ece(const ProbabilityEvidence& e) {
  double sum = 0;
  for (const CalibrationBin& bin : e.bins) sum += std::abs(bin.sum - real(bin.positives));
  return ratio(sum, real(e.voxels));
}

constexpr EmptyRule needs_reference = {.both = Undefined::reference_empty,
                                       .reference = Undefined::reference_empty};

constexpr Metric probability_table[] = {
    {.name = "auroc",
     .title = "Area under the ROC curve",
     .also = "ROC AUC, AUC-ROC",
     .group = "probability",
     .equation = "(pairs of a foreground and a background voxel in the right order + ties / 2) / "
                 "all pairs",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = needs_reference,
     .failure = 0.0,
     .note = "Exact, ties by midrank. Near 1 for any map of a small lesion: read it with "
             "average_precision.",
     .reference = "Hanley and McNeil 1982",
     .formula = auroc},
    {.name = "average_precision",
     .title = "Average precision",
     .also = "AP",
     .group = "probability",
     .equation = "sum over thresholds of (recall - recall at the next higher one) precision",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = needs_reference,
     .failure = 0.0,
     .note = "As scikit-learn defines it: every distinct value is a threshold, no interpolation.",
     .reference = "Zhu 2004; scikit-learn",
     .formula = average_precision},
    {.name = "brier",
     .title = "Brier score",
     .group = "probability",
     .equation = "mean of (probability - truth)^2 over voxels",
     .unit = "",
     .better = Better::lower,
     .range = {0, 1},
     .empty = {},
     .failure = 1.0,
     .note = "For the foreground class only, over all voxels; most are background, so it is small.",
     .reference = "Brier 1950",
     .formula = brier},
    {.name = "ece",
     .title = "Expected calibration error",
     .group = "probability",
     .equation =
         "sum over 15 bins of voxels in bin / voxels |mean probability - share of foreground|",
     .unit = "",
     .better = Better::lower,
     .range = {0, 1},
     .empty = {},
     .failure = 1.0,
     .note = "Uses the probability of foreground, not of the most likely class, in 15 bins of "
             "equal width, closed above.",
     .reference = "Guo et al. 2017; Naeini et al. 2015",
     .formula = ece},
};

}  // namespace

constinit const std::span<const Metric> probability_metrics = probability_table;

}  // namespace assay::metrics
