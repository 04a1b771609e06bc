// SPDX-License-Identifier: Apache-2.0
#include "assay/run/side.hpp"

#include <string>
#include <utility>

#include "assay/core/error.hpp"
#include "assay/io/probabilities.hpp"

namespace assay {
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

/// A mask by threshold of what is foreground in any of the classes.
View<std::uint8_t> likely_foreground(const Image& image, double threshold, Buffer& codes,
                                     Workspace& workspace) {
  require_probabilities(image);
  Buffer sums = workspace.take_smallest();
  const View<std::uint8_t> mask = at_least(probability_of(image, {}, sums), threshold, codes);
  workspace.give(std::move(sums));
  return mask;
}

LabelView labels_of(Side& side, const Reading& how, Workspace& workspace) {
  const bool has_classes = side.image->header().channels > 1;
  if (has_classes && how.threshold)
    return as_labels(likely_foreground(*side.image, *how.threshold, side.codes, workspace));
  if (has_classes) return likeliest_labels(*side.image, side.codes, side.values);
  if (how.as_labels && !how.threshold) return labels(*side.image, side.codes, side.values);
  return as_labels(foreground(*side.image, how.threshold, side.codes));
}

/// Numbers moved by `map` into `into`.
template <class T>
std::span<const T> moved_by(View<T> from, const AxisMap& map, Buffer& into) {
  const std::span<std::byte> bytes = into.resize(from.voxels.size_bytes());
  const std::span<T> moved(reinterpret_cast<T*>(bytes.data()), from.voxels.size());
  reorient(from, map, moved);
  return moved;
}

}  // namespace

Side read_side(const std::filesystem::path& path, const Reading& how, Workspace& workspace) try {
  Side side{.image = read_image(path, workspace.take_largest(), how.volumes),
            .codes = workspace.take_smallest(),
            .values = {},
            .labels = {}};
  side.labels = labels_of(side, how, workspace);
  const bool stays = how.keeps_probabilities && may_hold_probabilities(side.image->header());
  // The stored form is not needed once there are codes: its memory serves the next file.
  if (!stays && !lies_within(side.labels, side.image->voxels())) {
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

SettledPrediction settled_on(const LabelView& prediction, const Grid& reference,
                             bool allow_affine_mismatch, Buffer& moved) {
  SettledPrediction out = {.labels = prediction,
                           .alignment = aligned(prediction.grid, reference, allow_affine_mismatch)};
  const AxisMap& map = out.alignment.map;
  if (map.is_identity()) return out;
  out.labels.grid = reoriented(prediction.grid, map);
  out.labels.codes = std::visit(
      [&]<class Code>(std::span<const Code> codes) -> decltype(LabelView::codes) {
        return moved_by(View<Code>{prediction.grid, codes}, map, moved);
      },
      prediction.codes);
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

}  // namespace assay
