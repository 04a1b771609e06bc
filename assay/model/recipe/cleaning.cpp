// SPDX-License-Identifier: Apache-2.0
/// Turns components of a class that are too small, or not the largest, into background.
#include <algorithm>
#include <array>
#include <cmath>

#include "assay/metrics/components.hpp"
#include "assay/model.hpp"

namespace assay::model {
namespace {

using Classes = std::array<std::size_t, 256>;

Classes voxels_by_class(View<std::uint8_t> labels) {
  Classes out{};
  for (const std::uint8_t label : labels.voxels) ++out[label];
  return out;
}

metrics::BitVolume mask_of(View<std::uint8_t> labels, std::uint8_t wanted) {
  const Shape& shape = labels.grid.shape;
  metrics::BitVolume out({static_cast<metrics::Index>(shape[0]),
                          static_cast<metrics::Index>(shape[1]),
                          static_cast<metrics::Index>(shape[2])});
  const std::uint8_t* at = labels.voxels.data();
  for (metrics::Index z = 0; z < out.size()[2]; ++z)
    for (metrics::Index y = 0; y < out.size()[1]; ++y)
      for (metrics::Index x = 0; x < out.size()[0]; ++x)
        if (*at++ == wanted) out.set(x, y, z);
  return out;
}

std::int64_t least_voxels(const Grid& grid, const Recipe& recipe) {
  // A little less than the quotient, so that 100 voxels of 0.001 ml reach 0.1 ml despite rounding.
  return static_cast<std::int64_t>(std::ceil(recipe.min_volume_ml / voxel_ml(grid) - 1e-6));
}

/// Only the largest component; the first one when several are equally large.
metrics::Components largest(const metrics::Components& all) {
  const auto most = std::ranges::max_element(all.sizes);
  const auto number = static_cast<std::uint32_t>(most - all.sizes.begin());
  metrics::Components out;
  for (const metrics::ComponentRun& run : all.runs)
    if (run.component == number) out.runs.push_back(run);
  if (most != all.sizes.end()) out.sizes = {*most};
  return out;
}

metrics::Components kept(View<std::uint8_t> labels, std::uint8_t wanted, const Recipe& recipe) {
  const auto connectivity = static_cast<metrics::Connectivity>(recipe.connectivity);
  const metrics::Components large =
      metrics::without_small(metrics::components(mask_of(labels, wanted), connectivity),
                             least_voxels(labels.grid, recipe));
  return recipe.largest_component ? largest(large) : large;
}

}  // namespace

Volume<std::uint8_t> cleaned(View<std::uint8_t> labels, const Recipe& recipe) {
  require_valid(recipe);
  if (!recipe.largest_component && recipe.min_volume_ml == 0)
    return {labels.grid, {labels.voxels.begin(), labels.voxels.end()}};
  const Shape& shape = labels.grid.shape;
  Volume<std::uint8_t> out(labels.grid);
  const Classes voxels = voxels_by_class(labels);
  for (unsigned label = 1; label < voxels.size(); ++label) {
    if (voxels[label] == 0) continue;
    const auto value = static_cast<std::uint8_t>(label);
    for (const metrics::ComponentRun& run : kept(labels, value, recipe).runs) {
      const std::size_t row =
          (static_cast<std::size_t>(run.z) * shape[1] + static_cast<std::size_t>(run.y)) * shape[0];
      std::fill_n(out.voxels().begin() + static_cast<std::ptrdiff_t>(row) + run.first, run.length(),
                  value);
    }
  }
  return out;
}

}  // namespace assay::model
