// SPDX-License-Identifier: Apache-2.0
#include "assay/score/side.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/label_table.hpp"
#include "assay/image/mask_content.hpp"
#include "assay/image/reorient.hpp"
#include "assay/image/volumes.hpp"
#include "assay/score/resampling.hpp"

namespace assay::score {
namespace {

constexpr Label mask_values[] = {0, 1};

bool lies_within(const LabelView& view, std::span<const std::byte> bytes) {
  const auto* start =
      std::visit([](const auto& codes) { return reinterpret_cast<const std::byte*>(codes.data()); },
                 view.codes);
  return start >= bytes.data() && start < bytes.data() + bytes.size();
}

LabelView as_labels(View<std::uint8_t> mask) {
  return {.grid = mask.grid, .codes = mask.voxels, .values = mask_values};
}

/// A mask by threshold: foreground is what reaches it in any of the classes.
View<std::uint8_t> likely_foreground(const Image& image, double threshold, Buffer& codes,
                                     Workspace& workspace) {
  require_probabilities(image);
  Buffer sums = workspace.take_smallest();
  const View<std::uint8_t> mask = at_least(probability_of(image, {}, sums), threshold, codes);
  workspace.give(std::move(sums));
  return mask;
}

bool is_empty(std::span<const std::uint8_t> mask) {
  return mask.empty() ||
         (mask.front() == 0 && std::memcmp(mask.data(), mask.data() + 1, mask.size() - 1) == 0);
}

/// Anything that a person should know about an image in which every value above 0 is foreground.
std::vector<std::string> oddities_of(const Image& image, View<std::uint8_t> mask,
                                     const MaskRule& rule) {
  std::vector<std::string> out;
  if (has_many_values(image))
    out.push_back(
        "holds more than 128 different values in 8 bits, like a map of probabilities scaled to "
        "0-255, and every value above 0 counts as foreground; if it is a map, " +
        std::string(rule.can_be_cut ? "give --threshold T, such as 128" : "turn it into a mask"));
  if (is_empty(mask.voxels) && has_only_negative_values(image))
    out.emplace_back(
        "holds only negative values and 0, and foreground is value > 0; if the negative values "
        "mean foreground, give --foreground nonzero");
  return out;
}

LabelView labels_of_bytes(Side& side, const Reading& how, Workspace& workspace) {
  const bool has_classes = side.image->header().channels > 1;
  const MaskRule& rule = how.mask;
  if (has_classes && rule.threshold)
    return as_labels(likely_foreground(*side.image, *rule.threshold, side.codes, workspace));
  if (has_classes && how.takes_highest_class)
    return highest_labels(*side.image, side.codes, side.values);
  if (has_classes) return likeliest_labels(*side.image, side.codes, side.values);
  if (how.as_labels && !rule.threshold) return labels(*side.image, side.codes, side.values);
  const JudgedMask found = mask_by(rule, *side.image, side.codes);
  side.is_map = found.is_map;
  const bool is_above_zero = !rule.threshold && !rule.nonzero && !found.is_map;
  if (is_above_zero && !rule.takes_maps)
    side.oddities = oddities_of(*side.image, found.foreground, rule);
  return as_labels(found.foreground);
}

/// What a voxel means depends on its value alone. So it is decided once for each different value,
/// by the same code as for whole images. Nothing when that fails, since an error has to name the
/// voxel.
std::optional<LabelView> labels_of_runs(Side& side, const Reading& how, Workspace& workspace) try {
  const Image& image = *side.image;
  if (how.keeps_probabilities && may_hold_probabilities(image.header())) return std::nullopt;
  SettledVoxels each = settle_voxels(different_voxels(image), how, workspace);
  for (const Run& run : image.runs()->runs) {
    const std::uint32_t code = each.codes[run.code];
    if (!side.runs.empty() && side.runs.back().code == code)
      side.runs.back().end = run.end;
    else
      side.runs.push_back({run.end, code});
  }
  side.values = std::move(each.values);
  side.is_map = each.is_map;
  side.oddities = std::move(each.oddities);
  return LabelView{image.grid(), std::span<const Run>(side.runs), side.values};
} catch (const Error&) {
  return std::nullopt;
}

LabelView labels_of(Side& side, const Reading& how, Workspace& workspace) {
  if (side.image->runs() != nullptr) {
    if (const auto found = labels_of_runs(side, how, workspace)) return *found;
    side.image = in_bytes(std::move(*side.image), workspace.take_largest());
  }
  return labels_of_bytes(side, how, workspace);
}

/// The segment of that name in a file of 3D Slicer; nothing when no segment is asked for.
std::optional<Segment> segment_named(const std::string& name, const std::filesystem::path& path) {
  if (name.empty()) return std::nullopt;
  for (Segment& segment : read_segments(path))
    if (segment.row.name == name) return std::move(segment);
  return std::nullopt;
}

LabelView mask_of_label(Side& side, Label label) {
  const LabelView all = labels(*side.image, side.codes, side.values);
  const std::vector<std::uint8_t> mask = per_voxel(
      all, [&](std::size_t code) { return static_cast<std::uint8_t>(all.values[code] == label); });
  const std::span<std::byte> to = side.codes.resize(mask.size());
  std::memcpy(to.data(), mask.data(), mask.size());
  return as_labels({all.grid, {reinterpret_cast<const std::uint8_t*>(to.data()), to.size()}});
}

/// The numbers, reordered by `map` into `into`.
template <class T>
std::span<const T> moved_by(View<T> from, const AxisMap& map, Buffer& into) {
  const std::span<std::byte> bytes = into.resize(from.voxels.size_bytes());
  reorient_bytes(std::as_bytes(from.voxels), from.grid.shape, map, bytes);
  return {reinterpret_cast<const T*>(bytes.data()), from.voxels.size()};
}

}  // namespace

SettledVoxels settle_voxels(Image different, const Reading& how, Workspace& workspace) {
  Side each{.image = std::move(different), .codes = {}, .runs = {}, .values = {}, .labels = {}};
  const LabelView found = labels_of_bytes(each, how, workspace);
  const bool is_mask = found.values.data() == mask_values;
  SettledVoxels out = {.codes = std::vector<std::uint32_t>(found.grid.size()),
                       .values = {found.values.begin(), found.values.end()},
                       .is_map = each.is_map,
                       .oddities = std::move(each.oddities)};
  for_each_run(found, [&](std::size_t first, std::size_t end, std::size_t code) {
    for (; first < end; ++first)
      out.codes[first] = static_cast<std::uint32_t>(is_mask && code != 0 ? 1 : code);
  });
  return out;
}

Side read_side(const std::filesystem::path& path, const Reading& how, Workspace& workspace) {
  HashedImage read =
      read_hashed_image(path, workspace.take_largest(), how.volumes, how.reader, how.pictures);
  Side side{.image = std::move(read.image),
            .codes = workspace.take_smallest(),
            .runs = {},
            .values = {},
            .labels = {},
            .sha256 = std::move(read.sha256)};
  const std::optional<Segment> segment = segment_named(how.segment, path);
  if (how.volume != 0 || segment) {
    Image whole = in_bytes(std::move(*side.image), workspace.take_largest());
    const std::size_t number = segment ? segment->layer + 1 : how.volume;
    side.image = one_volume(whole, number, workspace.take_smallest());
    workspace.give(std::move(whole).release());
  }
  side.labels = segment ? mask_of_label(side, segment->row.label) : labels_of(side, how, workspace);
  const bool stays = how.keeps_probabilities && may_hold_probabilities(side.image->header());
  const bool is_bytes = side.image->runs() == nullptr;
  // Once there are codes, the stored form is no longer needed, and its memory serves the next file.
  if (!stays && !(is_bytes && lies_within(side.labels, side.image->voxels()))) {
    workspace.give(std::move(*side.image).release());
    side.image.reset();
  }
  return side;
}

metrics::ResamplingEvidence resample_side(Side& side, const Grid& onto,
                                          metrics::Interpolation interpolation,
                                          Workspace& workspace) {
  OwnedLabels moved = resampled_labels(side.labels, onto, interpolation);
  metrics::ResamplingEvidence evidence = resampling_evidence(side.labels, moved);
  if (side.image) workspace.give(std::move(*side.image).release());
  side.image.reset();
  side.runs.clear();
  side.values = std::move(moved.values);
  side.labels = {onto, {}, side.values};
  const std::size_t voxels = moved.codes.size();
  if (side.values.size() <= 256) {
    auto* to = reinterpret_cast<std::uint8_t*>(side.codes.resize(voxels).data());
    std::ranges::transform(moved.codes, to,
                           [](std::uint16_t code) { return static_cast<std::uint8_t>(code); });
    side.labels.codes = std::span<const std::uint8_t>(to, voxels);
  } else {
    auto* to = reinterpret_cast<std::uint16_t*>(side.codes.resize(2 * voxels).data());
    std::ranges::copy(moved.codes, to);
    side.labels.codes = std::span<const std::uint16_t>(to, voxels);
  }
  return evidence;
}

void give_back(Side side, Workspace& workspace) {
  if (side.image) workspace.give(std::move(*side.image).release());
  workspace.give(std::move(side.codes));
}

LabelView with_codes(const LabelView& labels, Buffer& into) {
  if (!std::holds_alternative<std::span<const Run>>(labels.codes)) return labels;
  const auto expanded = [&]<class Code>(Code) -> LabelView {
    const std::size_t voxels = labels.grid.size();
    auto* to = reinterpret_cast<Code*>(into.resize(voxels * sizeof(Code)).data());
    for_each_run(labels, [&](std::size_t first, std::size_t end, std::size_t code) {
      std::fill(to + first, to + end, static_cast<Code>(code));
    });
    return {labels.grid, std::span<const Code>(to, voxels), labels.values};
  };
  return labels.values.size() <= 256 ? expanded(std::uint8_t{}) : expanded(std::uint16_t{});
}

SettledPrediction settled_on(const LabelView& prediction, const Grid& reference,
                             bool allow_affine_mismatch, Buffer& moved) {
  SettledPrediction out = {.labels = prediction,
                           .alignment = aligned(prediction.grid, reference, allow_affine_mismatch)};
  const AxisMap& map = out.alignment.map;
  if (map.is_identity()) return out;
  out.labels.grid = reoriented(prediction.grid, map);
  Buffer expanded;
  out.labels.codes = std::visit(
      [&]<class Code>(std::span<const Code> codes) -> decltype(LabelView::codes) {
        if constexpr (std::is_same_v<Code, Run>)
          return codes;  // cannot happen after with_codes
        else
          return moved_by(View<Code>{prediction.grid, codes}, map, moved);
      },
      with_codes(prediction, expanded).codes);
  return out;
}

ProbabilityView walked(const ProbabilityView& from, const AxisMap& map, Buffer& into) {
  if (map.is_identity()) return from;
  ProbabilityView out = from;
  out.grid = reoriented(from.grid, map);
  out.values = std::visit(
      [&]<class Real>(std::span<const Real> values) -> decltype(ProbabilityView::values) {
        return moved_by(View<Real>{from.grid, values}, map, into);
      },
      from.values);
  return out;
}

}  // namespace assay::score
