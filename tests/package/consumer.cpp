// SPDX-License-Identifier: Apache-2.0
/// Uses one function of each layer that a consumer would.
#include <assay/metrics.hpp>
#include <assay/score.hpp>
#include <iostream>

int main() {
  const assay::metrics::Evidence evidence = {.counts = {.tp = 1, .fp = 1, .fn = 1, .tn = 7},
                                             .voxel_ml = 1};
  std::cout << *assay::metrics::value(
                   assay::metrics::score(assay::metrics::metric("dice"), evidence))
            << '\n';
  try {
    assay::score::planned_cohort({.prediction = "absent", .reference = "absent"}, {});
  } catch (const assay::Error& e) {
    std::cout << e.what() << '\n';
  }
}
