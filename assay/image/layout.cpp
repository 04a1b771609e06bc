// SPDX-License-Identifier: Apache-2.0
#include "assay/image/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>

#include "assay/error.hpp"

namespace assay {
namespace {

double determinant(const Affine& a) {
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

bool is_finite(const Affine& affine) {
  return std::ranges::all_of(affine, [](const auto& row) {
    return std::ranges::all_of(row, [](double x) { return std::isfinite(x); });
  });
}

}  // namespace

void refuse_volumes(std::size_t volumes, std::string_view sizes) {
  throw Error(Error::Kind::unsupported,
              fmt::format("holds {} volumes ({}); assay takes one volume per file, so split it",
                          volumes, sizes));
}

Extents extents_from(std::span<const std::int64_t> extents) {
  const auto all = fmt::format("{}", fmt::join(extents, "x"));
  if (std::ranges::any_of(extents, [](std::int64_t n) { return n < 1; }))
    throw Error(Error::Kind::input,
                fmt::format("its size is {}: every axis needs at least one voxel", all));
  Extents out;
  for (std::size_t axis = extents.size(); axis < 3; ++axis) out.has_axis[axis] = false;
  std::size_t axes_of_volumes = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto extent = static_cast<std::size_t>(extents[axis]);
    if (axis < 3) {
      out.shape[axis] = extent;
      continue;
    }
    if (__builtin_mul_overflow(out.volumes, extent, &out.volumes))
      throw Error(Error::Kind::input, fmt::format("its size, {}, is impossible", all));
    axes_of_volumes += extent > 1 ? 1 : 0;
  }
  if (axes_of_volumes > 1) refuse_volumes(out.volumes, all);
  return out;
}

Grid picture_grid(const Shape& shape) {
  return {
      .shape = shape, .in_space = false, .has_axis = {true, true, shape[2] > 1}, .has_size = false};
}

std::size_t least_file_size(const ImageHeader& header, unsigned bits, double most_of_a_byte) {
  double bytes = static_cast<double>(header.channels) * bits / 8;
  for (const std::size_t side : header.grid.shape) bytes *= static_cast<double>(side);
  return static_cast<std::size_t>(std::min(bytes / most_of_a_byte, 1e18));
}

std::filesystem::path voxel_file(const std::string& name, const std::filesystem::path& header) {
  const std::filesystem::path file(name);
  if (name.starts_with("LIST") || name.find('%') != std::string::npos)
    throw Error(Error::Kind::unsupported,
                "its voxels are spread over several files; save it as one file");
  const bool climbs = std::ranges::any_of(file, [](const auto& part) { return part == ".."; });
  if (file.is_absolute() || climbs)
    throw Error(
        Error::Kind::unsupported,
        fmt::format(
            "its voxels are in '{}', outside the header's folder; put them next to the header",
            name));
  return header.parent_path() / file;
}

std::size_t voxel_bytes(const ImageHeader& header) {
  std::size_t bytes = bytes_per_voxel(header.type);
  if (__builtin_mul_overflow(bytes, header.channels, &bytes))
    throw Error(Error::Kind::input, "its number of volumes is impossible; the header is damaged");
  for (const std::size_t extent : header.grid.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw Error(Error::Kind::input,
                  fmt::format("its size, {}, is impossible; the header is damaged",
                              fmt::join(header.grid.shape, "x")));
  return bytes;
}

void require_usable(const Affine& affine, std::string_view name, std::string_view remedy) {
  if (!is_finite(affine))
    throw Error(Error::Kind::input, fmt::format("its {} holds NaN or infinity; {}", name, remedy));
  const Point mm = spacing_mm({.shape = {1, 1, 1}, .affine = affine});
  // Relative to the spacing: micrometre voxels have tiny determinants and are fine.
  const double volume = std::abs(determinant(affine)), product = mm[0] * mm[1] * mm[2];
  if (!(volume > 1e-9 * product) || !std::isfinite(product))
    throw Error(
        Error::Kind::input,
        fmt::format("its {} is singular: voxels would coincide in space; {}", name, remedy));
}

std::span<std::byte> room_in(Buffer& buffer, std::size_t size) try {
  return buffer.resize(size);
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::input,
              fmt::format("needs {} bytes of memory, more than there are; use a larger machine, or "
                          "fewer jobs at once",
                          size));
}

void append_little_endian(std::vector<std::byte>& out, const Encodable& image) {
  const std::size_t start = out.size();
  out.insert(out.end(), image.voxels.begin(), image.voxels.end());
  if constexpr (std::endian::native == std::endian::big) {
    const auto width = static_cast<std::ptrdiff_t>(bytes_per_voxel(image.type));
    for (auto at = out.begin() + static_cast<std::ptrdiff_t>(start); at != out.end(); at += width)
      std::reverse(at, at + width);
  }
}

}  // namespace assay
