// SPDX-License-Identifier: Apache-2.0
#include "assay/score/own_values.hpp"

#include <algorithm>
#include <vector>

#include "assay/own_metric.hpp"

namespace assay::score {
namespace {

/// The label of a code. In a mask, every byte other than 0 means foreground.
Label label_of_code(const LabelView& labels, std::size_t code) {
  return code < labels.values.size() ? labels.values[code] : Label{code != 0};
}

/// 1 where the region is.
std::vector<std::uint8_t> region_mask(const LabelView& labels, const metrics::Region& region) {
  return per_voxel(labels, [&](std::size_t code) {
    return static_cast<std::uint8_t>(region.contains(label_of_code(labels, code)) ? 1 : 0);
  });
}

/// Voxels that are not compared become background on both sides.
void clear_ignored(const LabelView& reference, Label ignored, std::vector<std::uint8_t>& mask) {
  for_each_run(reference, [&](std::size_t first, std::size_t end, std::size_t code) {
    if (label_of_code(reference, code) == ignored)
      std::fill(mask.begin() + static_cast<std::ptrdiff_t>(first),
                mask.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{0});
  });
}

std::vector<std::uint8_t> bytes_of(std::span<const std::uint64_t> bits, std::size_t voxels) {
  std::vector<std::uint8_t> out(voxels);
  for (std::size_t i = 0; i < voxels; ++i)
    out[i] = static_cast<std::uint8_t>((bits[i / 64] >> (i % 64)) & 1U);
  return out;
}

bool is_ruled(const metrics::EmptyRule& rule, metrics::Presence presence) {
  switch (presence) {
    case metrics::Presence::both_empty: return rule.both.has_value();
    case metrics::Presence::reference_empty: return rule.reference.has_value();
    case metrics::Presence::prediction_empty: return rule.prediction.has_value();
    case metrics::Presence::ok: break;
  }
  return false;
}

/// The metrics that have to be computed for a region.
std::vector<const metrics::OwnMetric*> wanted_metrics(const metrics::Region& region,
                                                      const metrics::ScoreSettings& settings,
                                                      const metrics::CaseRecord& record) {
  std::vector<const metrics::OwnMetric*> out;
  if (record.is_uncut_map) return out;
  const metrics::Presence found = presence(record.counts.at(region.key));
  for (const metrics::ChosenMetric& each : settings.metrics)
    if (each.own && !is_ruled(each.own->declared.empty, found)) out.push_back(each.own.get());
  return out;
}

}  // namespace

void measure_own_metrics(const LabelView& prediction, const LabelView& reference,
                         const metrics::Region& region, const metrics::ScoreSettings& settings,
                         metrics::CaseRecord& record) {
  const auto wanted = wanted_metrics(region, settings, record);
  if (wanted.empty()) return;
  std::vector<std::uint8_t> predicted = region_mask(prediction, region),
                            referred = region_mask(reference, region);
  if (settings.ignored)
    for (std::vector<std::uint8_t>* mask : {&predicted, &referred})
      clear_ignored(reference, *settings.ignored, *mask);
  const metrics::LabelMasks masks = {.prediction = {prediction.grid, predicted},
                                     .reference = {prediction.grid, referred},
                                     .label = region.key,
                                     .case_id = record.id};
  for (const metrics::OwnMetric* metric : wanted)
    record.own[region.key][metric->declared.name] = metrics::measure_value(*metric, masks);
}

void measure_own_metrics(const LabelView& prediction, std::span<const std::uint64_t> reference,
                         const metrics::Region& region, const metrics::ScoreSettings& settings,
                         metrics::CaseRecord& record) {
  if (wanted_metrics(region, settings, record).empty()) return;
  const std::vector<std::uint8_t> bytes = bytes_of(reference, prediction.grid.size());
  measure_own_metrics(prediction, {prediction.grid, std::span<const std::uint8_t>(bytes), {}},
                      region, settings, record);
}

}  // namespace assay::score
