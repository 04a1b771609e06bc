// SPDX-License-Identifier: Apache-2.0
/// Images as arrays over the very memory that they were mapped or inflated into.
#include <array>
#include <memory>
#include <optional>

#include "assay/io/image.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

/// x fastest, as stored.
std::vector<py::ssize_t> strides_of(const Shape& shape, std::size_t item) {
  return {static_cast<py::ssize_t>(item), static_cast<py::ssize_t>(item * shape[0]),
          static_cast<py::ssize_t>(item * shape[0] * shape[1])};
}

/// A read-only array that keeps `owner` alive: the memory may be the file's own.
template <class Owner>
py::array view_of(const py::dtype& dtype, const Shape& shape, const void* data,
                  std::unique_ptr<Owner> owner) {
  const py::capsule keeper(owner.get(), [](void* kept) { delete static_cast<Owner*>(kept); });
  static_cast<void>(owner.release());  // the capsule's now
  py::array array(dtype, std::vector<py::ssize_t>(shape.begin(), shape.end()),
                  strides_of(shape, static_cast<std::size_t>(dtype.itemsize())), data, keeper);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// The stored type and byte order; none for what only our own code can read.
std::optional<py::dtype> stored_type(const ImageHeader& header) {
  constexpr std::array names = {"u1", "i1", "u2", "i2", "u4", "i4",
                                "u8", "i8", "f4", "f8", "",   "f2"};
  const std::string name = names[static_cast<std::size_t>(header.type)];
  if (name.empty()) return std::nullopt;
  const py::dtype native(name);
  return header.byte_swapped ? py::dtype::from_args(native.attr("newbyteorder")("S")) : native;
}

py::array values_of(std::unique_ptr<Image> image) {
  const Shape shape = image->grid().shape;
  const auto type = stored_type(image->header());
  if (image->header().scaling.is_identity() && type) {
    const void* const data = image->voxels().data();
    return view_of(*type, shape, data, std::move(image));
  }
  std::unique_ptr<std::vector<double>> scaled;
  {
    const py::gil_scoped_release released;
    scaled = std::make_unique<std::vector<double>>(values(*image));
    image.reset();
  }
  const void* const data = scaled->data();
  return view_of(py::dtype::of<double>(), shape, data, std::move(scaled));
}

py::tuple read_nifti(const std::string& path) {
  std::unique_ptr<Image> image;
  {
    const py::gil_scoped_release released;
    image = std::make_unique<Image>(read_image(path));
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
  module.def("read_nifti", read_nifti, py::arg("path"), "(values, affine) of an image");
}

}  // namespace assay::python
