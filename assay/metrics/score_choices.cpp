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

std::span<const Named<Resampled>> resampled_sides() {
  static constexpr Named<Resampled> sides[] = {{"none", Resampled::nothing},
                                               {"prediction", Resampled::prediction},
                                               {"reference", Resampled::reference}};
  return sides;
}

std::span<const Named<Interpolation>> interpolations() {
  static constexpr Named<Interpolation> ways[] = {{"nearest", Interpolation::nearest},
                                                  {"linear", Interpolation::linear}};
  return ways;
}

std::span<const Named<VolumeRule>> volume_rules() {
  static constexpr Named<VolumeRule> rules[] = {{"auto", VolumeRule::automatic},
                                                {"labels", VolumeRule::labels},
                                                {"classes", VolumeRule::classes},
                                                {"time", VolumeRule::time}};
  return rules;
}

}  // namespace assay::metrics
