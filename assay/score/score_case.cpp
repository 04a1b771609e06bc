// SPDX-License-Identifier: Apache-2.0
#include "assay/score/score_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/image_size.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/boundary/boundary_metrics.hpp"
#include "assay/metrics/lesions.hpp"
#include "assay/metrics/probability.hpp"
#include "assay/metrics/region_bits.hpp"
#include "assay/metrics/region_counts.hpp"
#include "assay/metrics/solids.hpp"
#include "assay/score/case_job.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/own_values.hpp"
#include "assay/score/resampling.hpp"
#include "assay/score/score_tiles.hpp"
#include "assay/score/side.hpp"
#include "assay/score/structure_pair.hpp"
#include "assay/score/structure_plan.hpp"

namespace assay::score {
namespace {

using Bits = std::span<std::uint64_t>;

/// Room for one bit per voxel.
Bits room_for_bits(std::size_t voxels, Buffer& buffer) {
  const std::size_t words = metrics::packed_words(voxels);
  return {reinterpret_cast<std::uint64_t*>(buffer.resize(8 * words).data()), words};
}

bool is_asked_for(const metrics::ScoreSettings& settings, std::string_view key) {
  return std::ranges::find(settings.metrics, key, &metrics::ChosenMetric::key) !=
         settings.metrics.end();
}

/// The margin that the box around the masks needs.
metrics::Index room_for(const metrics::ScoreSettings& settings) {
  return metrics::needs_lesions(settings) ? metrics::lesion_room(settings.lesions) : 0;
}

/// Measures what the metrics need beyond counts. Surfaces need two masks that are not empty,
/// lesions at least one. Otherwise the rules for empty masks decide.
void measure_shapes(const std::optional<metrics::Solids>& solids, const Grid& grid,
                    const std::string& key, const metrics::ScoreSettings& settings,
                    metrics::CaseRecord& record) {
  if (!solids) return;
  const metrics::SurfaceRules& rules = settings.convention->surface;
  if (metrics::needs_lesions(settings))
    record.lesions[key] =
        metrics::lesion_evidence({.solids = *solids,
                                  .grid = grid,
                                  .with_distances = is_asked_for(settings, "lesion_hd95"),
                                  .surface = rules},
                                 settings.lesions);
  if (metrics::needs_boundary(settings) && presence(record.counts.at(key)) == metrics::Presence::ok)
    record.boundary[key] = metrics::boundary_evidence(metrics::surface_distances(*solids, rules),
                                                      rules, metrics::boundary_request(settings));
}

/// The prediction in the order of the reference's voxels. The grid goes into the record.
SettledPrediction settled(const Side& prediction, const Grid& reference, const CaseJob& job,
                          Buffer& moved) {
  SettledPrediction out =
      settled_on(prediction.labels, reference, job.settings.allow_affine_mismatch, moved);
  note_grid(out.alignment, job);
  return out;
}

using Mask = std::span<const std::uint8_t>;

/// Runs a step on the prediction's image, in which errors are the prediction's fault.
template <class Work>
void on_prediction(const CaseJob& job, Work work) {
  on_side(of_prediction, job.plan, job.files, job.record, [&](const auto&) { work(); });
}

/// The prediction's image, if it is a probability map and a metric needs one. Metrics that were
/// requested by name refuse a map that holds neither labels nor probabilities.
const Image* probabilities_in(const Side& prediction, const CaseJob& job) {
  if (!prediction.image || !metrics::needs_probability(job.settings)) return nullptr;
  const Image& image = *prediction.image;
  if (!may_hold_probabilities(image.header())) return nullptr;
  const MapKind kind = map_kind(image);
  if (kind == MapKind::other && requires_probability(job.settings))
    on_prediction(job, [&] { require_probabilities(image); });
  return kind == MapKind::probabilities ? &image : nullptr;
}

void measure_probability(const Image& image, const AxisMap& map, const metrics::Region& region,
                         metrics::ProbabilityScene scene, const CaseJob& job) {
  Buffer sums = job.workspace.take_smallest(), moved = job.workspace.take_smallest();
  on_prediction(job, [&] {
    scene.prediction = walked(probability_of(image, region.members, sums), map, moved);
    job.record.probability[region.key] = metrics::probability_evidence(scene);
  });
  for (Buffer* buffer : {&sums, &moved}) job.workspace.give(std::move(*buffer));
}

/// Brings one side onto the other's grid if they differ. The record says what that did.
void resample(Side& side, const Grid& onto, const CaseJob& job) {
  if (!needs_resampling(side.labels.grid, onto)) return;
  if (requires_probability(job.settings))
    throw Error(
        Error::Kind::input,
        "--resample works only on labels, so probability metrics are not available; resample "
        "the map first, or drop --resample");
  job.record.resampling = resample_side(side, onto, job.settings.interpolation, job.workspace);
}

/// The grid of the prediction, before it is read.
Grid grid_of_prediction(const CaseJob& job) {
  return on_side(of_prediction, job.plan, job.files, job.record, [&](const auto& path) {
    return read_image_header(path, pictures_of_prediction(job.settings)).grid;
  });
}

bool is_runs(const LabelView& labels) {
  return std::holds_alternative<std::span<const Run>>(labels.codes);
}

/// Scores two masks that were read as runs and lie on one grid.
void score_runs(const LabelView& prediction, LabelView reference, const metrics::Region& region,
                const CaseJob& job) {
  const metrics::Confusion counts =
      metrics::confusion(metrics::joint_counts(prediction, reference), region, {});
  job.record.counts[region.key] = counts;
  job.record.voxels = counts.total();
  measure_own_metrics(prediction, reference, region, job.settings, job.record);
  if (needs_shapes(job.settings) && presence(counts) != metrics::Presence::both_empty) {
    reference.grid = prediction.grid;
    measure_shapes(metrics::LabelSolids(prediction, reference).of(region, room_for(job.settings)),
                   prediction.grid, region.key, job.settings, job.record);
  }
}

/// Scores a prediction mask against a reference in bits. `side` owns the memory of the mask.
void score_bits(const SettledPrediction& prediction, Side& side, Bits reference,
                const std::string& key, const CaseJob& job) {
  Buffer codes = job.workspace.take_smallest();
  const Mask predicted = std::get<Mask>(with_codes(prediction.labels, codes).codes);
  const metrics::Confusion counts = metrics::count_foreground(predicted, reference);
  job.record.counts[key] = counts;
  job.record.voxels = counts.total();
  measure_own_metrics({prediction.alignment.grid, predicted, {}}, reference, {key, key, {}},
                      job.settings, job.record);
  if (needs_shapes(job.settings)) {
    Buffer others = job.workspace.take_smallest();
    const Bits predicted_bits = room_for_bits(predicted.size(), others);
    metrics::pack_foreground(predicted, predicted_bits);
    const Grid& on = prediction.alignment.grid;
    const metrics::PackedMask mask = {on.shape, predicted_bits};
    const auto solids = metrics::solids_of(mask, {on.shape, reference}, on, room_for(job.settings));
    const bool is_large = 16 * (counts.tp + counts.fp) > counts.total();
    // The distances of a noisy mask take more memory than its voxels, which are no longer needed.
    if (is_large && !metrics::needs_probability(job.settings) && metrics::is_noisy(mask)) {
      side.image.reset();
      for (Buffer* buffer : {&others, &codes, &side.codes}) *buffer = {};
    }
    measure_shapes(solids, on, key, job.settings, job.record);
    job.workspace.give(std::move(others));
  }
  job.workspace.give(std::move(codes));
}

/// A reference, kept as runs or packed to bits as soon as it is read. The prediction is then
/// decompressed into memory that is still in the cache, and a job needs little more than one
/// volume.
class ReferenceMask {
 public:
  explicit ReferenceMask(const CaseJob& job) : job_(job), packed_(job.workspace.take_smallest()) {
    Side side = job.reference(false);
    if (job.settings.resampled == metrics::Resampled::reference)
      resample(side, grid_of_prediction(job), job);
    grid_ = side.labels.grid;
    note_reading(side.is_map, side.oddities, of_reference, job);
    if (is_runs(side.labels)) {
      runs_ = std::move(side);
    } else {
      bits_ = room_for_bits(grid_.size(), packed_);
      metrics::pack_foreground(std::get<Mask>(side.labels.codes), bits_);
      give_back(std::move(side), job.workspace);
    }
  }
  void give_back_memory() {
    if (runs_) give_back(std::move(*runs_), job_.workspace);
    job_.workspace.give(std::move(packed_));
  }

  const Grid& grid() const { return grid_; }
  const LabelView* runs() const { return runs_ ? &runs_->labels : nullptr; }
  Bits bits() {
    if (bits_.empty() && runs_) {
      bits_ = room_for_bits(grid_.size(), packed_);
      metrics::pack_region(runs_->labels, metrics::foreground_region(), bits_);
    }
    return bits_;
  }

 private:
  const CaseJob& job_;
  Grid grid_;
  Buffer packed_;
  Bits bits_;
  std::optional<Side> runs_;
};

void score_masks(const CaseJob& job) {
  Buffer moved;
  ReferenceMask reference(job);
  Side prediction = job.prediction(false);
  if (job.settings.resampled == metrics::Resampled::prediction)
    resample(prediction, reference.grid(), job);
  note_reading(prediction.is_map, prediction.oddities, of_prediction, job);
  const SettledPrediction found = settled(prediction, reference.grid(), job, moved);
  const std::string& key =
      job.files.region.empty() ? job.settings.regions.front().key : job.files.region;
  if (reference.runs() != nullptr && is_runs(found.labels)) {
    LabelView predicted = found.labels;
    predicted.grid = found.alignment.grid;
    score_runs(predicted, *reference.runs(), {key, key, {}}, job);
  } else {
    score_bits(found, prediction, reference.bits(), key, job);
  }
  if (const Image* map = probabilities_in(prediction, job))
    measure_probability(*map, found.alignment.map, {key, key, {}},
                        {.prediction = {}, .reference = reference.bits()}, job);
  give_back(std::move(prediction), job.workspace);
  reference.give_back_memory();
}

/// A prediction that was turned into labels, on the reference's grid.
struct Predicted {
  const SettledPrediction& settled;
  const Image* probabilities;  ///< null when it holds none, or none are needed
};

/// Measures what a probability map says about each region. The reference masks are packed one after
/// the other into the same memory.
void measure_probabilities(const Predicted& prediction, const LabelView& reference,
                           std::span<const metrics::Region> regions, const CaseJob& job) {
  const std::size_t voxels = reference.grid.size();
  Buffer buffer = job.workspace.take_smallest(), unseen = job.workspace.take_smallest();
  const Bits bits = room_for_bits(voxels, buffer);
  Bits ignored;
  if (job.settings.ignored) {
    ignored = room_for_bits(voxels, unseen);
    metrics::pack_region(reference, {"", "", {*job.settings.ignored}}, ignored);
  }
  for (const metrics::Region& region : regions) {
    metrics::pack_region(reference, region, bits);
    if (job.settings.ignored) metrics::clear_bits(bits, ignored);
    measure_probability(*prediction.probabilities, prediction.settled.alignment.map, region,
                        {.prediction = {}, .reference = bits, .ignored = ignored}, job);
  }
  for (Buffer* each : {&buffer, &unseen}) job.workspace.give(std::move(*each));
}

void measure_regions(const Predicted& prediction, LabelView reference,
                     std::span<const metrics::Region> regions, const CaseJob& job) {
  LabelView predicted = prediction.settled.labels;
  predicted.grid = reference.grid = prediction.settled.alignment.grid;
  const metrics::LabelSolids solids(predicted, reference, job.settings.ignored);
  for (const metrics::Region& region : regions) {
    measure_own_metrics(predicted, reference, region, job.settings, job.record);
    if (needs_shapes(job.settings) &&
        presence(job.record.counts.at(region.key)) != metrics::Presence::both_empty)
      measure_shapes(solids.of(region, room_for(job.settings)), reference.grid, region.key,
                     job.settings, job.record);
  }
}

void score_labels(const CaseJob& job) {
  Buffer moved;
  Side prediction = job.prediction(true), reference = job.reference(true);
  if (job.settings.resampled == metrics::Resampled::prediction)
    resample(prediction, reference.labels.grid, job);
  if (job.settings.resampled == metrics::Resampled::reference)
    resample(reference, prediction.labels.grid, job);
  const SettledPrediction found = settled(prediction, reference.labels.grid, job, moved);
  const std::vector<metrics::Region> regions =
      count_regions(metrics::joint_counts(found.labels, reference.labels), job);
  const Image* map = probabilities_in(prediction, job);
  if (map != nullptr) measure_probabilities({found, map}, reference.labels, regions, job);
  if (needs_shapes(job.settings) || has_own_metrics(job.settings))
    measure_regions({found, map}, reference.labels, regions, job);
  give_back(std::move(prediction), job.workspace);
  give_back(std::move(reference), job.workspace);
}

/// One side of a pair as structures: those of a DICOM object, or the labels of an image.
StructureSet read_structure_side(const PairRole& role, const CaseJob& job,
                                 const std::optional<Grid>& target) {
  const std::string& path = job.files.*role.file;
  if (holds_structures(path))
    return on_side(role, job.plan, job.files, job.record, [&](const std::string& file) {
      return read_structures(file, structure_reading(job.settings, target));
    });
  const bool as_labels = job.files.region.empty() && !only_foreground(job.settings);
  Side side =
      role.file == &FilePair::prediction ? job.prediction(as_labels) : job.reference(as_labels);
  if (!as_labels) note_reading(side.is_map, side.oddities, role, job);
  StructureSet out = structures_of(side.labels);
  give_back(std::move(side), job.workspace);
  return out;
}

/// Contours take the grid of an image or a segmentation on the other side. If both sides are
/// contours, they take the grid of the reference's series.
StructurePair read_structure_pair(const CaseJob& job) {
  const bool draws_reference = class_of_file(job.files.reference) == contours_class;
  const bool draws_prediction = class_of_file(job.files.prediction) == contours_class;
  const auto settle = [&](StructureSet prediction, StructureSet reference) {
    return settled_pair(std::move(prediction), std::move(reference),
                        job.settings.allow_affine_mismatch);
  };
  if (draws_reference && !draws_prediction) {
    StructureSet prediction = read_structure_side(of_prediction, job, {});
    StructureSet reference = read_structure_side(of_reference, job, prediction.grid);
    return settle(std::move(prediction), std::move(reference));
  }
  StructureSet reference = read_structure_side(of_reference, job, {});
  StructureSet prediction = read_structure_side(
      of_prediction, job, draws_prediction ? std::optional(reference.grid) : std::nullopt);
  return settle(std::move(prediction), std::move(reference));
}

LabelView mask_of(const VoxelSpans& spans, const Grid& grid, std::vector<Run>& runs) {
  static constexpr Label values[] = {0, 1};
  runs = runs_of(spans, grid.size());
  return {grid, std::span<const Run>(runs), values};
}

/// Scores structures of DICOM objects, which may overlap, each as a mask of its own. `keys` are the
/// structures that are scored by name; if there are none, labels and regions are scored by number.
void score_structures(const CaseJob& job, const std::vector<std::string>& keys) {
  if (job.settings.ignored)
    throw Error(Error::Kind::usage,
                "--ignore-label does not apply to the structures of DICOM; drop it");
  const StructurePair pair = read_structure_pair(job);
  if (!pair.warning.empty()) job.record.warnings.push_back(pair.warning);
  const Grid& grid = pair.reference.grid;
  job.record.voxel_ml = voxel_ml(grid);
  if (needs_shapes(job.settings)) job.record.diagonal_mm = diagonal_mm(grid);
  if (keys.empty() && !only_foreground(job.settings)) job.record.labels = occurring_numbers(pair);
  std::vector<Run> predicted, referred;
  for (const StructureRegion& each :
       keys.empty() ? numbered_regions(pair, job.settings.regions, job.settings.all_labels)
                    : named_regions(pair, keys))
    score_runs(mask_of(voxels_of(pair.prediction, each.prediction), grid, predicted),
               mask_of(voxels_of(pair.reference, each.reference), grid, referred),
               {each.region.key, each.region.name, {}}, job);
}

void score_group(const FileGroup& group, const CaseJob& job) {
  // Probability maps are images, even in DICOM.
  if (has_structures(*group.files) && !requires_probability(job.settings))
    score_structures(job, group.keys);
  else if (counts_by_tiles(job.files, job.settings))
    score_tiles(job);
  else if (!group.keys.empty() || only_foreground(job.settings))
    score_masks(job);
  else
    score_labels(job);
}

/// The diagonal of the image for which a prediction failed: what a distance then counts at worst. 0
/// when no metric needs it, or when the reference cannot tell.
double diagonal_of_missed(const CasePlan& plan, const metrics::ScoreSettings& settings) try {
  if (!needs_shapes(settings)) return 0;
  const auto first = std::ranges::find_if(
      plan.files, [](const FilePair& files) { return !files.reference.empty(); });
  return first == plan.files.end()
             ? 0
             : diagonal_mm(read_image_header(first->reference, settings.pictures).grid);
} catch (const Error&) {
  return 0;
} catch (const std::bad_alloc&) {
  return 0;
}

std::string hash_of(const PairRole& role, const CasePlan& plan, metrics::CaseRecord& record) {
  std::string hashes;
  std::set<std::string> seen;  // a file with many structures is hashed once
  for (const FilePair& files : plan.files)
    if (!(files.*role.file).empty() && seen.insert(files.*role.file).second)
      hashes +=
          on_side(role, plan, files, record, [](const auto& path) { return image_sha256(path); });
  return plan.files.size() == 1 ? hashes : sha256(hashes);  // many files: a hash of their hashes
}

}  // namespace

Buffer Workspace::take_largest() {
  if (spare_.empty()) return {};
  Buffer largest = std::move(spare_.back());
  spare_.pop_back();
  return largest;
}

Buffer Workspace::take_smallest() {
  if (spare_.empty()) return {};
  Buffer smallest = std::move(spare_.front());
  spare_.erase(spare_.begin());
  return smallest;
}

void Workspace::give(Buffer buffer) {
  const auto place = std::ranges::lower_bound(spare_, buffer.capacity(), {}, &Buffer::capacity);
  spare_.insert(place, std::move(buffer));
}

Error as_shown(const Error& error, const std::filesystem::path& file, const std::string& shown) {
  const std::string full = file.string();
  const std::size_t at = shown.empty() ? std::string::npos : full.rfind(shown);
  const std::string root =
      at == std::string::npos ? (file.parent_path() / "").string() : full.substr(0, at);
  return root == "/" ? error : error.relative_to(root);
}

bool only_foreground(const metrics::ScoreSettings& settings) {
  return !settings.all_labels && !settings.ignored &&
         std::ranges::all_of(settings.regions,
                             [](const metrics::Region& region) { return region.members.empty(); });
}

bool has_hashes(const metrics::CaseRecord& record, const CasePlan& plan) try {
  metrics::CaseRecord now;
  // If the prediction was made from an image, the image is the first file of the plan.
  const std::string& first = record.image.empty() ? record.prediction_sha256 : record.image_sha256;
  const bool has_channels = !plan.files.empty() && !plan.files.front().channels.empty();
  return first == (has_channels ? channels_sha256(image_files(plan.files.front()))
                                : hash_of(of_prediction, plan, now)) &&
         record.reference_sha256 == hash_of(of_reference, plan, now);
} catch (const Error&) {
  return false;  // a file that cannot be read now is not the one that was scored
}

metrics::CaseRecord score_case(const CasePlan& plan, const metrics::ScoreSettings& settings,
                               Workspace& workspace) {
  metrics::CaseRecord record = {.id = plan.id, .fate = plan.fate, .error = plan.error};
  record.groups = plan.groups;
  record.prediction = plan.prediction;
  record.reference = plan.reference;
  if (plan.fate != metrics::Fate::scored) {
    record.diagonal_mm = diagonal_of_missed(plan, settings);
    return record;
  }
  const auto failed = [&](const std::string& why) {
    metrics::CaseRecord out = {.id = record.id, .fate = metrics::Fate::failed, .error = why};
    out.reference_at_fault = record.reference_at_fault;
    out.diagonal_mm = diagonal_of_missed(plan, settings);
    out.groups = record.groups;
    out.prediction = record.prediction;
    out.reference = record.reference;
    return out;
  };
  try {
    for (const FileGroup& group : file_groups(plan, record))
      score_group(group, {plan, *group.files, settings, workspace, record});
    // Of files that were not read as a whole.
    if (record.prediction_sha256.empty())
      record.prediction_sha256 = hash_of(of_prediction, plan, record);
    if (record.reference_sha256.empty())
      record.reference_sha256 = hash_of(of_reference, plan, record);
    return record;
  } catch (const Error& e) {
    return failed(e.what());
  } catch (const std::bad_alloc&) {
    return failed("not enough memory for this case; try fewer --jobs");
  }
}

}  // namespace assay::score
