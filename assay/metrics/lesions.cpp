// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/lesions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/metrics/components.hpp"

namespace assay::metrics {
namespace {

constexpr Named<LesionRule> rule_names[] = {{"any", LesionRule::any},
                                            {"brats", LesionRule::brats},
                                            {"anima", LesionRule::anima},
                                            {"iou", LesionRule::iou}};

constexpr int brats_dilations = 3;        // of gliomas
constexpr double brats_penalty_mm = 374;  // the diagonal of its images
constexpr double anima_least_covered = 0.10, anima_most_outside = 0.70, anima_share = 0.65;

/// Lesions of both sides in one box, and what they have in common.
struct Sides {
  Components prediction, reference;
  std::vector<Overlap> shared;  ///< a: of the prediction, b: of the reference
  std::vector<Overlap> near;    ///< the same with the reference dilated; of the brats rule
  bool half_matches = false;    ///< whether an IoU of exactly 0.5 makes a pair
};

/// Partners of every lesion, as numbers of the other side.
struct Matching {
  std::vector<std::vector<std::uint32_t>> of_reference, of_prediction;

  Matching(std::size_t references, std::size_t predictions)
      : of_reference(references), of_prediction(predictions) {}
  void join(std::uint32_t prediction, std::uint32_t reference) {
    of_reference[reference].push_back(prediction);
    of_prediction[prediction].push_back(reference);
  }
};

Matching matching_of(const Sides& sides, std::span<const Overlap> pairs) {
  Matching out(sides.reference.count(), sides.prediction.count());
  for (const Overlap& pair : pairs) out.join(pair.a, pair.b);
  return out;
}

Matching match_any(const Sides& sides) {
  return matching_of(sides, sides.shared);
}

Matching match_near(const Sides& sides) {
  return matching_of(sides, sides.near);
}

double lesion_iou(const Sides& sides, const Overlap& pair) {
  const std::int64_t both = sides.prediction.sizes[pair.a] + sides.reference.sizes[pair.b];
  return static_cast<double>(pair.voxels) / static_cast<double>(both - pair.voxels);
}

/// Pairs of lesions whose IoU is above 0.5, or at least 0.5. Above 0.5 no lesion has a second
/// partner. At 0.5 a lesion that was merged by dilation may have two, and the first counts.
std::vector<Overlap> one_to_one(const Sides& sides) {
  std::vector<Overlap> out;
  std::vector<bool> p_taken(sides.prediction.count()), r_taken(sides.reference.count());
  for (const Overlap& pair : sides.shared) {
    const double x = lesion_iou(sides, pair);
    if (p_taken[pair.a] || r_taken[pair.b] || !(x > 0.5 || (sides.half_matches && x == 0.5)))
      continue;
    p_taken[pair.a] = r_taken[pair.b] = true;
    out.push_back(pair);
  }
  return out;
}

Matching match_iou(const Sides& sides) {
  return matching_of(sides, one_to_one(sides));
}

/// One side as Anima sees it: its lesions, and what covers them.
struct Covered {
  const std::vector<std::int64_t>& sizes;        ///< of the lesions to be found
  const std::vector<std::int64_t>& other_sizes;  ///< of the lesions that find them
  std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>> by;  ///< voxels, other
  std::vector<std::int64_t> inside;  ///< voxels of each other lesion that lie in any lesion

  double outside(std::uint32_t other) const {
    const auto size = static_cast<double>(other_sizes[other]);
    return (size - static_cast<double>(inside[other])) / size;
  }

  /// Considers the largest parts first, and among equal ones the one that lies less outside, so
  /// that the order does not depend on how lesions are numbered.
  bool is_found(std::size_t lesion) const {
    auto parts = by[lesion];
    std::ranges::sort(parts, [&](const auto& a, const auto& b) {
      return std::pair(-a.first, outside(a.second)) < std::pair(-b.first, outside(b.second));
    });
    std::int64_t total = 0;
    for (const auto& [voxels, other] : parts) total += voxels;
    if (static_cast<double>(total) < anima_least_covered * static_cast<double>(sizes[lesion]))
      return false;
    std::int64_t seen = 0;
    for (const auto& [voxels, other] : parts) {
      if (static_cast<double>(seen) >= anima_share * static_cast<double>(total)) break;
      if (outside(other) > anima_most_outside) return false;
      seen += voxels;
    }
    return total > 0;
  }
};

Covered covered(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& others,
                std::span<const Overlap> shared, bool lesions_are_a) {
  Covered out = {sizes, others, {}, {}};
  out.by.resize(sizes.size());
  out.inside.resize(others.size());
  for (const Overlap& pair : shared) {
    const std::uint32_t lesion = lesions_are_a ? pair.a : pair.b;
    const std::uint32_t other = lesions_are_a ? pair.b : pair.a;
    out.by[lesion].emplace_back(pair.voxels, other);
    out.inside[other] += pair.voxels;
  }
  return out;
}

std::vector<bool> found_in(const Covered& side) {
  std::vector<bool> out(side.sizes.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = side.is_found(i);
  return out;
}

/// Each side is judged separately, so a lesion may be found by one that is itself not a true
/// positive.
Matching match_anima(const Sides& sides) {
  Matching out(sides.reference.count(), sides.prediction.count());
  const auto& p_sizes = sides.prediction.sizes;
  const auto& r_sizes = sides.reference.sizes;
  const std::vector<bool> r_found = found_in(covered(r_sizes, p_sizes, sides.shared, false));
  const std::vector<bool> p_found = found_in(covered(p_sizes, r_sizes, sides.shared, true));
  for (const Overlap& pair : sides.shared) {
    if (r_found[pair.b]) out.of_reference[pair.b].push_back(pair.a);
    if (p_found[pair.a]) out.of_prediction[pair.a].push_back(pair.b);
  }
  return out;
}

struct Matcher {
  Matching (*match)(const Sides&);
  bool dilates;      ///< reference lesions are merged by dilation
  bool harmonic_f1;  ///< F1 from precision and recall
};

constexpr Matcher matchers[] = {{match_any, false, false},
                                {match_near, true, false},
                                {match_anima, false, true},
                                {match_iou, false, false}};

/// The lesions of `all`, numbered as in `merged`; those in one component of `merged` become one.
Components merged_by(const Components& all, const Components& merged) {
  std::vector<std::uint32_t> group(all.count());
  for (const Overlap& pair : overlaps(all, merged)) group[pair.a] = pair.b;
  Components out = {.runs = all.runs, .sizes = std::vector<std::int64_t>(merged.count())};
  for (ComponentRun& run : out.runs) {
    run.component = group[run.component];
    out.sizes[run.component] += run.length();
  }
  return out;
}

/// Only lesions that are kept, under their new numbers.
Components kept_only(const Components& all, const std::vector<std::uint32_t>& number,
                     std::uint32_t none) {
  Components out;
  for (std::size_t i = 0; i < all.count(); ++i)
    if (number[i] != none) out.sizes.push_back(all.sizes[i]);
  for (ComponentRun run : all.runs)
    if (number[run.component] != none) {
      run.component = number[run.component];
      out.runs.push_back(run);
    }
  return out;
}

/// The fewest voxels of a lesion that is kept. A lesion of exactly the least volume is kept,
/// however the quotient was rounded.
std::int64_t least_voxels(const LesionScene& scene, const LesionSettings& settings) {
  return static_cast<std::int64_t>(
      std::ceil(settings.least_ml / voxel_ml(scene.grid) * (1 - 1e-9)));
}

/// The same where a lesion of exactly the least volume is left out.
std::int64_t least_voxels_above(const LesionScene& scene, const LesionSettings& settings) {
  return 1 + static_cast<std::int64_t>(
                 std::floor(settings.least_ml / voxel_ml(scene.grid) * (1 + 1e-9)));
}

/// BraTS merges lesions. It leaves out small lesions of the reference only, including those of
/// exactly the limit.
void merge_by_dilation(Sides& sides, const BitVolume& reference, std::int64_t least) {
  const Components grown =
      components(dilated(reference, Connectivity::edges, brats_dilations), Connectivity::corners);
  const Components lesions = merged_by(sides.reference, grown);
  constexpr std::uint32_t none = ~0U;
  std::vector<std::uint32_t> number(lesions.count(), none);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < lesions.count(); ++i)
    if (lesions.sizes[i] >= least) number[i] = count++;
  sides.reference = kept_only(lesions, number, none);
  // Predictions next to a lesion that is left out are not false alarms: they are left out as well.
  for (Overlap pair : overlaps(sides.prediction, grown)) {
    sides.near.push_back({pair.a, number[pair.b], pair.voxels});
  }
}

/// The runs of each component, found without a search.
class RunsByComponent {
 public:
  explicit RunsByComponent(const Components& side) : runs_(side.runs), starts_(side.count() + 1) {
    for (const ComponentRun& run : side.runs) ++starts_[run.component + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    order_.resize(runs_.size());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < runs_.size(); ++i) order_[next[runs_[i].component]++] = i;
  }

  std::vector<ComponentRun> of(std::span<const std::uint32_t> components) const {
    std::vector<ComponentRun> out;
    for (const std::uint32_t c : components)
      for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) out.push_back(runs_[order_[i]]);
    return out;
  }

 private:
  const std::vector<ComponentRun>& runs_;
  std::vector<std::size_t> starts_, order_;
};

std::size_t bin_of(double volume_ml) {
  const auto* const bin = std::ranges::upper_bound(lesion_bins_ml, volume_ml);
  return static_cast<std::size_t>(bin - lesion_bins_ml.begin());
}

void keep_first(std::vector<MatchedLesion>& lesions) {
  constexpr std::size_t most_listed = 1000;
  if (lesions.size() > most_listed) lesions.resize(most_listed);
}

class LesionScores {
 public:
  LesionScores(const LesionScene& scene, const LesionSettings& settings)
      : scene_(scene),
        box_(scene.solids.box),
        matcher_(matchers[static_cast<std::size_t>(settings.rule)]) {
    const BitVolume &p = scene.solids.prediction, &r = scene.solids.reference;
    size_ = p.size();
    sides_.half_matches = settings.half_matches;
    sides_.prediction = components(p, settings.connectivity);
    sides_.reference = components(r, settings.connectivity);
    if (matcher_.dilates) {
      merge_by_dilation(sides_, r, least_voxels_above(scene, settings));
    } else {
      const std::int64_t least = least_voxels(scene, settings);
      sides_.prediction = without_small(sides_.prediction, least);
      sides_.reference = without_small(sides_.reference, least);
    }
    sides_.shared = overlaps(sides_.prediction, sides_.reference);
  }

  LesionEvidence evidence() {
    LesionEvidence out;
    out.harmonic_f1 = matcher_.harmonic_f1;
    out.penalty_mm = matcher_.dilates ? brats_penalty_mm : diagonal_mm(scene_.grid);
    const std::vector<bool> spared = spare_left_out();
    const Matching found = matcher_.match(sides_);
    out.reference = lesions(sides_.reference, found.of_reference);
    out.prediction = lesions(sides_.prediction, found.of_prediction);
    for (std::size_t i = 0; i < spared.size(); ++i)
      if (spared[i]) out.prediction[i].matched = true;
    compare(out.reference);
    for (const Overlap& pair : one_to_one(sides_)) {
      out.iou_sum += lesion_iou(sides_, pair);
      ++out.iou_pairs;
    }
    count(out);
    return out;
  }

 private:
  /// Which predictions touch only lesions that are left out.
  std::vector<bool> spare_left_out() {
    std::vector<bool> out(sides_.prediction.count());
    std::erase_if(sides_.near, [&](const Overlap& pair) {
      const bool left_out = pair.b == ~0U;
      if (left_out) out[pair.a] = true;
      return left_out;
    });
    return out;
  }

  std::vector<MatchedLesion> lesions(
      const Components& side, const std::vector<std::vector<std::uint32_t>>& partners) const {
    std::vector<MatchedLesion> out(side.count());
    std::vector<Point> sums(side.count());
    for (const ComponentRun& run : side.runs) {
      const auto n = static_cast<double>(run.length());
      sums[run.component][0] += n * (run.first + run.last - 1) / 2.0;
      sums[run.component][1] += n * run.y;
      sums[run.component][2] += n * run.z;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      Point middle;
      for (std::size_t k = 0; k < 3; ++k)
        middle[k] =
            sums[i][k] / static_cast<double>(side.sizes[i]) - 1 + static_cast<double>(box_.low[k]);
      out[i].voxels = side.sizes[i];
      out[i].centroid_mm = position_mm(scene_.grid, middle);
      out[i].partners = partners[i];
      out[i].matched = !partners[i].empty();
    }
    return out;
  }

  void count(LesionEvidence& out) const {
    const double ml = voxel_ml(scene_.grid);
    for (const MatchedLesion& lesion : out.reference) {
      LesionBin& bin = out.by_size[bin_of(static_cast<double>(lesion.voxels) * ml)];
      ++bin.lesions;
      bin.detected += lesion.matched ? 1 : 0;
      out.detected += lesion.matched ? 1 : 0;
      out.dice_sum += lesion.dice;
      out.hd95_sum_mm += lesion.hd95_mm.value_or(0);
    }
    out.references = static_cast<std::int64_t>(out.reference.size());
    out.predictions = static_cast<std::int64_t>(out.prediction.size());
    out.confirmed = std::ranges::count(out.prediction, true, &MatchedLesion::matched);
    keep_first(out.reference);
    keep_first(out.prediction);
  }

  /// Dice and distance of each of the reference's lesions to all of its partners together.
  void compare(std::vector<MatchedLesion>& lesions) const {
    std::vector<std::int64_t> common(lesions.size());
    for (const Overlap& pair : sides_.shared)
      if (std::ranges::binary_search(lesions[pair.b].partners, pair.a))
        common[pair.b] += pair.voxels;
    const RunsByComponent p_runs(sides_.prediction), r_runs(sides_.reference);
    for (std::uint32_t i = 0; i < lesions.size(); ++i) {
      MatchedLesion& lesion = lesions[i];
      if (lesion.partners.empty()) continue;
      std::int64_t sizes = lesion.voxels;
      for (const std::uint32_t partner : lesion.partners) sizes += sides_.prediction.sizes[partner];
      lesion.dice = 2 * static_cast<double>(common[i]) / static_cast<double>(sizes);
      const std::uint32_t itself[] = {i};
      if (scene_.with_distances)
        lesion.hd95_mm = hd95(solids(p_runs.of(lesion.partners), r_runs.of(itself)));
    }
  }

  double hd95(const Solids& lesion) const {
    const SurfaceRules& by = scene_.surface;
    const BoundaryEvidence kept = boundary_evidence(surface_distances(lesion, by), by, {{95}, {}});
    if (by.pooled) return kept.pooled_percentile_mm.at(95);
    return std::max(kept.prediction.percentile_mm.at(95), kept.reference.percentile_mm.at(95));
  }

  /// The runs as masks in the box around them.
  Solids solids(const std::vector<ComponentRun>& p, const std::vector<ComponentRun>& r) const {
    Box box = {size_, {0, 0, 0}};
    for (const auto* runs : {&p, &r})
      for (const ComponentRun& run : *runs)
        box = joint_box(box, {{run.first, run.y, run.z}, {run.last, run.y + 1, run.z + 1}});
    return {.prediction = drawn(p, box),
            .reference = drawn(r, box),
            .axes = scene_.solids.axes,
            .has_axis = scene_.solids.has_axis,
            .spacing_mm = scene_.solids.spacing_mm,
            .box = box};
  }

  static BitVolume drawn(const std::vector<ComponentRun>& runs, const Box& box) {
    BitVolume out(
        {box.high[0] - box.low[0] + 2, box.high[1] - box.low[1] + 2, box.high[2] - box.low[2] + 2});
    for (const ComponentRun& run : runs)
      for (Index x = run.first; x < run.last; ++x)
        out.set(x - box.low[0] + 1, run.y - box.low[1] + 1, run.z - box.low[2] + 1);
    return out;
  }

  const LesionScene& scene_;
  Box box_;
  const Matcher& matcher_;
  Place size_{};
  Sides sides_;
};

}  // namespace

std::span<const Named<LesionRule>> lesion_rules() {
  return rule_names;
}

std::string_view name(LesionRule rule) {
  return rule_names[static_cast<std::size_t>(rule)].name;
}

Index lesion_room(const LesionSettings& settings) {
  return settings.rule == LesionRule::brats ? brats_dilations : 0;
}

LesionEvidence lesion_evidence(const LesionScene& scene, const LesionSettings& settings) {
  return LesionScores(scene, settings).evidence();
}

}  // namespace assay::metrics
