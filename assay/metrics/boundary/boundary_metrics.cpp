// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/boundary_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/metrics.hpp"
#include "assay/metrics/boundary/faces.hpp"
#include "assay/metrics/boundary/surface_search.hpp"
#include "assay/metrics/boundary/surfels.hpp"
#include "assay/metrics/metric_families.hpp"

namespace assay::metrics {
namespace {

double percentile(const DirectedDistances& distances, double percent, const SurfaceRules& rules) {
  return rules.steps ? distances.percentile_step(percent) : distances.percentile(percent);
}

DirectedEvidence kept(const DirectedDistances& distances, const SurfaceRules& rules,
                      const BoundaryRequest& request) {
  DirectedEvidence out = {.weight = distances.weight(),
                          .sum_mm = distances.weighted_sum(),
                          .greatest_mm = distances.greatest()};
  if (!rules.pooled)
    for (const double percent : request.percentiles)
      out.percentile_mm[percent] = percentile(distances, percent, rules);
  for (const double tolerance : request.tolerances_mm)
    out.within[tolerance] = distances.within(tolerance);
  return out;
}

/// Two masks, the axes across which they have a surface, and their border voxels.
struct Borders {
  const Solids& solids;
  const Axes& axes;
  BitVolume prediction, reference;
};

using Tallies = std::pair<DistanceTally, DistanceTally>;
using Measure = Tallies (*)(const Borders&);

Tallies by_border_voxels(const Borders& b) {
  const Point& mm = b.solids.spacing_mm;
  return {distances_to(b.reference, b.prediction, mm), distances_to(b.prediction, b.reference, mm)};
}

Tallies by_surfels(const Borders& b) {
  const Point& mm = b.solids.spacing_mm;
  const Surfels p(b.solids.prediction, b.axes, mm), r(b.solids.reference, b.axes, mm);
  return {distances_to(r.points(), p.points(), mm, p.weight()),
          distances_to(p.points(), r.points(), mm, r.weight())};
}

Tallies by_faces(const Borders& b) {
  const Solids& s = b.solids;
  return {face_distances(s.reference, s.prediction, b.axes, s.spacing_mm),
          face_distances(s.prediction, s.reference, b.axes, s.spacing_mm)};
}

constexpr Measure measures[] = {by_border_voxels, by_surfels, by_faces};

std::optional<double> at(const std::map<double, double>& values, double key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

Score hd(const BoundaryEvidence& e, const SurfaceRules& rules, double percent) {
  if (percent >= 100) return std::max(e.prediction.greatest_mm, e.reference.greatest_mm);
  const auto of_both = at(e.pooled_percentile_mm, percent);
  const auto p = at(e.prediction.percentile_mm, percent),
             r = at(e.reference.percentile_mm, percent);
  if (rules.pooled) return of_both ? Score{*of_both} : Undefined::not_scored;
  return p && r ? Score{std::max(*p, *r)} : Undefined::not_scored;
}

Score mean_of(const Score& a, const Score& b) {
  return value(a) && value(b) ? Score{(*value(a) + *value(b)) / 2} : Undefined::zero_denominator;
}

Score masd(const BoundaryEvidence& e, const SurfaceRules& /*rules*/, double /*argument*/) {
  return mean_of(ratio(e.prediction.sum_mm, e.prediction.weight),
                 ratio(e.reference.sum_mm, e.reference.weight));
}

Score assd(const BoundaryEvidence& e, const SurfaceRules& rules, double argument) {
  if (rules.assd_of_means) return masd(e, rules, argument);
  return ratio(e.prediction.sum_mm + e.reference.sum_mm, e.prediction.weight + e.reference.weight);
}

Score nsd(const BoundaryEvidence& e, const SurfaceRules& rules, double tolerance_mm) {
  const auto p = at(e.prediction.within, tolerance_mm), r = at(e.reference.within, tolerance_mm);
  if (!p || !r) return Undefined::not_scored;
  if (rules.nsd_of_shares)
    return mean_of(ratio(*p, e.prediction.weight), ratio(*r, e.reference.weight));
  return ratio(*p + *r, e.prediction.weight + e.reference.weight);
}

Score boundary_iou(const BoundaryEvidence& e, const SurfaceRules& /*rules*/, double /*argument*/) {
  return ratio(static_cast<double>(e.common), static_cast<double>(e.either));
}

/// Outlines are drawn slice by slice: a pixel is on one if a neighbour in its slice is outside. A
/// pixel of an outline is as long as a pixel is wide.
double added_path_mm(const Solids& solids) {
  constexpr Axes in_slice = {true, true, false};
  const BitVolume drawn = border(solids.prediction, in_slice);
  const BitVolume wanted = border(solids.reference, in_slice);
  const double pixel_mm = std::sqrt(solids.spacing_mm[0] * solids.spacing_mm[1]);
  return static_cast<double>(wanted.count() - in_common(drawn, wanted)) * pixel_mm;
}

Score apl(const BoundaryEvidence& e, const SurfaceRules& /*rules*/, double /*argument*/) {
  return e.added_path_mm;
}

/// A distance to an empty mask has no value. A missed lesion must still show, so the reason is
/// counted.
constexpr EmptyRule no_distance = {.both = 0.0,
                                   .reference = Undefined::reference_empty,
                                   .prediction = Undefined::prediction_empty};
constexpr EmptyRule no_share = {.both = 1.0, .reference = 0.0, .prediction = 0.0};

constexpr Metric boundary_table[] = {
    {.name = "hd",
     .title = "Hausdorff distance",
     .brief = "HD",
     .also = "Hausdorff, HD100",
     .group = "boundary",
     .equation = "max(max d(p, R), max d(r, P)) over border voxels p, r",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = no_distance,
     .failure = infinity,
     .note = "A single stray voxel determines it; read it together with HD95.",
     .reference = "Metrics Reloaded 2024",
     .formula = hd,
     .argument = 100},
    {.name = "hd95",
     .title = "Hausdorff distance at the 95th percentile",
     .brief = "HD95",
     .also = "Hausdorff 95, Hausdorff distance 95, HD95 mm, 95HD",
     .group = "boundary",
     .equation = "max(P95 d(p, R), P95 d(r, P)) over border voxels p, r",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = no_distance,
     .failure = infinity,
     .note = "The greater of the two directed percentiles, linearly interpolated; other tools pool "
             "both directions. hd99 and the like give other percentiles.",
     .reference = "Metrics Reloaded 2024",
     .formula = hd,
     .argument = 95},
    {.name = "assd",
     .title = "Average symmetric surface distance",
     .brief = "ASSD",
     .also = "avg. symmetric surface distance",
     .group = "boundary",
     .equation = "(sum d(p, R) + sum d(r, P)) / (|P| + |R|)",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = no_distance,
     .failure = infinity,
     .note =
         "Pooled over both surfaces: the larger one weighs more. MASD gives both the same weight.",
     .reference = "Metrics Reloaded 2024",
     .formula = assd},
    {.name = "masd",
     .title = "Mean average surface distance",
     .brief = "MASD",
     .group = "boundary",
     .equation = "(mean d(p, R) + mean d(r, P)) / 2",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = no_distance,
     .failure = infinity,
     .note = "Some tools call this ASSD.",
     .reference = "Metrics Reloaded 2024",
     .formula = masd},
    {.name = "nsd",
     .title = "Normalised surface distance",
     .brief = "NSD",
     .also = "surface Dice, normalized surface Dice, normalised surface Dice, normalized surface "
             "distance",
     .group = "boundary",
     .equation = "(|p: d(p, R) <= tolerance| + |r: d(r, P) <= tolerance|) / (|P| + |R|)",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = no_share,
     .failure = 0.0,
     .note = "The tolerance is the distance by which two experts differ (--nsd-tolerance, 1 mm by "
             "default); below the voxel size it says little.",
     .reference = "Nikolov et al. 2021; Metrics Reloaded 2024",
     .formula = nsd,
     .argument = 1},
    {.name = "boundary_iou",
     .title = "Boundary intersection over union",
     .brief = "boundary IoU",
     .group = "boundary",
     .equation = "|P and R| / |P or R| over border voxels",
     .unit = "",
     .better = Better::higher,
     .range = {0, 1},
     .empty = no_share,
     .failure = 0.0,
     .note = "Computed on borders one voxel thick: a shift by one voxel can bring it to 0.",
     .reference = "Cheng et al. 2021; Metrics Reloaded 2024",
     .formula = boundary_iou},
    {.name = "apl",
     .title = "Added path length",
     .brief = "APL",
     .group = "boundary",
     .equation = "pixels on outlines of R, slice by slice, that are not on outlines of P, times "
                 "the pixel's width",
     .unit = "mm",
     .better = Better::lower,
     .range = {0, infinity},
     .empty = no_distance,
     .failure = infinity,
     .note = "How much of a contour has to be redrawn; an estimate of correction time. Slices are "
             "planes of the first two axes of the reference.",
     .reference = "Vaassen et al. 2020",
     .formula = apl},
};

}  // namespace

constinit const std::span<const Metric> boundary_metrics = boundary_table;

SurfaceDistances surface_distances(const Solids& solids, const SurfaceRules& rules) {
  const Axes& axes = rules.thin_axes ? solids.has_axis : solids.axes;
  const double path_mm = added_path_mm(solids);  // before distances take up memory
  const Borders b = {solids, axes, border(solids.prediction, axes), border(solids.reference, axes)};
  auto [p_tally, r_tally] = measures[static_cast<std::size_t>(rules.elements)](b);
  const std::int64_t common = in_common(b.prediction, b.reference);
  return {DirectedDistances(std::move(p_tally)), DirectedDistances(std::move(r_tally)), common,
          b.prediction.count() + b.reference.count() - common, path_mm};
}

BoundaryEvidence boundary_evidence(const SurfaceDistances& distances, const SurfaceRules& rules,
                                   const BoundaryRequest& request) {
  BoundaryEvidence out = {.prediction = kept(distances.prediction, rules, request),
                          .reference = kept(distances.reference, rules, request),
                          .pooled_percentile_mm = {},
                          .common = distances.common,
                          .either = distances.either,
                          .added_path_mm = distances.added_path_mm};
  if (!rules.pooled) return out;
  const auto both = DirectedDistances::pooled(distances.prediction, distances.reference);
  for (const double percent : request.percentiles)
    out.pooled_percentile_mm[percent] = percentile(both, percent, rules);
  return out;
}

}  // namespace assay::metrics
