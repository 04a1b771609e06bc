// SPDX-License-Identifier: Apache-2.0
#include "assay/image/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "assay/base/bytes.hpp"
#include "assay/base/file.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/zip.hpp"
#include "assay/error.hpp"
#include "assay/image/header_text.hpp"
#include "assay/named.hpp"

namespace assay {
namespace {

using NpyBytes = std::span<const std::byte>;

constexpr std::string_view npy_magic = "\x93NUMPY", zip_magic = "PK\x03\x04";

/// The header of an array, as written.
struct Array {
  std::string type;  ///< such as "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t voxels_at = 0;
};

Error broken() {
  return {Error::Kind::input, "its NumPy header is damaged; save the array again"};
}

/// What follows "'key':" in the header's dictionary.
std::string_view entry(std::string_view text, const std::string& key) {
  const std::size_t at = text.find("'" + key + "':");
  if (at == std::string_view::npos) throw broken();
  text.remove_prefix(at + key.size() + 3);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string type_in(std::string_view text) {
  std::string_view value = entry(text, "descr");
  if (value.starts_with('['))
    throw Error(Error::Kind::unsupported,
                "holds records of several fields; save one array of numbers");
  const std::size_t end = value.find('\'', 1);
  if (!value.starts_with('\'') || end == std::string_view::npos) throw broken();
  return std::string(value.substr(1, end - 1));
}

std::vector<std::int64_t> shape_in(std::string_view text) {
  std::string_view value = entry(text, "shape");
  const std::size_t end = value.find(')');
  if (!value.starts_with('(') || end == std::string_view::npos) throw broken();
  std::string inside(value.substr(1, end - 1));
  std::ranges::replace(inside, ',', ' ');
  const auto found = numbers<std::int64_t>(inside);
  if (!found) throw broken();
  return *found;
}

Array array_in(NpyBytes head) {
  if (head.size() < 12 || !is_npy(head)) throw broken();
  const bool is_short = head[6] == std::byte{1};
  const std::size_t start = is_short ? 10 : 12;
  const bool swapped = std::endian::native == std::endian::big;
  const std::size_t length = is_short ? load<std::uint16_t>(head.data() + 8, swapped)
                                      : load<std::uint32_t>(head.data() + 8, swapped);
  if (head.size() - start < length) throw broken();
  const std::string_view text = text_of(head.subspan(start, length));
  return {.type = type_in(text),
          .fortran_order = entry(text, "fortran_order").starts_with("True"),
          .shape = shape_in(text),
          .voxels_at = start + length};
}

void set_type(ImageHeader& header, const std::string& name) {
  const std::string_view kind =
      std::string_view(name).substr(std::min<std::size_t>(1, name.size()));
  if (kind.starts_with('O'))
    throw Error(Error::Kind::unsupported,
                "holds Python objects, which assay never unpickles; save an array of numbers");
  const auto type = numpy_type(kind);
  if (!type || std::string_view("<>|=").find(name.front()) == std::string_view::npos)
    throw Error(
        Error::Kind::unsupported,
        fmt::format("its type '{}' is not a scalar type that assay reads", name.substr(0, 40)));
  header.type = *type;
  const bool is_native = name.front() == '=' || name.front() == '|';
  header.byte_swapped =
      !is_native && (name.front() == '>') != (std::endian::native == std::endian::big);
}

/// How the indices of an array are to be read.
enum class Indices { xyz, zyx };

/// The spatial axes as indexed, and how many volumes precede them.
Extents extents_of(const Array& array, Indices indices) {
  std::vector<std::int64_t> sizes = array.shape;
  if (sizes.size() < 2 || sizes.size() > 4)
    throw Error(Error::Kind::unsupported,
                fmt::format("has {} axes ({}); assay reads arrays of 2 to 4", sizes.size(),
                            fmt::join(sizes, "x")));
  std::int64_t volumes = 1;
  if (sizes.size() == 4) {
    volumes = sizes.front();
    sizes.erase(sizes.begin());
  }
  if (indices == Indices::zyx) std::ranges::reverse(sizes);
  const bool is_picture = sizes.size() == 2;
  sizes.resize(3, 1);
  sizes.push_back(volumes);
  Extents out = extents_from(sizes);
  out.has_axis[2] = !is_picture;
  return out;
}

/// In C order the last index runs fastest: axes are then stored in reverse, which the affine says.
Grid grid_of(const Extents& indexed, bool first_is_fastest) {
  Grid grid = {.shape = indexed.shape,
               .affine = identity_affine,
               .in_space = false,
               .has_axis = indexed.has_axis,
               .has_size = false};
  if (first_is_fastest) return grid;
  std::ranges::reverse(grid.shape);
  std::ranges::reverse(grid.has_axis);
  grid.affine = {{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}};
  return grid;
}

ImageHeader header_of(const Array& array, Indices indices) {
  const Extents extents = extents_of(array, indices);
  ImageHeader header;
  header.grid = grid_of(extents, array.fortran_order == (indices == Indices::xyz));
  header.channels = extents.volumes;
  header.interleaved = extents.volumes > 1 && array.fortran_order;
  set_type(header, array.type);
  return header;
}

/// Names of arrays that are known, in the order in which they are looked for, and how such an array
/// of four axes is indexed.
constexpr std::array<Named<Indices>, 5> array_names = {{{"probabilities", Indices::zyx},
                                                        {"softmax", Indices::zyx},
                                                        {"mask", Indices::xyz},
                                                        {"labels", Indices::xyz},
                                                        {"arr_0", Indices::xyz}}};

std::string chosen(const ZipFile& archive) {
  std::vector<std::string> arrays = archive.paths();
  std::erase_if(arrays, [](const std::string& path) { return !path.ends_with(".npy"); });
  for (const Named<Indices>& named : array_names)
    if (archive.has(std::string(named.name) + ".npy")) return std::string(named.name) + ".npy";
  if (arrays.size() == 1) return arrays.front();
  if (arrays.empty())
    throw Error(Error::Kind::unsupported, "is a zip archive without any NumPy array");
  throw Error(Error::Kind::input,
              fmt::format("holds several arrays ({}); save one, or name it mask, labels or "
                          "probabilities",
                          fmt::join(arrays, ", ")));
}

Indices indices_of(const std::string& path, const Array& array) {
  const auto named = std::ranges::find_if(
      array_names, [&](const Named<Indices>& n) { return path == std::string(n.name) + ".npy"; });
  return named != array_names.end() && array.shape.size() == 4 ? named->value : Indices::xyz;
}

/// Enough for the header of an array of numbers.
constexpr std::size_t header_limit = 4096;
constexpr unsigned stored_method = 0, deflate_method = 8;

/// Magic, version 1.0, length, and a Python literal that ends with a line break. The size is a
/// multiple of 64 bytes, so that the data are aligned.
std::string npy_header(std::size_t classes, const Shape& shape) {
  const char* order = std::endian::native == std::endian::little ? "<" : ">";
  std::string text = std::string("{'descr': '") + order + "f4', 'fortran_order': False, 'shape': (";
  text += std::to_string(classes);
  for (const std::size_t size : shape) text += ", " + std::to_string(size);
  text += "), }";
  constexpr std::size_t before = 10, unit = 64;
  text.resize((before + text.size() + 1 + unit - 1) / unit * unit - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string out = "\x93NUMPY";
  out += {1, 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return out + text;
}

}  // namespace

std::optional<VoxelType> numpy_type(std::string_view name) {
  constexpr Named<VoxelType> types[] = {
      {"b1", VoxelType::u8},  {"u1", VoxelType::u8},  {"i1", VoxelType::i8},
      {"u2", VoxelType::u16}, {"i2", VoxelType::i16}, {"u4", VoxelType::u32},
      {"i4", VoxelType::i32}, {"u8", VoxelType::u64}, {"i8", VoxelType::i64},
      {"f2", VoxelType::f16}, {"f4", VoxelType::f32}, {"f8", VoxelType::f64}};
  const auto row = std::ranges::find(types, name, &Named<VoxelType>::name);
  return row == std::end(types) ? std::nullopt : std::optional(row->value);
}

bool is_npy(NpyBytes head) {
  return text_of(head).starts_with(npy_magic);
}

bool is_npz(NpyBytes head) {
  return text_of(head).starts_with(zip_magic);
}

Layout npy_layout(NpyBytes head, const std::filesystem::path&) {
  const Array array = array_in(head);
  Layout layout;
  layout.header = header_of(array, Indices::xyz);
  layout.offset = array.voxels_at;
  return layout;
}

Layout npz_layout(NpyBytes head, const std::filesystem::path& path) {
  const ZipFile archive(head, path.string());
  const std::string name = chosen(archive);
  const ZipFile::Packed packed = archive.packed(name);
  if (packed.method != stored_method && packed.method != deflate_method)
    throw Error(Error::Kind::unsupported,
                "its array is compressed in a way that NumPy does not use; save it with "
                "numpy.savez_compressed");
  const bool is_stored = packed.method == stored_method;
  const std::vector<std::byte> inflated =
      is_stored ? std::vector<std::byte>() : inflate_deflate_prefix(packed.bytes, header_limit);
  const Array array = array_in(is_stored ? packed.bytes : NpyBytes(inflated));
  Layout layout;
  layout.header = header_of(array, indices_of(name, array));
  if (is_stored) {
    archive.content(name);  // checks it
    if (packed.bytes.size() - array.voxels_at < voxel_bytes(layout.header))
      throw Error(Error::Kind::input,
                  "its array is shorter than its header states; save the array again");
    layout.offset = packed.offset + array.voxels_at;
    return layout;
  }
  layout.offset = packed.offset;
  layout.packing = Packing::deflate;
  layout.packed_size = packed.bytes.size();
  layout.skipped = array.voxels_at;
  layout.checksum = packed.checksum;
  return layout;
}

void write_logits(const std::filesystem::path& path, std::span<const float> logits,
                  const Shape& shape) {
  const std::size_t voxels = shape[0] * shape[1] * shape[2];
  const std::size_t classes = voxels == 0 ? 0 : logits.size() / voxels;
  std::string bytes = npy_header(classes, shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + sizeof(float) * logits.size());
  char* at = bytes.data() + start;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t x = 0; x < shape[0]; ++x)
      for (std::size_t y = 0; y < shape[1]; ++y)
        for (std::size_t z = 0; z < shape[2]; ++z, at += sizeof(float))
          std::memcpy(at, &logits[c * voxels + x + shape[0] * (y + shape[1] * z)], sizeof(float));
  write_atomically(path, bytes);
}

}  // namespace assay
