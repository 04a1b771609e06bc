// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nrrd.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "assay/error.hpp"
#include "assay/image/header_text.hpp"
#include "assay/image/nrrd_header.hpp"

namespace assay {
namespace {

/// The axes of an array by kind.
struct Axes {
  std::vector<std::size_t> space;      ///< in order, at most three
  std::optional<std::size_t> volumes;  ///< the one that counts volumes
};

/// Kinds of an axis that is space; nearly all others hold the numbers of one voxel.
bool is_kind_of_space(std::string_view kind) {
  constexpr std::array names = {std::string_view("domain"), std::string_view("space"),
                                std::string_view("???"), std::string_view("none")};
  return std::ranges::find(names, kind) != names.end();
}

/// By its direction where there are any, else by its kind; an array of four axes that says neither
/// has its volumes last, as in NIfTI.
bool is_space(const NrrdHeader& header, std::size_t axis) {
  if (!header.directions.empty()) return header.directions[axis].has_value();
  if (!header.kinds.empty()) return is_kind_of_space(header.kinds[axis]);
  return axis < 3;
}

Axes axes_of(const NrrdHeader& header) {
  Axes axes;
  for (std::size_t axis = 0; axis < header.sizes.size(); ++axis) {
    if (is_space(header, axis))
      axes.space.push_back(axis);
    else if (header.sizes[axis] != 1 && axes.volumes)
      throw Error(Error::Kind::unsupported,
                  fmt::format("has two non-spatial axes ({}); assay takes one volume "
                              "per file, so split it",
                              fmt::join(header.sizes, "x")));
    else if (header.sizes[axis] != 1)
      axes.volumes = axis;
  }
  const bool is_inside = axes.volumes && !axes.space.empty() &&
                         *axes.volumes > axes.space.front() && *axes.volumes < axes.space.back();
  if (is_inside || axes.space.size() < 2 || axes.space.size() > 3)
    throw Error(Error::Kind::unsupported,
                fmt::format("its axes ({}) are not two or three spatial axes with at most one axis "
                            "of volumes before or after them; save it as one volume",
                            fmt::join(header.sizes, "x")));
  return axes;
}

/// The directions of a space's axes relative to RAS+. Spaces without anatomy are treated as LPS, as
/// in ITK.
struct Space {
  std::string_view name, short_name;
  Point signs;
};

constexpr std::array spaces = {
    Space{"right-anterior-superior", "ras", {1, 1, 1}},
    Space{"left-anterior-superior", "las", {-1, 1, 1}},
    Space{"left-posterior-superior", "lps", {-1, -1, 1}},
    Space{"scanner-xyz", "", {-1, -1, 1}},
    Space{"3d-right-handed", "", {-1, -1, 1}},
    Space{"3d-left-handed", "", {-1, -1, 1}},
    Space{"", "", {-1, -1, 1}},
};

Point signs_of(const NrrdHeader& header) {
  const auto space = std::ranges::find_if(spaces, [&](const Space& s) {
    return header.space == s.name || (!s.short_name.empty() && header.space == s.short_name);
  });
  if (space == spaces.end())
    throw Error(Error::Kind::unsupported,
                fmt::format("its space '{}' is not one of three axes that assay knows (RAS, LAS, "
                            "LPS); convert it",
                            header.space.substr(0, 80)));
  return space->signs;
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The step along each axis of space, in the units and the space of the header.
std::array<Point, 3> steps_of(const NrrdHeader& header, const Axes& axes) {
  std::array<Point, 3> steps = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (std::size_t k = 0; k < axes.space.size(); ++k) {
    const std::size_t axis = axes.space[k];
    if (!header.directions.empty())
      steps[k] = *header.directions[axis];
    else if (!header.spacings.empty() && !std::isnan(header.spacings[axis]))
      steps[k][k] = header.spacings[axis];
  }
  if (axes.space.size() == 2 && !header.directions.empty()) {  // a slice is 1 thick
    const Point normal = cross(steps[0], steps[1]);
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    for (std::size_t row = 0; row < 3; ++row) steps[2][row] = normal[row] / length;
  }
  return steps;
}

Affine affine_of(const NrrdHeader& header, const Axes& axes) {
  const Point signs = signs_of(header);
  const std::array<Point, 3> steps = steps_of(header, axes);
  Affine affine{};
  for (std::size_t row = 0; row < 3; ++row) {
    const double factor = signs[row] * header.unit_mm;
    for (std::size_t k = 0; k < 3; ++k) affine[row][k] = factor * steps[k][row];
    affine[row][3] = factor * header.origin[row];
    for (double& x : affine[row])
      if (x == 0) x = 0;  // no -0
  }
  require_usable(affine, "space directions", "repair the header");
  return affine;
}

Extents extents_of(const NrrdHeader& header, const Axes& axes) {
  std::vector<std::int64_t> sizes;
  for (const std::size_t axis : axes.space) sizes.push_back(header.sizes[axis]);
  sizes.resize(3, 1);
  sizes.push_back(axes.volumes ? header.sizes[*axes.volumes] : 1);
  Extents out = extents_from(sizes);
  for (std::size_t axis = axes.space.size(); axis < 3; ++axis) out.has_axis[axis] = false;
  return out;
}

/// Where the voxels' bytes start, and what they are wrapped in.
void place_voxels(Layout& layout, const NrrdHeader& header, const std::filesystem::path& path) {
  const bool is_attached = header.data_file.empty();
  if (!is_attached) layout.voxel_files = {voxel_file(header.data_file, path)};
  layout.offset = is_attached ? header.end : 0;
  if (header.is_gzip) {
    layout.packing = Packing::gzip;
    layout.skipped = static_cast<std::size_t>(header.byte_skip);
  } else if (header.byte_skip == -1) {
    layout.at_end = true;
  } else {
    layout.offset += static_cast<std::size_t>(header.byte_skip);
  }
}

}  // namespace

bool is_nrrd(std::span<const std::byte> head) {
  return text_of(head.first(std::min<std::size_t>(head.size(), 7))) == "NRRD000";
}

Layout nrrd_layout(std::span<const std::byte> head, const std::filesystem::path& path) {
  const NrrdHeader header = parse_nrrd_header(text_of(head));
  const Axes axes = axes_of(header);
  const Extents extents = extents_of(header, axes);
  Layout layout;
  layout.header.grid = {
      .shape = extents.shape, .affine = affine_of(header, axes), .has_axis = extents.has_axis};
  layout.header.channels = extents.volumes;
  layout.header.interleaved = axes.volumes && *axes.volumes < axes.space.front();
  layout.header.type = *header.type;
  layout.header.byte_swapped =
      header.big_endian.value_or(false) != (std::endian::native == std::endian::big);
  place_voxels(layout, header, path);
  return layout;
}

}  // namespace assay
