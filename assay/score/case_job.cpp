// SPDX-License-Identifier: Apache-2.0
#include "assay/score/case_job.hpp"

#include <fmt/format.h>

#include "assay/metrics/region_counts.hpp"

namespace assay::score {
namespace {

/// The regions of a case that are scored. With all labels, these are the labels that it has.
std::vector<metrics::Region> regions_of(const metrics::OccurringLabels& found,
                                        const metrics::ScoreSettings& settings) {
  if (!settings.all_labels) return settings.regions;
  std::vector<metrics::Region> regions;
  for (const Label label : metrics::labels_in(found))
    if (label != settings.ignored) {
      const std::string key = std::to_string(label);
      regions.push_back({key, key, {label}});
    }
  return regions;
}

/// A minimum lesion volume in mL has no meaning where the volume of a voxel is unknown.
void require_volumes_of_lesions(const Grid& grid, const metrics::ScoreSettings& settings) {
  if (metrics::needs_lesions(settings) && settings.lesions.least_ml > 0 &&
      known_voxel_ml(grid) == 0)
    throw Error(Error::Kind::input,
                "the volume of a voxel is not known, so small lesions cannot be left out; give "
                "--min-lesion-ml 0, or the size of a voxel with --spacing x,y,z");
}

Reading reading_by(const CaseJob& job, bool as_labels, const MaskRule& mask) {
  const bool takes_highest_class = job.settings.volumes == metrics::VolumeRule::classes;
  const bool is_segment = !job.files.region.empty() && job.files.volume == 0 &&
                          job.files.reference.ends_with(".seg.nrrd");
  const bool takes_any = takes_highest_class || is_segment || job.files.volume != 0;
  return {.as_labels = as_labels,
          .mask = mask,
          .volumes = takes_any ? Volumes::any : Volumes::one,
          .reader = job.settings.reader,
          .pictures = job.settings.pictures,
          .takes_highest_class = takes_highest_class,
          .volume = job.files.volume,
          .segment = is_segment ? job.files.region : ""};
}

}  // namespace

PictureRules pictures_of_prediction(const metrics::ScoreSettings& settings) {
  PictureRules out = settings.pictures;
  out.level = settings.prediction_level;
  return out;
}

bool needs_shapes(const metrics::ScoreSettings& settings) {
  return metrics::needs_boundary(settings) || metrics::needs_lesions(settings);
}

Reading CaseJob::reading_of_prediction(bool as_labels) const {
  Reading how = reading_by(*this, as_labels, prediction_rule(settings));
  if (how.volumes == Volumes::one) how.volumes = Volumes::classes;
  how.keeps_probabilities = metrics::needs_probability(settings);
  how.pictures.level = settings.prediction_level;
  return how;
}

Reading CaseJob::reading_of_reference(bool as_labels) const {
  return reading_by(*this, as_labels, reference_rule(settings));
}

Side CaseJob::prediction(bool as_labels) const {
  return on_side(of_prediction, plan, files, record, [&](const auto& path) {
    Side side = read_side(path, reading_of_prediction(as_labels), workspace);
    if (plan.files.size() == 1) record.prediction_sha256 = side.sha256;
    return side;
  });
}

Side CaseJob::reference(bool as_labels) const {
  return on_side(of_reference, plan, files, record, [&](const auto& path) {
    Side side = read_side(path, reading_of_reference(as_labels), workspace);
    if (plan.files.size() == 1) record.reference_sha256 = side.sha256;
    return side;
  });
}

std::vector<metrics::Region> count_regions(std::span<const metrics::JointCount> joint,
                                           const CaseJob& job) {
  const std::optional<Label>& ignored = job.settings.ignored;
  metrics::CaseRecord& record = job.record;
  record.labels = metrics::occurring_labels(joint);
  std::vector<metrics::Region> regions = regions_of(*record.labels, job.settings);
  const auto counts = metrics::confusions(joint, regions, ignored);
  for (std::size_t r = 0; r < regions.size(); ++r) record.counts[regions[r].key] = counts[r];
  record.voxels = 0;
  for (const metrics::JointCount& c : joint)
    if (!ignored || c.reference != *ignored) record.voxels += c.voxels;
  return regions;
}

void note_grid(const Alignment& alignment, const CaseJob& job) {
  if (!alignment.warning.empty()) job.record.warnings.push_back(alignment.warning);
  const Grid& grid = alignment.grid;
  job.record.voxel_ml = known_voxel_ml(grid);
  job.record.in_pixels = !grid.has_size;
  require_volumes_of_lesions(grid, job.settings);
  if (needs_shapes(job.settings)) job.record.diagonal_mm = diagonal_mm(grid);
}

void note_reading(bool is_map, std::span<const std::string> oddities, const PairRole& role,
                  const CaseJob& job) {
  for (const std::string& oddity : oddities)
    job.record.warnings.push_back("the " + std::string(role.name) + " " + oddity);
  if (!is_map) return;
  if (role.file == &FilePair::prediction)
    job.record.is_uncut_map = true;
  else
    job.record.warnings.push_back(
        fmt::format("the reference is a map; its foreground is value >= {}, as in the prediction",
                    *job.settings.threshold));
}

}  // namespace assay::score
