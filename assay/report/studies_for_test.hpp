// SPDX-License-Identifier: Apache-2.0
/// Studies of any size for tests of drawings, the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assay/report/figures/figure.hpp"
#include "assay/report/study.hpp"

namespace assay::studies {

/// Numbers from 0 to 1 (Knuth's MMIX generator).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return double(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

inline std::string id_of(std::size_t k) {
  const std::string digits = std::to_string(k);
  return "case-" + std::string(6 - std::min<std::size_t>(digits.size(), 6), '0') + digits;
}

struct Request {
  std::size_t models = 3, cases = 30;
  std::size_t labels = 0;
  bool groups = false;
  std::optional<double> margin{};
  std::size_t replicates = 100;
};

/// Dice, AVD, MCC and volumes of a model that is a little worse than the one before it.
inline std::vector<compare::MetricColumn> columns(std::size_t model, std::size_t cases,
                                                  std::uint64_t seed) {
  Numbers shared(seed), own(seed + 101 * (model + 1));
  std::vector<compare::MetricColumn> out = {{"dice", {}},
                                            {"avd", {}},
                                            {"mcc", {}},
                                            {"volume_prediction_ml", {}},
                                            {"volume_reference_ml", {}}};
  for (std::size_t k = 0; k < cases; ++k) {
    const double size = std::pow(10.0, 3 * shared.next() - 0.5), hardness = shared.next();
    const double miss = 0.06 + 0.25 * hardness * hardness + 0.012 * double(model) +
                        0.08 * own.next() + 0.1 / (1 + size);
    const double volume = size * (1 + 0.5 * (own.next() - 0.55));
    const double values[] = {1 - miss, std::fabs(volume - size) / size, 1 - 1.2 * miss, volume,
                             size};
    for (std::size_t c = 0; c < out.size(); ++c) out[c].values.emplace_back(values[c]);
  }
  return out;
}

inline compare::ResultTable table(const Request& request, std::size_t model) {
  compare::ResultTable out = {.model_name = "model_" + std::to_string(model),
                              .source = "model_" + std::to_string(model) + ".json",
                              .ids = {},
                              .cases = request.cases,
                              .averages = columns(model, request.cases, 7),
                              .labels = {},
                              .groups = {},
                              .unscored = {}};
  for (std::size_t k = 0; k < request.cases; ++k) out.ids.push_back(id_of(k));
  for (std::size_t label = 1; label <= request.labels; ++label)
    out.averaged.push_back({std::to_string(label), "", {static_cast<Label>(label)}});
  for (std::size_t label = 0; label < request.labels; ++label)
    out.labels.push_back({std::to_string(label + 1), "organ " + std::to_string(label + 1),
                          columns(model + label, request.cases, 11 + label)});
  if (request.groups) {
    out.groups.push_back({"site", {}});
    for (std::size_t k = 0; k < request.cases; ++k)
      out.groups.back().second.emplace_back(k % 3 == 0 ? "Basel" : k % 3 == 1 ? "Kyoto" : "Lima");
  }
  return out;
}

/// Fills in the ids, and the comparison if there are two models or more.
inline report::Study finished(report::Study study, const Request& request) {
  study.ids = study.models.front().ids;
  if (study.models.size() > 1)
    report::compare_models(study, {.baseline = study.models.front().model_name,
                                   .margin = request.margin,
                                   .matching = {.by_position = study.ids.empty()},
                                   .replicates = request.replicates});
  return study;
}

inline report::Study study(const Request& request = {}) {
  report::Study out = {.title = "a study"};
  for (std::size_t m = 0; m < request.models; ++m) out.models.push_back(table(request, m));
  return finished(std::move(out), request);
}

/// The figure of that key; an empty one when there is none.
inline report::Figure figure(const std::vector<report::Figure>& figures, std::string_view key) {
  for (const report::Figure& each : figures)
    if (each.key == key) return each;
  return {};
}

}  // namespace assay::studies
