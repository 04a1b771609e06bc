// SPDX-License-Identifier: Apache-2.0
/// How an image becomes a model's input and its answer a label map again: declared, not coded.
///
/// The order is fixed: bytes, orientation and grid, crop and padding, rounding, intensities; then
/// the model; then components and the way back. docs/recipes.md says what each step does exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "assay/base/executor.hpp"
#include "assay/image/volume.hpp"
#include "assay/model/engine/packing.hpp"

namespace assay::model {

enum class GridRule {
  native,         ///< the image's own grid
  zoom,           ///< scipy.ndimage.zoom by spacing: corner voxel to corner voxel
  field_of_view,  ///< nibabel.processing.conform: along the image's axes, around its centre voxel
  conform         ///< mri_convert --conform: along the scanner's axes, around the image's centre
};

enum class IntensityRule { none, min_max, quantile };

struct Recipe {
  std::string name;
  TensorAxes axes = TensorAxes::xyz;  ///< in which order the model was shown the axes in training
  std::string orientation{};          ///< "RAS", "LIA"; "": as stored
  GridRule grid = GridRule::native;
  double spacing_mm = 1;         ///< of the grid, unless native
  std::optional<Shape> shape{};  ///< centred crop and zero padding to this
  bool to_bytes = false;         ///< whole numbers 0 ... 255, as a conformed 8-bit file holds
  double bytes_upper = 0.98;     ///< the share of the voxels other than 0 that 255 stands above
  IntensityRule intensity = IntensityRule::none;
  std::array<double, 2> quantiles = {0, 1};
  bool clip = false;               ///< to 0 ... 1 after scaling
  double epsilon = 0;              ///< added to the range before dividing by it
  bool largest_component = false;  ///< of every class
  double min_volume_ml = 0;        ///< smaller components become background
  unsigned connectivity = 26;      ///< 6, 18 or 26

  bool operator==(const Recipe&) const = default;
};

/// The recipes that are built in: arc-meshchop, brainchop, brainchop-quantile, mindgrab, minmax,
/// none.
std::span<const Recipe> builtin_recipes();

/// Throws Error::input naming the first field that is out of range.
void require_valid(const Recipe& recipe);

/// Where the prepared image came from: everything needed to go back.
struct Placement {
  Grid native, model;
};

struct Prepared {
  Volume<float> image;
  Placement placement;
};

/// Where the voxels of a prepared image really are: with `zoom`, spacings differ a little from what
/// was asked for, since corners stay where they are. Throws Error::input on a grid that has no
/// voxels, or would have too many.
Grid model_grid(const Grid& native, const Recipe& recipe);

/// The image as the model needs it; any executor gives the same bits. Throws Error::input on an
/// empty image, one with voxels that are not finite numbers, or a constant one where the recipe
/// scales by the range.
Prepared prepared(View<float> image, const Recipe& recipe, const Executor& executor = {});

/// A reference on the model's grid (nearest neighbour): for metrics in the model's space.
Volume<std::uint8_t> prepared_labels(View<std::uint8_t> labels, const Recipe& recipe,
                                     const Executor& executor = {});

/// Labels of the model on the native grid again, cleaned as the recipe says. What the model's grid
/// does not cover is 0. Throws Error::input when the labels are not on the model's grid.
Volume<std::uint8_t> restored(View<std::uint8_t> labels, const Placement& placement,
                              const Recipe& recipe, const Executor& executor = {});

/// Only the cleaning, on the grid of the model: connectivity and volumes refer to that grid.
Volume<std::uint8_t> cleaned(View<std::uint8_t> labels, const Recipe& recipe);

}  // namespace assay::model
