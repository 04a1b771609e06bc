// SPDX-License-Identifier: Apache-2.0
/// Label maps in the form that metrics need.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "assay/image/grid.hpp"

namespace assay {

using Label = std::int64_t;  ///< what a label map's voxel says; 0 is background

/// A borrowed label map in compact form: a small code per voxel, and the label of each code. A byte
/// per voxel is enough for 256 different labels, whatever their values; only parcellations with
/// more use the wide form. Pass it by value; it owns nothing.
struct LabelView {
  Grid grid;
  std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>> codes;
  std::span<const Label> values;  ///< values[code]; every code that occurs has an entry
};

}  // namespace assay
