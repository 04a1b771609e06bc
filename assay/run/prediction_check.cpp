// SPDX-License-Identifier: Apache-2.0
#include "assay/run/prediction_check.hpp"

#include "assay/core/error.hpp"
#include "assay/io/image.hpp"
#include "assay/run/alignment.hpp"

namespace assay {
namespace {

/// How to walk stored voxels so that they meet those of `grid`; none when they lie elsewhere.
std::optional<AxisMap> walk_to(const Grid& stored, const Grid& grid) try {
  return aligned(stored, grid, false).map;
} catch (const Error&) {
  return std::nullopt;
}

std::size_t differing_voxels(const Image& stored, const AxisMap& map, View<std::uint8_t> labels) {
  Buffer scratch;
  std::vector<Label> values;
  const LabelView view = assay::labels(stored, scratch, values);
  std::vector<Label> walked(labels.voxels.size());
  std::visit(
      [&]<class Code>(std::span<const Code> codes) {
        std::vector<Code> moved(codes.size());
        reorient(View<Code>{view.grid, codes}, map, std::span<Code>(moved));
        for (std::size_t i = 0; i < moved.size(); ++i) walked[i] = view.values[moved[i]];
      },
      view.codes);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < walked.size(); ++i) differing += walked[i] != labels.voxels[i];
  return differing;
}

PredictionCheck checked_labels(const std::filesystem::path& file, const PredictedCase& predicted,
                               View<std::uint8_t> native) {
  const Image stored = read_image(file);
  struct Place {
    const char* name;
    View<std::uint8_t> labels;
  };
  for (const Place& place : {Place{"native", native}, Place{"model", predicted.labels.view()}})
    if (const auto map = walk_to(stored.grid(), place.labels.grid))
      return {.against = file.string(),
              .space = place.name,
              .voxels = place.labels.voxels.size(),
              .differing = differing_voxels(stored, *map, place.labels)};
  throw Error(Error::Kind::input, file.string() + ": lies neither on the image's grid (" +
                                      describe(native.grid) + ") nor on the model's (" +
                                      describe(predicted.placement.model) + ") but on " +
                                      describe(stored.grid()));
}

}  // namespace

bool holds_logits(const std::filesystem::path&) {
  return false;
}

PredictionCheck checked_against(const std::filesystem::path& file, const PredictedCase& predicted,
                                View<std::uint8_t> native) {
  return checked_labels(file, predicted, native);
}

}  // namespace assay
