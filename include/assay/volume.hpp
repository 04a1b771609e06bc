// SPDX-License-Identifier: Apache-2.0
/// Voxels on a grid in space: masks, label maps, maps of probabilities.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "assay/error.hpp"
#include "assay/named.hpp"

namespace assay {

// ---- Where voxels are in space.

using Shape = std::array<std::size_t, 3>;
using Point = std::array<double, 3>;
using Affine = std::array<std::array<double, 4>, 3>;  ///< voxel index to millimetres, RAS+

inline constexpr Affine identity_affine = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/// A grid in scanner space: voxel counts, and the affine from voxel index to millimetres (RAS+).
/// Any combination of fields is a valid value; readers refuse singular affines.
struct Grid {
  Shape shape{};
  Affine affine = identity_affine;
  bool in_space = true;  ///< false: the affine only says how the axes are stored, as for an array
  /// Axes that the image has, of one voxel or more. A picture does not have a third axis, a slice
  /// does.
  std::array<bool, 3> has_axis = {true, true, true};
  bool has_size = true;  ///< false: the size of a voxel is not known, and counts as 1

  std::size_t size() const { return shape[0] * shape[1] * shape[2]; }
  bool operator==(const Grid&) const = default;
};

/// Millimetres between neighbours along each axis.
Point spacing_mm(const Grid& grid);

/// Volume of one voxel in millilitres: the determinant, so oblique grids are right too.
double voxel_ml(const Grid& grid);

/// The same, or 0 where the size of a voxel is not known: for arrays and pictures without a size,
/// and for single pictures, which have no thickness.
double known_voxel_ml(const Grid& grid);

/// From one corner of the image to the opposite one, whole voxels included: no two points are
/// farther apart.
double diagonal_mm(const Grid& grid);

/// Which way the axes run, as three letters ("RAS", "LIA"): each axis by its largest component.
std::string orientation(const Grid& grid);

/// Position of a voxel index in millimetres.
Point position_mm(const Grid& grid, const Point& index);

/// The largest distance that a corner voxel moves between two grids; infinity when shapes differ.
double greatest_corner_shift_mm(const Grid& a, const Grid& b);

/// How to walk a stored volume so that its axes run as another grid's do.
struct AxisMap {
  std::array<std::size_t, 3> source = {0, 1, 2};  ///< axis k of the result is axis source[k]
  std::array<bool, 3> flipped = {};               ///< whether result axis k runs backwards

  bool is_identity() const { return *this == AxisMap{}; }
  bool operator==(const AxisMap&) const = default;
};

/// The flips and permutation that bring the axes of `from` closest to those of `to`.
AxisMap axis_map(const Grid& from, const Grid& to);

/// The grid of a volume that is walked by `map`.
Grid reoriented(const Grid& grid, const AxisMap& map);

/// "256x256x64, 1x1x3 mm, LPS, origin (-90, 126, -72)": for messages that show a grid to people.
std::string describe(const Grid& grid);

// ---- Voxels on a grid: owned, or borrowed.

/// A borrowed, read-only volume, x fastest. Pass it by value; it owns nothing.
template <class T>
struct View {
  Grid grid;
  std::span<const T> voxels;

  const T& operator()(std::size_t x, std::size_t y, std::size_t z) const {
    return voxels[x + grid.shape[0] * (y + grid.shape[1] * z)];
  }
};

/// A volume that owns its voxels. There is always one voxel per grid point.
template <class T>
class Volume {
 public:
  Volume(const Grid& grid, std::vector<T> voxels) : grid_(grid), voxels_(std::move(voxels)) {
    if (voxels_.size() != grid_.size())
      throw Error(Error::Kind::input, "the voxel count does not match the grid");
  }
  explicit Volume(const Grid& grid) : grid_(grid), voxels_(grid.size()) {}

  const Grid& grid() const { return grid_; }
  View<T> view() const& { return {grid_, voxels_}; }
  View<T> view() && = delete;  // would dangle
  std::span<T> voxels() { return voxels_; }

 private:
  Grid grid_;
  std::vector<T> voxels_;
};

/// Writes `from`, walked by `map`, into `into`, which has room for it. Lossless: voxels only move.
template <class T>
void reorient(View<T> from, const AxisMap& map, std::span<T> into) {
  const Shape shape = reoriented(from.grid, map).shape;
  const std::array<std::size_t, 3> stride = {1, from.grid.shape[0],
                                             from.grid.shape[0] * from.grid.shape[1]};
  std::array<std::ptrdiff_t, 3> step{};
  std::ptrdiff_t first = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    step[axis] = static_cast<std::ptrdiff_t>(stride[map.source[axis]]);
    if (map.flipped[axis]) {
      first += step[axis] * (static_cast<std::ptrdiff_t>(shape[axis]) - 1);
      step[axis] = -step[axis];
    }
  }
  auto out = into.begin();
  for (std::size_t z = 0; z < shape[2]; ++z)
    for (std::size_t y = 0; y < shape[1]; ++y) {
      auto at = first + step[1] * static_cast<std::ptrdiff_t>(y) +
                step[2] * static_cast<std::ptrdiff_t>(z);
      for (std::size_t x = 0; x < shape[0]; ++x, at += step[0])
        *out++ = from.voxels[static_cast<std::size_t>(at)];
    }
}

// ---- Label maps in the form that metrics need.

using Label = std::int64_t;  ///< what a label map's voxel says; 0 is background

/// Consecutive stored voxels that have one code. A run begins where the one before it ends, and is
/// not empty.
struct Run {
  std::uint32_t end = 0;  ///< the first voxel after it
  std::uint32_t code = 0;

  bool operator==(const Run&) const = default;
};

/// How compressed voxels are read. Everything that is measured is the same to the bit.
enum class VoxelReader {
  automatic,  ///< as runs where that is quicker
  runs,       ///< as runs, unless there are so many that they need more memory than the voxels
  buffer,     ///< voxel by voxel
  tiles       ///< part by part, where counts are enough and both files allow it
};

/// The readers by name: "auto", "runs", "buffer", "tiles".
std::span<const Named<VoxelReader>> voxel_readers();

/// A borrowed label map in compact form: a small code per voxel, or runs of codes, and the label of
/// each code. A byte per voxel is enough for 256 different labels, whatever their values; only
/// parcellations with more use the wide form. Pass it by value; it owns nothing.
struct LabelView {
  Grid grid;
  std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>, std::span<const Run>>
      codes;
  std::span<const Label> values;  ///< values[code]; every code that occurs has an entry
};

/// Calls use(first, end, code) for each run of voxels that have one code, from `first` up to but
/// not including `end`, until all voxels are covered in order.
template <class Use>
void for_each_run(const LabelView& labels, Use use) {
  std::visit(
      [&]<class Code>(std::span<const Code> codes) {
        std::size_t first = 0;
        if constexpr (std::is_same_v<Code, Run>) {
          for (const Run& run : codes) {
            use(first, std::size_t{run.end}, std::size_t{run.code});
            first = run.end;
          }
        } else {
          for (std::size_t end = 0; first < codes.size(); first = end) {
            while (end < codes.size() && codes[end] == codes[first]) ++end;
            use(first, end, std::size_t{codes[first]});
          }
        }
      },
      labels.codes);
}

/// The result of `of` for the code of each voxel, in the order of the voxels.
template <class Of>
auto per_voxel(const LabelView& labels, Of of) {
  std::vector<decltype(of(std::size_t{}))> out(labels.grid.size());
  for_each_run(labels, [&](std::size_t first, std::size_t end, std::size_t code) {
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(first),
              out.begin() + static_cast<std::ptrdiff_t>(end), of(code));
  });
  return out;
}

// ---- What look-up tables and people say about labels and pictures.

using Color = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// A row of a look-up table: what a label is called, and which colour it has.
struct LabelRow {
  Label label = 0;
  std::string name{};  ///< "": the table does not say
  std::optional<Color> color{};

  bool operator==(const LabelRow&) const = default;
};

/// What pictures and arrays do not say by themselves.
struct PictureRules {
  std::vector<LabelRow> colors{};  ///< all with a colour; empty: coloured pictures are refused
  std::optional<Point> size_mm{};  ///< of a pixel along x, y and z; z is 0 where it is not known
  bool uses_stated_size = false;   ///< the size is what each file states
  std::size_t level = 0;           ///< of a picture with smaller copies; 0 is the full picture

  bool operator==(const PictureRules&) const = default;
};

// ---- Maps of probabilities in the form that metrics need.

/// A borrowed map: how likely each voxel is to be foreground, from 0 to 1, in the precision in
/// which it was stored, so that ties are ties. Pass it by value; it owns nothing.
struct ProbabilityView {
  Grid grid;
  std::variant<std::span<const float>, std::span<const double>> values;
};

}  // namespace assay
