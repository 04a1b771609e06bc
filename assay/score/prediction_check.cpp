// SPDX-License-Identifier: Apache-2.0
#include "assay/score/prediction_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/score/alignment.hpp"

namespace assay::score {
namespace {

/// How to reorder stored voxels to match those of `grid`; nothing when they lie elsewhere.
std::optional<AxisMap> walk_to(const Grid& stored, const Grid& grid) try {
  return aligned(stored, grid, false).map;
} catch (const Error&) {
  return std::nullopt;
}

std::size_t differing_voxels(const Image& stored, const AxisMap& map, View<std::uint8_t> labels) {
  Buffer scratch;
  std::vector<Label> values;
  const LabelView view = assay::labels(stored, scratch, values);
  const auto in_file = per_voxel(view, [&](std::size_t code) { return view.values[code]; });
  std::vector<Label> walked(labels.voxels.size());
  reorient(View<Label>{view.grid, in_file}, map, std::span(walked));
  std::size_t differing = 0;
  for (std::size_t i = 0; i < walked.size(); ++i) differing += walked[i] != labels.voxels[i];
  return differing;
}

results::PredictionCheck checked_labels(const std::filesystem::path& file,
                                        const PredictedCase& predicted, View<std::uint8_t> native) {
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
  throw Error(Error::Kind::input, file,
              "lies neither on the image's grid (" + describe(native.grid) +
                  ") nor on the model's (" + describe(predicted.placement.model) + ") but on " +
                  describe(stored.grid()));
}

/// Stored logits in the model's order: class by class, with voxels reordered by `map`.
std::vector<double> by_class(const Image& stored, const AxisMap& map) {
  const std::vector<double> numbers = values(stored);
  const std::size_t classes = stored.header().channels, voxels = stored.grid().size();
  std::vector<double> out(numbers.size()), one(voxels);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = 0; i < voxels; ++i)
      one[i] = stored.header().interleaved ? numbers[i * classes + c] : numbers[c * voxels + i];
    reorient(View<double>{stored.grid(), one}, map, std::span(out).subspan(c * voxels, voxels));
  }
  return out;
}

/// The class with the largest logit of voxel `i`; ties go to the lower class.
std::size_t largest(std::span<const double> logits, std::size_t i, std::size_t voxels) {
  std::size_t best = 0;
  for (std::size_t c = 1; c * voxels < logits.size(); ++c)
    if (logits[c * voxels + i] > logits[best * voxels + i]) best = c;
  return best;
}

results::PredictionCheck check_logits(const std::filesystem::path& file,
                                      const PredictedCase& predicted) {
  const Image stored = read_image(file, {}, Volumes::classes);
  const std::size_t voxels = predicted.labels.view().voxels.size();
  const Shape& shape = predicted.placement.model.shape;
  const auto map = walk_to(stored.grid(), predicted.placement.model);
  if (!map || stored.header().channels * voxels != predicted.logits.size())
    throw Error(Error::Kind::input, file,
                fmt::format("holds {} numbers for each voxel of {}; the model gives {} for each "
                            "of {}x{}x{}",
                            stored.header().channels, describe(stored.grid()),
                            predicted.logits.size() / voxels, shape[0], shape[1], shape[2]));
  const std::vector<double> logits = by_class(stored, *map);
  if (!std::ranges::all_of(logits, [](double x) { return std::isfinite(x); }))
    throw Error(Error::Kind::input, file, "holds logits that are not finite numbers");
  results::PredictionCheck check = {.against = file.string(), .space = "model", .voxels = voxels};
  double greatest = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    greatest = std::max(greatest, std::abs(logits[i] - static_cast<double>(predicted.logits[i])));
  check.greatest_logit_difference = greatest;
  for (std::size_t i = 0; i < voxels; ++i)
    check.differing += largest(logits, i, voxels) != predicted.labels.view().voxels[i];
  return check;
}

}  // namespace

bool holds_logits(const std::filesystem::path& file) {
  return read_image(file, {}, Volumes::classes).header().channels > 1;
}

results::PredictionCheck check_against(const std::filesystem::path& file,
                                       const PredictedCase& predicted, View<std::uint8_t> native) {
  return predicted.logits.empty() || !holds_logits(file) ? checked_labels(file, predicted, native)
                                                         : check_logits(file, predicted);
}

}  // namespace assay::score
