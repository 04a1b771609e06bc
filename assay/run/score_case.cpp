// SPDX-License-Identifier: Apache-2.0
#include "assay/run/score_case.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/image.hpp"
#include "assay/metrics/count.hpp"
#include "assay/run/alignment.hpp"

namespace assay {
namespace {

/// How the voxels of one side are to be read.
struct Reading {
  bool as_labels = false;
  std::optional<double> threshold;
};

/// One side of a pair behind the door: labels, or a mask in which non-zero is foreground. Owns what
/// `labels` borrows from: the image itself when its bytes serve, else the converted codes.
struct Side {
  std::optional<Image> image;
  Buffer codes;
  std::vector<Label> values;
  LabelView labels;
};

constexpr Label mask_values[] = {0, 1};

bool lies_within(const LabelView& view, std::span<const std::byte> bytes) {
  const auto* start =
      std::visit([](const auto& codes) { return reinterpret_cast<const std::byte*>(codes.data()); },
                 view.codes);
  return start >= bytes.data() && start < bytes.data() + bytes.size();
}

Side read_side(const std::filesystem::path& path, const Reading& how, Workspace& workspace) try {
  Side side{.image = read_image(path, workspace.take_largest()),
            .codes = workspace.take_smallest(),
            .values = {},
            .labels = {}};
  if (how.as_labels && !how.threshold) {
    side.labels = labels(*side.image, side.codes, side.values);
  } else {
    const View<std::uint8_t> mask = foreground(*side.image, how.threshold, side.codes);
    side.labels = {.grid = mask.grid, .codes = mask.voxels, .values = mask_values};
  }
  // The stored form is not needed once there are codes: its memory serves the next file.
  if (!lies_within(side.labels, side.image->voxels())) {
    workspace.give(std::move(*side.image).release());
    side.image.reset();
  }
  return side;
} catch (const Error& e) {
  const std::string text = e.what();
  throw text.starts_with(path.string()) ? e : e.within(path.string());
}

void give_back(Side side, Workspace& workspace) {
  if (side.image) workspace.give(std::move(*side.image).release());
  workspace.give(std::move(side.codes));
}

/// The same labels, walked by `map` into `into`.
LabelView walked(const LabelView& from, const AxisMap& map, Buffer& into) {
  return std::visit(
      [&]<class Code>(std::span<const Code> codes) -> LabelView {
        const std::span<std::byte> bytes = into.resize(codes.size_bytes());
        const std::span<Code> moved(reinterpret_cast<Code*>(bytes.data()), codes.size());
        reorient(View<Code>{from.grid, codes}, map, moved);
        return {.grid = reoriented(from.grid, map),
                .codes = std::span<const Code>(moved),
                .values = from.values};
      },
      from.codes);
}

bool only_foreground(const ScoreSettings& settings) {
  return !settings.all_labels && !settings.ignored &&
         std::ranges::all_of(settings.regions,
                             [](const Region& region) { return region.members.empty(); });
}

void count_regions(const LabelView& prediction, const LabelView& reference,
                   const ScoreSettings& settings, CaseRecord& record) {
  const auto joint = joint_counts(prediction, reference);
  std::vector<Region> regions = settings.regions;
  if (settings.all_labels) {
    regions.clear();
    for (const Label label : labels_in(joint))
      if (label != settings.ignored) {
        const std::string key = std::to_string(label);
        regions.push_back({key, key, {label}});
      }
  }
  for (const Region& region : regions)
    record.counts[region.key] = confusion(joint, region, settings.ignored);
  record.voxels = 0;
  for (const JointCount& c : joint)
    if (!settings.ignored || c.reference != *settings.ignored) record.voxels += c.voxels;
}

void count_mask(const LabelView& prediction, const LabelView& reference, const std::string& key,
                CaseRecord& record) {
  using Mask = std::span<const std::uint8_t>;
  record.counts[key] =
      count_foreground(std::get<Mask>(prediction.codes), std::get<Mask>(reference.codes));
  record.voxels = record.counts[key].total();
}

void score_files(const FilePair& files, const ScoreSettings& settings, Workspace& workspace,
                 CaseRecord& record) {
  const bool masks = !files.region.empty() || only_foreground(settings);
  Side prediction = read_side(files.prediction,
                              {.as_labels = !masks, .threshold = settings.threshold}, workspace);
  Side reference = read_side(files.reference, {.as_labels = !masks, .threshold = {}}, workspace);

  const Grid& grid = reference.labels.grid;
  const Alignment alignment = aligned(prediction.labels.grid, grid, settings.allow_affine_mismatch);
  if (!alignment.warning.empty()) record.warnings.push_back(alignment.warning);
  Buffer moved;
  if (!alignment.map.is_identity()) {
    moved = workspace.take_largest();
    prediction.labels = walked(prediction.labels, alignment.map, moved);
  }
  record.voxel_ml = voxel_ml(grid);
  if (masks)
    count_mask(prediction.labels, reference.labels,
               files.region.empty() ? settings.regions.front().key : files.region, record);
  else
    count_regions(prediction.labels, reference.labels, settings, record);
  workspace.give(std::move(moved));
  give_back(std::move(prediction), workspace);
  give_back(std::move(reference), workspace);
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

CaseHashes case_hashes(const CasePlan& plan) {
  if (plan.files.size() == 1)
    return {sha256(MappedFile(plan.files.front().prediction).bytes()),
            sha256(MappedFile(plan.files.front().reference).bytes())};
  std::string of_predictions, of_references;  // many files: a hash of their hashes
  for (const FilePair& files : plan.files) {
    of_predictions += sha256(MappedFile(files.prediction).bytes());
    of_references += sha256(MappedFile(files.reference).bytes());
  }
  return {sha256(of_predictions), sha256(of_references)};
}

CaseRecord score_case(const CasePlan& plan, const ScoreSettings& settings, Workspace& workspace) {
  CaseRecord record = {.id = plan.id, .fate = plan.fate, .error = plan.error};
  record.groups = plan.groups;
  record.prediction = plan.prediction;
  record.reference = plan.reference;
  if (plan.fate != Fate::scored) return record;
  const auto failed = [&](const std::string& why) {
    CaseRecord out = {.id = record.id, .fate = Fate::failed, .error = why};
    out.groups = record.groups;
    out.prediction = record.prediction;
    out.reference = record.reference;
    return out;
  };
  try {
    CaseHashes hashes = case_hashes(plan);
    record.prediction_sha256 = std::move(hashes.prediction);
    record.reference_sha256 = std::move(hashes.reference);
    for (const FilePair& files : plan.files) score_files(files, settings, workspace, record);
    return record;
  } catch (const Error& e) {
    return failed(e.what());
  } catch (const std::bad_alloc&) {
    return failed("not enough memory for this case; try fewer --jobs");
  }
}

}  // namespace assay
