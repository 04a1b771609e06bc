// SPDX-License-Identifier: Apache-2.0
#include "assay/score/structure_pair.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "assay/error.hpp"
#include "assay/score/alignment.hpp"

namespace assay::score {
namespace {

std::vector<StructureName> names_of(const StructureSet& set) {
  std::vector<StructureName> out;
  out.reserve(set.structures.size());
  for (const Structure& each : set.structures) out.push_back(each.is);
  return out;
}

std::vector<Label> numbers_in(const StructureSet& set) {
  std::vector<Label> out;
  for (const Structure& each : set.structures)
    if (!each.voxels.empty()) out.push_back(each.is.number);
  std::ranges::sort(out);
  return out;
}

}  // namespace

StructureSet structures_of(const LabelView& labels) {
  require_countable(labels.grid);
  std::map<Label, VoxelSpans> by_label;
  for_each_run(labels, [&](std::size_t first, std::size_t end, std::size_t code) {
    // In a mask, every byte other than 0 means foreground.
    const Label label = code < labels.values.size() ? labels.values[code] : 1;
    if (label != 0)
      append_span(by_label[label], static_cast<std::uint32_t>(first),
                  static_cast<std::uint32_t>(end));
  });
  StructureSet out = {.grid = labels.grid};
  for (auto& [label, spans] : by_label)
    out.structures.push_back({{.number = label}, std::move(spans)});
  return out;
}

StructurePair settled_pair(StructureSet prediction, StructureSet reference,
                           bool allow_affine_mismatch) {
  const bool in_space = prediction.grid.in_space && reference.grid.in_space;
  if (in_space) {
    const AxisMap map = axis_map(prediction.grid, reference.grid);
    const auto grid = common_grid(reference.grid, reoriented(prediction.grid, map));
    if (grid) {
      StructurePair out;
      if (grid->shape != reference.grid.shape ||
          grid->shape != reoriented(prediction.grid, map).shape)
        out.warning =
            "prediction and reference cover different extents; they were compared on the smallest "
            "grid that contains both (" +
            describe(*grid) + ")";
      out.prediction = placed_on(*grid, walked_by(map, std::move(prediction)));
      out.reference = placed_on(*grid, std::move(reference));
      return out;
    }
  }
  Alignment found = aligned(prediction.grid, reference.grid, allow_affine_mismatch);
  StructurePair out = {.prediction = walked_by(found.map, std::move(prediction)),
                       .reference = std::move(reference),
                       .warning = std::move(found.warning)};
  out.prediction.grid = out.reference.grid = found.grid;
  return out;
}

std::vector<StructureRegion> named_regions(const StructurePair& pair,
                                           const std::vector<std::string>& keys) {
  const auto prediction_names = names_of(pair.prediction),
             reference_names = names_of(pair.reference);
  std::vector<StructureRegion> out;
  out.reserve(keys.size());
  for (const std::string& key : keys)
    out.push_back({{key, key, {}},
                   numbers_meant(prediction_names, reference_names, key),
                   numbers_named(reference_names, key)});
  return out;
}

std::vector<StructureRegion> numbered_regions(const StructurePair& pair,
                                              const std::vector<metrics::Region>& regions,
                                              bool all_labels) {
  std::vector<StructureRegion> out;
  if (!all_labels) {
    for (const metrics::Region& region : regions)
      out.push_back({region, region.members, region.members});
    return out;
  }
  std::set<Label> numbers;
  for (const StructureSet* set : {&pair.prediction, &pair.reference})
    for (const Label number : numbers_in(*set)) numbers.insert(number);
  for (const Label number : numbers) {
    const std::string key = std::to_string(number);
    out.push_back({{key, key, {number}}, {number}, {number}});
  }
  return out;
}

metrics::OccurringLabels occurring_numbers(const StructurePair& pair) {
  return {numbers_in(pair.prediction), numbers_in(pair.reference)};
}

}  // namespace assay::score
