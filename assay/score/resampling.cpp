// SPDX-License-Identifier: Apache-2.0
#include "assay/score/resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/model/recipe/resample.hpp"
#include "assay/score/alignment.hpp"

namespace assay::score {
namespace {

constexpr double half_a_voxel = 0.5;

/// One code per voxel; the first value is the background.
OwnedLabels owned(const LabelView& labels) {
  OwnedLabels out = {.grid = labels.grid, .codes = {}, .values = {0}};
  std::vector<std::uint16_t> renamed;
  for (const Label label : labels.values) {
    const auto known = std::ranges::find(out.values, label);
    renamed.push_back(static_cast<std::uint16_t>(known - out.values.begin()));
    if (known == out.values.end()) out.values.push_back(label);
  }
  out.codes = per_voxel(
      labels, [&](std::size_t code) { return renamed[std::min(code, renamed.size() - 1)]; });
  return out;
}

/// A place between voxels: the lower neighbour along each axis, and the distance from it towards
/// the upper one.
struct Place {
  std::array<std::size_t, 3> lower{}, upper{};
  Point share{};
};

/// Where the voxels of one grid lie among those of another.
class Places {
 public:
  Places(const Grid& of, const Grid& among)
      : map_(model::index_map(of, among)), shape_(among.shape) {}

  /// Returns false outside the image.
  bool find(std::size_t x, std::size_t y, std::size_t z, Place& out) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& row = map_[axis];
      const double exact = row[0] * static_cast<double>(x) + row[1] * static_cast<double>(y) +
                           row[2] * static_cast<double>(z) + row[3];
      const auto last = static_cast<double>(shape_[axis] - 1);
      const double at = model::reached(exact, shape_[axis], half_a_voxel);
      if (std::isnan(at) || exact >= last + half_a_voxel) return false;
      out.lower[axis] = static_cast<std::size_t>(at);
      out.upper[axis] = std::min(out.lower[axis] + 1, shape_[axis] - 1);
      out.share[axis] = at - std::floor(at);
    }
    return true;
  }
  std::size_t index(std::size_t x, std::size_t y, std::size_t z) const {
    return x + shape_[0] * (y + shape_[1] * z);
  }

 private:
  Affine map_;
  Shape shape_;
};

using Codes = std::vector<std::uint16_t>;

/// The code of the nearest voxel; of two at the same distance, the upper one.
std::uint16_t nearest_code(const Codes& codes, const Places& places, const Place& at) {
  std::array<std::size_t, 3> index{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    index[axis] = at.share[axis] < half_a_voxel ? at.lower[axis] : at.upper[axis];
  return codes[places.index(index[0], index[1], index[2])];
}

/// The weights of the labels around a place, of which there are at most eight.
struct Weights {
  std::array<std::uint16_t, 8> codes{};
  std::array<double, 8> weights{};
  std::size_t size = 0;

  void add(std::uint16_t code, double weight) {
    std::size_t i = 0;
    while (i < size && codes[i] != code) ++i;
    if (i == size) codes[size++] = code;
    weights[i] += weight;
  }
};

Weights weights_at(const Codes& codes, const Places& places, const Place& at) {
  Weights out;
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<std::size_t, 3> index{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_upper = (corner >> axis & 1U) != 0;
      weight *= is_upper ? at.share[axis] : 1 - at.share[axis];
      index[axis] = is_upper ? at.upper[axis] : at.lower[axis];
    }
    if (weight > 0) out.add(codes[places.index(index[0], index[1], index[2])], weight);
  }
  return out;
}

/// The label with the largest weight, or the lowest label when weights are equal up to rounding.
std::uint16_t heaviest(const Weights& found, const std::vector<Label>& values) {
  constexpr double slack = 1e-9;
  std::size_t best = 0;
  for (std::size_t i = 1; i < found.size; ++i) {
    const double lead = found.weights[i] - found.weights[best];
    const bool is_lower = values[found.codes[i]] < values[found.codes[best]];
    if (lead > slack || (lead > -slack && is_lower)) best = i;
  }
  return found.codes[best];
}

Codes codes_on(const OwnedLabels& labels, const Grid& onto, metrics::Interpolation interpolation) {
  const Places places(onto, labels.grid);
  Codes out(onto.size());
  Place at;
  auto to = out.begin();
  for (std::size_t z = 0; z < onto.shape[2]; ++z)
    for (std::size_t y = 0; y < onto.shape[1]; ++y)
      for (std::size_t x = 0; x < onto.shape[0]; ++x, ++to) {
        if (!places.find(x, y, z, at)) continue;
        *to = interpolation == metrics::Interpolation::nearest
                  ? nearest_code(labels.codes, places, at)
                  : heaviest(weights_at(labels.codes, places, at), labels.values);
      }
  return out;
}

std::int64_t labelled_voxels(const Codes& codes) {
  return std::ranges::count_if(codes, [](std::uint16_t code) { return code != 0; });
}

}  // namespace

bool needs_resampling(const Grid& from, const Grid& onto) {
  if (!from.in_space || !onto.in_space) return false;
  return greatest_corner_shift_mm(reoriented(from, axis_map(from, onto)), onto) > equal_grids_mm;
}

OwnedLabels resampled_labels(const LabelView& labels, const Grid& onto,
                             metrics::Interpolation interpolation) {
  OwnedLabels from = owned(labels);
  return {onto, codes_on(from, onto, interpolation), std::move(from.values)};
}

metrics::ResamplingEvidence resampling_evidence(const LabelView& before, const OwnedLabels& after) {
  const OwnedLabels own = owned(before);
  const Codes back = codes_on(after, own.grid, metrics::Interpolation::nearest);
  metrics::ResamplingEvidence out = {.from = describe(own.grid),
                                     .before = labelled_voxels(own.codes),
                                     .after = labelled_voxels(after.codes)};
  for (std::size_t i = 0; i < back.size(); ++i)
    if (back[i] != own.codes[i]) ++out.changed;
  return out;
}

}  // namespace assay::score
