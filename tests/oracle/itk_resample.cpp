// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests only: a label map on another grid, as ITK resamples it.
///
/// Standard input has 0 (nearest) or 1 (linear) as a 64-bit number, then for source and target
/// three 64-bit sizes and an affine of 12 doubles, row by row, then the source's bytes, the first
/// axis fastest. Standard output has the target's bytes. Linear takes the label whose mask has the
/// largest value when it is interpolated linearly, the lowest of several.
#include <itkImage.h>
#include <itkLinearInterpolateImageFunction.h>
#include <itkNearestNeighborInterpolateImageFunction.h>
#include <itkResampleImageFilter.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <set>
#include <vector>

namespace {

using Numbers = itk::Image<double, 3>;

struct Grid {
  std::array<std::int64_t, 3> size{};
  std::array<std::array<double, 4>, 3> affine{};
};

template <typename Value>
void read_into(Value& value) {
  std::cin.read(reinterpret_cast<char*>(&value), sizeof value);
}

Numbers::Pointer image_on(const Grid& grid) {
  Numbers::SizeType size;
  Numbers::SpacingType spacing;
  Numbers::PointType origin;
  Numbers::DirectionType direction;
  for (unsigned axis = 0; axis < 3; ++axis) {
    size[axis] = static_cast<itk::SizeValueType>(grid.size[axis]);
    origin[axis] = grid.affine[axis][3];
    double length = 0;
    for (unsigned row = 0; row < 3; ++row) length += std::pow(grid.affine[row][axis], 2);
    spacing[axis] = std::sqrt(length);
    for (unsigned row = 0; row < 3; ++row)
      direction[row][axis] = grid.affine[row][axis] / spacing[axis];
  }
  const auto image = Numbers::New();
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate(true);
  return image;
}

template <typename Interpolator>
Numbers::Pointer resampled(const Numbers::Pointer& source, const Numbers::Pointer& onto) {
  const auto filter = itk::ResampleImageFilter<Numbers, Numbers>::New();
  filter->SetInput(source);
  filter->SetInterpolator(Interpolator::New());
  filter->SetReferenceImage(onto);
  filter->UseReferenceImageOn();
  filter->Update();
  return filter->GetOutput();
}

using Bytes = std::vector<unsigned char>;

void fill(const Numbers::Pointer& image, const Bytes& from, int label) {
  for (std::size_t i = 0; i < from.size(); ++i)
    image->GetBufferPointer()[i] = label < 0 ? from[i] : (from[i] == label ? 1 : 0);
}

Bytes nearest(const Grid& source, const Grid& target, const Bytes& voxels) {
  const auto image = image_on(source);
  fill(image, voxels, -1);
  const auto onto = image_on(target);
  const auto out = resampled<itk::NearestNeighborInterpolateImageFunction<Numbers>>(image, onto);
  const std::size_t size = out->GetLargestPossibleRegion().GetNumberOfPixels();
  return {out->GetBufferPointer(), out->GetBufferPointer() + size};
}

Bytes largest_weight(const Grid& source, const Grid& target, const Bytes& voxels) {
  const auto onto = image_on(target);
  const std::size_t size = onto->GetLargestPossibleRegion().GetNumberOfPixels();
  Bytes best(size);
  std::vector<double> weights(size);
  for (const unsigned char label : std::set<unsigned char>(voxels.begin(), voxels.end())) {
    const auto image = image_on(source);
    fill(image, voxels, label);
    const auto out = resampled<itk::LinearInterpolateImageFunction<Numbers>>(image, onto);
    for (std::size_t i = 0; i < size; ++i)
      if (out->GetBufferPointer()[i] > weights[i] + 1e-9) {
        weights[i] = out->GetBufferPointer()[i];
        best[i] = label;
      }
  }
  return best;
}

}  // namespace

int main() {
  std::int64_t is_linear = 0;
  Grid source, target;
  for (read_into(is_linear); std::cin; read_into(is_linear)) {
    for (Grid* grid : {&source, &target}) {
      read_into(grid->size);
      read_into(grid->affine);
    }
    Bytes voxels(static_cast<std::size_t>(source.size[0] * source.size[1] * source.size[2]));
    std::cin.read(reinterpret_cast<char*>(voxels.data()),
                  static_cast<std::streamsize>(voxels.size()));
    const Bytes out =
        is_linear != 0 ? largest_weight(source, target, voxels) : nearest(source, target, voxels);
    std::cout.write(reinterpret_cast<const char*>(out.data()),
                    static_cast<std::streamsize>(out.size()));
  }
}
