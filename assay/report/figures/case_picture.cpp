// SPDX-License-Identifier: Apache-2.0
/// A still of a case for readers who print the page or do not run scripts.
#include <algorithm>
#include <array>
#include <cmath>

#include "assay/report/case_volume.hpp"

namespace assay::report {
namespace {

/// Which axes of the volume run right and up in a plane, and which one is perpendicular to it.
struct Plane {
  std::size_t right, up, through;
};
constexpr std::array planes = {Plane{0, 1, 2}, Plane{0, 2, 1}, Plane{1, 2, 0}};

constexpr std::size_t picture_height = 220, gap = 8, error_height = 300;

/// Where a picture's pixels come from in the volume.
struct Cut {
  const CaseVolume& volume;
  Plane plane;
  std::size_t slice;
  std::size_t width, height;  ///< pixels

  std::size_t at(std::size_t column, std::size_t row) const {
    const auto& shape = volume.shape;
    Shape index{};
    index[plane.right] = column * shape[plane.right] / width;
    index[plane.up] = (height - 1 - row) * shape[plane.up] / height;
    index[plane.through] = slice;
    return index[0] + shape[0] * (index[1] + shape[1] * index[2]);
  }
};

double extent_mm(const CaseVolume& volume, std::size_t axis) {
  return static_cast<double>(volume.shape[axis]) * volume.spacing_mm[axis];
}

/// All planes at one scale, so that they can be compared.
Cut cut_of(const CaseVolume& volume, const Plane& plane, std::size_t slice, double tallest) {
  const double scale = tallest / std::max(extent_mm(volume, 1), extent_mm(volume, 2));
  const auto pixels = [&](std::size_t axis) {
    return std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lround(extent_mm(volume, axis) * scale)), 1,
        4 * picture_height);
  };
  return {volume, plane, slice, pixels(plane.right), pixels(plane.up)};
}

void blend(std::uint8_t* pixel, const std::uint8_t (&colour)[3], double share) {
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(
        std::lround((1 - share) * static_cast<double>(pixel[c]) + share * colour[c]));
}

/// A pixel whose neighbour to the right or below has another label of the reference.
bool is_edge(const Cut& cut, std::size_t x, std::size_t y) {
  const auto label = [&](std::size_t column, std::size_t row) {
    return column < cut.width && row < cut.height ? cut.volume.reference[cut.at(column, row)]
                                                  : std::uint8_t{0};
  };
  return label(x, y) != label(x + 1, y) || label(x, y) != label(x, y + 1);
}

void colour(std::uint8_t* pixel, VoxelAgreement agreement) {
  constexpr AgreementColours colours;
  constexpr double opacity = 0.62;
  switch (agreement) {
    case VoxelAgreement::background: return;
    case VoxelAgreement::both: return blend(pixel, colours.both, opacity);
    case VoxelAgreement::only_prediction: return blend(pixel, colours.only_prediction, opacity);
    case VoxelAgreement::only_reference: return blend(pixel, colours.only_reference, opacity);
    case VoxelAgreement::wrong_label: return blend(pixel, colours.wrong_label, opacity);
  }
}

/// The reference's outline in white with dark sides, so that it is also visible on bright tissue.
void draw_outline(const Cut& cut, std::size_t left, Picture& picture) {
  constexpr std::uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0};
  std::vector<bool> edges(cut.width * cut.height);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = is_edge(cut, i % cut.width, i / cut.width);
  const auto is_beside = [&](std::size_t x, std::size_t y) {
    for (std::size_t row = y == 0 ? 0 : y - 1; row <= std::min(y + 1, cut.height - 1); ++row)
      for (std::size_t column = x == 0 ? 0 : x - 1; column <= std::min(x + 1, cut.width - 1);
           ++column)
        if (edges[row * cut.width + column]) return true;
    return false;
  };
  for (std::size_t y = 0; y < cut.height; ++y)
    for (std::size_t x = 0; x < cut.width; ++x)
      if (edges[y * cut.width + x])
        blend(picture.at(left + x, y), white, 0.9);
      else if (is_beside(x, y))
        blend(picture.at(left + x, y), black, 0.6);
}

void draw(const Cut& cut, const std::vector<std::uint8_t>& prediction, std::size_t left,
          Picture& picture) {
  constexpr std::uint8_t no_image = 38;
  for (std::size_t y = 0; y < cut.height; ++y)
    for (std::size_t x = 0; x < cut.width; ++x) {
      const std::size_t voxel = cut.at(x, y);
      std::uint8_t* pixel = picture.at(left + x, y);
      const std::uint8_t grey = cut.volume.image.empty() ? no_image : cut.volume.image[voxel];
      std::fill_n(pixel, 3, grey);
      colour(pixel, agreement_of(prediction[voxel], cut.volume.reference[voxel]));
    }
  draw_outline(cut, left, picture);
}

/// The axial slice in which most voxels differ.
std::size_t worst_slice(const CaseVolume& volume, const std::vector<std::uint8_t>& prediction) {
  const std::size_t of_slice = volume.shape[0] * volume.shape[1];
  std::size_t worst = volume.shape[2] / 2, most = 0;
  for (std::size_t z = 0; z < volume.shape[2]; ++z) {
    std::size_t wrong = 0;
    for (std::size_t i = z * of_slice; i < (z + 1) * of_slice; ++i)
      wrong += prediction[i] != volume.reference[i] ? 1U : 0U;
    if (wrong > most) {
      most = wrong;
      worst = z;
    }
  }
  return worst;
}

}  // namespace

Shape focus_of(const CaseVolume& volume) {
  std::array<std::vector<std::size_t>, 3> counts;
  for (std::size_t axis = 0; axis < 3; ++axis) counts[axis].resize(volume.shape[axis]);
  for (std::size_t z = 0, voxel = 0; z < volume.shape[2]; ++z)
    for (std::size_t y = 0; y < volume.shape[1]; ++y)
      for (std::size_t x = 0; x < volume.shape[0]; ++x, ++voxel) {
        bool drawn = volume.reference[voxel] != 0;
        for (const DrawnMask& mask : volume.predictions) drawn |= mask.voxels[voxel] != 0;
        counts[0][x] += drawn;
        counts[1][y] += drawn;
        counts[2][z] += drawn;
      }
  Shape focus{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto most = std::ranges::max_element(counts[axis]);
    const bool empty = most == counts[axis].end() || *most == 0;
    focus[axis] =
        empty ? volume.shape[axis] / 2 : static_cast<std::size_t>(most - counts[axis].begin());
  }
  return focus;
}

Picture case_picture(const CaseVolume& volume, std::size_t prediction) {
  const Shape focus = focus_of(volume);
  std::vector<Cut> cuts;
  std::size_t width = 0, height = 0;
  for (const Plane& plane : planes) {
    cuts.push_back(cut_of(volume, plane, focus[plane.through], picture_height));
    width += cuts.back().width + (cuts.size() == 1 ? 0 : gap);
    height = std::max(height, cuts.back().height);
  }
  constexpr std::uint8_t background = 20;
  Picture picture = Picture::filled(width, height, background);
  std::size_t left = 0;
  for (const Cut& cut : cuts) {
    draw(cut, volume.predictions[prediction].voxels, left, picture);
    left += cut.width + gap;
  }
  return picture;
}

VoxelAgreement agreement_of(std::uint8_t prediction, std::uint8_t reference) {
  if (prediction == reference)
    return reference == 0 ? VoxelAgreement::background : VoxelAgreement::both;
  if (reference == 0) return VoxelAgreement::only_prediction;
  return prediction == 0 ? VoxelAgreement::only_reference : VoxelAgreement::wrong_label;
}

Picture error_picture(const CaseVolume& volume, std::size_t prediction) {
  const std::vector<std::uint8_t>& voxels = volume.predictions[prediction].voxels;
  const Cut cut = cut_of(volume, planes[0], worst_slice(volume, voxels), error_height);
  Picture picture = Picture::filled(cut.width, cut.height);
  draw(cut, voxels, 0, picture);
  return picture;
}

}  // namespace assay::report
