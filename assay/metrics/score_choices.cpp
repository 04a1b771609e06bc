// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/score_choices.hpp"

namespace assay::metrics {

std::span<const Named<Missing>> missing_rules() {
  static constexpr Named<Missing> rules[] = {
      {"exclude", Missing::exclude}, {"worst", Missing::worst}, {"error", Missing::error}};
  return rules;
}

std::span<const Named<MeanInterval>> mean_intervals() {
  static constexpr Named<MeanInterval> intervals[] = {{"t", MeanInterval::t},
                                                      {"bca", MeanInterval::bca}};
  return intervals;
}

std::span<const Named<Connectivity>> connectivities() {
  static constexpr Named<Connectivity> table[] = {
      {"6", Connectivity::faces}, {"18", Connectivity::edges}, {"26", Connectivity::corners}};
  return table;
}

}  // namespace assay::metrics
