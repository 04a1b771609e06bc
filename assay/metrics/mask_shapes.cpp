// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/mask_shapes.hpp"

#include "assay/error.hpp"
#include "assay/metrics/boundary/boundary_metrics.hpp"
#include "assay/metrics/lesions.hpp"

namespace assay::metrics {
namespace {

Evidence mask_evidence(View<std::uint8_t> prediction, View<std::uint8_t> reference,
                       const ScoreSettings& settings) {
  const Grid& grid = reference.grid;
  Evidence evidence = {.counts = count_foreground(prediction.voxels, reference.voxels),
                       .voxel_ml = voxel_ml(grid)};
  if (!needs_boundary(settings) && !needs_lesions(settings)) return evidence;
  std::vector<std::uint64_t> p(packed_words(grid.size())), r(p.size());
  pack_foreground(prediction.voxels, p);
  pack_foreground(reference.voxels, r);
  const auto solids =
      solids_of({grid.shape, p}, {grid.shape, r}, grid, lesion_room(settings.lesions));
  if (solids) add_shapes(evidence, settings, *solids, grid);
  return evidence;
}

}  // namespace

void add_shapes(Evidence& evidence, const ScoreSettings& settings, const Solids& solids,
                const Grid& grid) {
  const SurfaceRules& rules = settings.convention->surface;
  if (needs_lesions(settings))
    evidence.lesions =
        lesion_evidence({.solids = solids, .grid = grid, .with_distances = true, .surface = rules},
                        settings.lesions);
  if (needs_boundary(settings) && presence(evidence.counts) == Presence::ok)
    evidence.boundary =
        boundary_evidence(surface_distances(solids, rules), rules, boundary_request(settings));
}

std::vector<Score> score_masks(View<std::uint8_t> prediction, View<std::uint8_t> reference,
                               const ScoreSettings& settings) {
  if (prediction.grid.shape != reference.grid.shape ||
      prediction.voxels.size() != prediction.grid.size() ||
      reference.voxels.size() != reference.grid.size())
    throw Error(Error::Kind::input, "the masks have different shapes: the prediction " +
                                        describe(prediction.grid) + ", the reference " +
                                        describe(reference.grid));
  const Evidence evidence = mask_evidence(prediction, reference, settings);
  const Parameters parameters = {.beta = settings.beta,
                                 .dice_smooth = settings.convention->dice_smooth};
  std::vector<Score> out;
  for (const ChosenMetric& each : settings.metrics)
    out.push_back(score(each, evidence, parameters, *settings.convention));
  return out;
}

}  // namespace assay::metrics
