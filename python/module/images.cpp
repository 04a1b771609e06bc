// SPDX-License-Identifier: Apache-2.0
/// Images as arrays over the memory that they were read or decompressed into.
#include <array>
#include <memory>
#include <optional>

#include "assay/image.hpp"
#include "python/module/arrays.hpp"

namespace assay::python {
namespace {

/// The axes of an array: x, y, z, and the volume where there are several.
struct Axes {
  std::vector<py::ssize_t> sizes, strides;
};

/// As stored: x fastest among the axes of space, the volumes one after the other or interleaved.
Axes axes_of(const ImageHeader& header, py::ssize_t item) {
  const auto volumes = static_cast<py::ssize_t>(header.channels);
  Axes axes;
  py::ssize_t stride = header.interleaved ? item * volumes : item;
  for (const std::size_t size : header.grid.shape) {
    axes.sizes.push_back(static_cast<py::ssize_t>(size));
    axes.strides.push_back(stride);
    stride *= axes.sizes.back();
  }
  if (volumes > 1) {
    axes.sizes.push_back(volumes);
    axes.strides.push_back(header.interleaved ? item : stride);
  }
  return axes;
}

/// A read-only array that keeps `owner` alive: the memory may be the file's own.
template <class Owner>
py::array view_of(const py::dtype& dtype, const ImageHeader& header, const void* data,
                  std::unique_ptr<Owner> owner) {
  const py::capsule keeper(owner.get(), [](void* kept) { delete static_cast<Owner*>(kept); });
  static_cast<void>(owner.release());  // the capsule owns it now
  const Axes axes = axes_of(header, item_size(dtype));
  py::array array(dtype, axes.sizes, axes.strides, data, keeper);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// The stored type and byte order; none if only our own code can read it.
std::optional<py::dtype> stored_type(const ImageHeader& header) {
  constexpr std::array names = {"u1", "i1", "u2", "i2", "u4", "i4",
                                "u8", "i8", "f4", "f8", "",   "f2"};
  const std::string name = names[static_cast<std::size_t>(header.type)];
  if (name.empty()) return std::nullopt;
  const py::dtype native(name);
  return header.byte_swapped ? py::dtype::from_args(native.attr("newbyteorder")("S")) : native;
}

py::array values_of(std::unique_ptr<Image> image) {
  const ImageHeader header = image->header();
  const auto type = stored_type(header);
  if (header.scaling.is_identity() && type) {
    const void* const data = image->voxels().data();
    return view_of(*type, header, data, std::move(image));
  }
  std::unique_ptr<std::vector<double>> scaled;
  {
    const py::gil_scoped_release released;
    scaled = std::make_unique<std::vector<double>>(values(*image));
    image.reset();
  }
  const void* const data = scaled->data();
  return view_of(py::dtype::of<double>(), header, data, std::move(scaled));
}

py::tuple read_image_file(const std::string& path) {
  std::unique_ptr<Image> image;
  {
    const py::gil_scoped_release released;
    image = std::make_unique<Image>(read_image(path, {}, Volumes::any));
  }
  py::array_t<double> affine({4, 4});
  auto to = affine.mutable_unchecked<2>();
  for (py::ssize_t row = 0; row < 3; ++row)
    for (py::ssize_t column = 0; column < 4; ++column)
      to(row, column) =
          image->grid().affine[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  for (py::ssize_t column = 0; column < 4; ++column) to(3, column) = column == 3 ? 1 : 0;
  return py::make_tuple(values_of(std::move(image)), affine);
}

}  // namespace

void bind_images(py::module_& module) {
  module.def("read_image", read_image_file, py::arg("path"), "(values, affine) of an image");
}

}  // namespace assay::python
