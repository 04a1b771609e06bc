// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests only: what ITK says of pairs of masks, one line of JSON for each.
///
/// Standard input has the pairs one after the other, each as three 64-bit sizes, three doubles (the
/// spacing), and the bytes 0 or 1 of prediction and reference, the first axis fastest.
///
/// What lies outside the image is background to assay and nothing at all to ITK, so every image
/// gets a margin of background here, except along axes of one voxel, which assay leaves out as
/// well. Borders are those by 6 neighbours, as assay has them. Maurer's filter is given these and
/// not the masks, because it measures from the voxels that have background among their 26
/// neighbours: that is more than the border of a mask, but of a border, within the margin, it is
/// every voxel.
#include <itkBinaryContourImageFilter.h>
#include <itkConnectedComponentImageFilter.h>
#include <itkHausdorffDistanceImageFilter.h>
#include <itkLabelOverlapMeasuresImageFilter.h>
#include <itkMultiThreaderBase.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

// ITK computes in the type of the distance map: double leaves only the rounding of a few steps.
using Mask = itk::Image<unsigned char, 3>;
using Labels = itk::Image<std::uint32_t, 3>;
using DistanceMap = itk::Image<double, 3>;
using nlohmann::json;

struct Grid {
  std::array<std::int64_t, 3> size{};
  std::array<double, 3> spacing_mm{};
};

template <typename Value>
bool read_into(Value& value) {
  return bool(std::cin.read(reinterpret_cast<char*>(&value), sizeof value));
}

/// An image of background, and the part of it that is the grid without its margin.
std::pair<Mask::Pointer, Mask::RegionType> empty_mask(const Grid& grid) {
  Mask::SizeType inner, outer;
  Mask::IndexType first;
  for (unsigned axis = 0; axis < 3; ++axis) {
    inner[axis] = static_cast<itk::SizeValueType>(grid.size[axis]);
    first[axis] = inner[axis] > 1 ? 1 : 0;
    outer[axis] = inner[axis] + 2 * static_cast<itk::SizeValueType>(first[axis]);
  }
  const auto mask = Mask::New();
  mask->SetRegions(outer);
  mask->SetSpacing(Mask::SpacingType(grid.spacing_mm.data()));
  mask->Allocate(true);
  return {mask, {first, inner}};
}

Mask::Pointer read_mask(const Grid& grid) {
  const auto [mask, region] = empty_mask(grid);
  std::vector<unsigned char> voxels(region.GetNumberOfPixels());
  if (!std::cin.read(reinterpret_cast<char*>(voxels.data()), std::ssize(voxels)))
    throw std::runtime_error("the input ends within a mask");
  itk::ImageRegionIterator<Mask> to(mask, region);
  for (const auto voxel : voxels) {
    to.Set(voxel);
    ++to;
  }
  return mask;
}

Mask::Pointer border(const Mask* mask) {
  const auto filter = itk::BinaryContourImageFilter<Mask, Mask>::New();
  filter->SetInput(mask);
  filter->SetForegroundValue(1);
  filter->SetBackgroundValue(0);
  filter->FullyConnectedOff();
  filter->Update();
  return filter->GetOutput();
}

/// Of every voxel of the one border to the other border, or the squares of that.
std::vector<double> distances(const Mask* from, const Mask* to, bool squared) {
  const auto filter = itk::SignedMaurerDistanceMapImageFilter<Mask, DistanceMap>::New();
  filter->SetInput(to);
  filter->SetUseImageSpacing(true);
  filter->SetSquaredDistance(squared);
  filter->Update();
  std::vector<double> out;
  itk::ImageRegionConstIterator<Mask> voxel(from, from->GetLargestPossibleRegion());
  itk::ImageRegionConstIterator<DistanceMap> distance(filter->GetOutput(),
                                                      from->GetLargestPossibleRegion());
  for (; !voxel.IsAtEnd(); ++voxel, ++distance)
    if (voxel.Get() != 0) out.push_back(std::abs(distance.Get()));
  if (out.empty()) throw std::runtime_error("a mask without border has no distances");
  return out;
}

/// ITK's distances between sets of voxels, and the mean of both directed means.
json set_distances(const Mask* prediction, const Mask* reference) {
  const auto filter = itk::HausdorffDistanceImageFilter<Mask, Mask>::New();
  filter->SetInput1(prediction);
  filter->SetInput2(reference);
  filter->Update();
  return {{"greatest", filter->GetHausdorffDistance()},
          {"mean", filter->GetAverageHausdorffDistance()}};
}

/// Of each component, in the order of their first voxels: its voxels, and those the other mask has.
json components(const Mask* mask, const Mask* other, bool corners) {
  const auto filter = itk::ConnectedComponentImageFilter<Mask, Labels>::New();
  filter->SetInput(mask);
  filter->SetFullyConnected(corners);
  filter->Update();
  std::vector<std::array<std::int64_t, 2>> out(filter->GetObjectCount());
  itk::ImageRegionConstIterator<Labels> label(filter->GetOutput(),
                                              mask->GetLargestPossibleRegion());
  itk::ImageRegionConstIterator<Mask> covered(other, mask->GetLargestPossibleRegion());
  for (; !label.IsAtEnd(); ++label, ++covered) {
    if (label.Get() == 0) continue;
    auto& counts = out.at(label.Get() - 1);
    counts[0] += 1;
    counts[1] += covered.Get();
  }
  return out;
}

json overlap(const Mask* prediction, const Mask* reference) {
  const auto filter = itk::LabelOverlapMeasuresImageFilter<Mask>::New();
  filter->SetSourceImage(prediction);
  filter->SetTargetImage(reference);
  filter->Update();
  return {{"dice", filter->GetDiceCoefficient(1)},
          {"jaccard", filter->GetJaccardCoefficient(1)},
          {"target_overlap", filter->GetTargetOverlap(1)},
          {"volume_similarity", filter->GetVolumeSimilarity(1)},
          {"false_negative_error", filter->GetFalseNegativeError(1)},
          {"false_positive_error", filter->GetFalsePositiveError(1)}};
}

/// What is said of one mask with regard to the other.
json directed(const Mask* mask, const Mask* other) {
  const auto from = border(mask), to = border(other);
  return {{"distances", distances(from, to, false)},
          {"greatest_square", std::ranges::max(distances(from, to, true))},
          {"components",
           {{"6", components(mask, other, false)}, {"26", components(mask, other, true)}}}};
}

json measures(const Mask* prediction, const Mask* reference) {
  return {{"prediction", directed(prediction, reference)},
          {"reference", directed(reference, prediction)},
          {"borders", set_distances(border(prediction), border(reference))},
          {"masks", set_distances(prediction, reference)},
          {"overlap", overlap(prediction, reference)}};
}

}  // namespace

int main() try {
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(1);  // the images are small
  for (Grid grid; read_into(grid.size) && read_into(grid.spacing_mm);) {
    const auto prediction = read_mask(grid), reference = read_mask(grid);
    std::puts(measures(prediction, reference).dump().c_str());
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "itk_measures: %s\n", e.what());
  return 2;
}
