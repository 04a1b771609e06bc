// SPDX-License-Identifier: Apache-2.0
/// How an image becomes a model's input and its answer a label map again: declared, not coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/core/executor.hpp"
#include "assay/core/volume.hpp"

namespace assay {

enum class GridRule {
  native,        ///< the image's own grid
  zoom,          ///< scipy.ndimage.zoom by spacing: corner voxel to corner voxel
  field_of_view  ///< affine grid around the centre of the field of view, as mri_convert conforms
};

enum class IntensityRule { none, min_max, quantile };

struct Recipe {
  std::string name;
  std::string orientation{};  ///< "RAS", "LIA"; "": as stored
  GridRule grid = GridRule::native;
  double spacing_mm = 1;         ///< of the grid, unless native
  std::optional<Shape> shape{};  ///< centred crop and zero padding to this
  IntensityRule intensity = IntensityRule::none;
  std::array<double, 2> quantiles = {0, 1};
  bool clip = false;               ///< to 0 ... 1 after scaling
  double epsilon = 0;              ///< added to the range before dividing by it
  bool round_to_bytes = false;     ///< as a conformed 8-bit file would hold it
  bool largest_component = false;  ///< of every class
  double min_volume_ml = 0;        ///< smaller components become background
  unsigned connectivity = 26;
};

/// The recipes that are built in: arc-meshchop, brainchop, minmax, none.
std::span<const Recipe> builtin_recipes();

/// Where the prepared image came from: all that is needed to go back.
struct Placement {
  Grid native, model;
};

struct Prepared {
  Volume<float> image;
  Placement placement;
};

/// The image as the model wants it. Throws Error::input on an empty image, one with voxels that are
/// no finite numbers, or a constant one where the recipe scales by the range.
Prepared prepared(View<float> image, const Recipe& recipe, const Executor& executor = {});

/// A reference on the model's grid (nearest neighbour): for metrics in the model's space.
Volume<std::uint8_t> prepared_labels(View<std::uint8_t> labels, const Recipe& recipe);

/// Labels of the model on the native grid again, cleaned as the recipe says.
Volume<std::uint8_t> restored(View<std::uint8_t> labels, const Placement& placement,
                              const Recipe& recipe);

}  // namespace assay
