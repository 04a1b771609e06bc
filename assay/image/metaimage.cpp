// SPDX-License-Identifier: Apache-2.0
#include "assay/image/metaimage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/error.hpp"
#include "assay/image/header_text.hpp"
#include "assay/image/metaimage_types.hpp"
#include "assay/named.hpp"

namespace assay {
namespace {

/// The header as written; absent fields have their defaults.
struct MetaFields {
  std::size_t axes = 0;
  std::vector<std::int64_t> sizes;
  std::vector<double> spacing, element_size, offset, directions;
  std::optional<VoxelType> type;
  bool big_endian = false, compressed = false;
  std::optional<std::size_t> compressed_size;
  std::int64_t header_size = 0;  ///< bytes to skip in the voxels' file; -1: all but the voxels
  double unit_mm = 1;
  std::string data_file;
};

Error broken(std::string_view key, std::string_view value, std::string_view expected) {
  return {Error::Kind::input, fmt::format("its header says '{} = {}', which is not {}; repair it",
                                          key, value.substr(0, 80), expected)};
}

/// One line of a header that is being read.
struct Line {
  std::string_view key, value;

  template <class T>
  std::vector<T> list() const {
    auto all = numbers<T>(value);
    if (!all || all->empty()) throw broken(key, value, "a list of numbers");
    return *all;
  }
  template <class T>
  T number() const {
    const auto all = numbers<T>(value);
    if (!all || all->size() != 1) throw broken(key, value, "a number");
    return all->front();
  }
  bool flag() const {
    const char first = value.empty() ? ' ' : value.front();  // True, true, T, 1, Yes: as MetaIO
    return std::string_view("TtYy1").find(first) != std::string_view::npos;
  }
};

void read_object_type(MetaFields&, const Line& line) {
  if (line.value == "Image") return;
  throw Error(Error::Kind::unsupported,
              fmt::format("holds a MetaIO object of type '{}', not an image", line.value));
}

void read_type(MetaFields& fields, const Line& line) {
  const auto row = std::ranges::find(metaimage_types, line.value, &Named<VoxelType>::name);
  if (row == std::end(metaimage_types))
    throw Error(Error::Kind::unsupported,
                fmt::format("its ElementType '{}' is not a scalar type that assay reads",
                            line.value.substr(0, 80)));
  fields.type = row->value;
}

void read_axes(MetaFields& fields, const Line& line) {
  const auto count = line.number<int>();
  if (count < 2 || count > 4)
    throw Error(Error::Kind::unsupported,
                fmt::format("its header counts {} axes; assay reads 2 to 4", count));
  fields.axes = static_cast<std::size_t>(count);
}

void read_channels(MetaFields&, const Line& line) {
  const auto count = line.number<int>();
  if (count == 1) return;
  throw Error(Error::Kind::unsupported,
              fmt::format("has {} channels per voxel; assay takes one, so split it", count));
}

void read_binary(MetaFields&, const Line& line) {
  if (line.flag()) return;
  throw Error(Error::Kind::unsupported,
              "its voxels are written as text (BinaryData = False); save it as binary");
}

void read_units(MetaFields& fields, const Line& line) {
  constexpr Named<double> units[] = {{"mm", 1}, {"um", 0.001}, {"cm", 10}, {"?", 1}};
  const auto unit = std::ranges::find(units, line.value, &Named<double>::name);
  if (unit == std::end(units)) throw broken(line.key, line.value, "mm, um or cm");
  fields.unit_mm = unit->value;
}

void read_header_size(MetaFields& fields, const Line& line) {
  fields.header_size = line.number<std::int64_t>();
  if (fields.header_size < -1) throw broken(line.key, line.value, "a number of bytes, or -1");
}

void read_offset(MetaFields& fields, const Line& line) {
  fields.offset = line.list<double>();
}
void read_directions(MetaFields& fields, const Line& line) {
  fields.directions = line.list<double>();
}
void read_order(MetaFields& fields, const Line& line) {
  fields.big_endian = line.flag();
}

/// What each key does. Keys that say nothing about voxels or their position are skipped.
struct Key {
  std::string_view name;
  void (*read)(MetaFields& fields, const Line& line);
};

constexpr std::array keys = {
    Key{"ObjectType", read_object_type},
    Key{"NDims", read_axes},
    Key{"DimSize", [](MetaFields& f, const Line& l) { f.sizes = l.list<std::int64_t>(); }},
    Key{"ElementType", read_type},
    Key{"ElementSpacing", [](MetaFields& f, const Line& l) { f.spacing = l.list<double>(); }},
    Key{"ElementSize", [](MetaFields& f, const Line& l) { f.element_size = l.list<double>(); }},
    Key{"Offset", read_offset},
    Key{"Position", read_offset},
    Key{"Origin", read_offset},
    Key{"TransformMatrix", read_directions},
    Key{"Rotation", read_directions},
    Key{"Orientation", read_directions},
    Key{"BinaryData", read_binary},
    Key{"BinaryDataByteOrderMSB", read_order},
    Key{"ElementByteOrderMSB", read_order},
    Key{"CompressedData", [](MetaFields& f, const Line& l) { f.compressed = l.flag(); }},
    Key{"CompressedDataSize",
        [](MetaFields& f, const Line& l) { f.compressed_size = l.number<std::size_t>(); }},
    Key{"HeaderSize", read_header_size},
    Key{"ElementNumberOfChannels", read_channels},
    Key{"DistanceUnits", read_units},
    Key{"ElementDataFile",
        [](MetaFields& f, const Line& l) { f.data_file = std::string(l.value); }},
    Key{"Comment", nullptr},
    Key{"ObjectSubType", nullptr},
    Key{"TransformType", nullptr},
    Key{"CenterOfRotation", nullptr},
    Key{"AnatomicalOrientation", nullptr},
};

Line split(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return {trimmed(text), {}};
  return {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
}

struct Parsed {
  MetaFields fields;
  std::size_t header_end;  ///< where voxels start when they are in the same file
};

/// Reads lines up to the one that names the voxel file, which is the last by definition.
Parsed parse(std::string_view text) {
  MetaFields fields;
  const std::size_t size = text.size();
  while (fields.data_file.empty()) {
    const auto line = next_line(text);
    if (!line)
      throw Error(Error::Kind::input,
                  "its header is cut short: it does not end with 'ElementDataFile = ...'");
    const Line item = split(*line);
    const auto key = std::ranges::find(keys, item.key, &Key::name);
    if (key != keys.end() && key->read != nullptr) key->read(fields, item);
  }
  return {std::move(fields), size - text.size()};
}

/// A list with one number per axis, or its default for all of them.
std::vector<double> per_axis(const std::vector<double>& list, std::size_t count, double otherwise,
                             std::string_view key) {
  if (list.empty()) return std::vector<double>(count, otherwise);
  if (list.size() == count) return list;
  throw Error(Error::Kind::input, fmt::format("its {} has {} numbers instead of {}; repair it", key,
                                              list.size(), count));
}

std::vector<double> directions(const MetaFields& fields) {
  if (fields.directions.empty()) {
    std::vector<double> identity(fields.axes * fields.axes);
    for (std::size_t i = 0; i < fields.axes; ++i) identity[i * (fields.axes + 1)] = 1;
    return identity;
  }
  return per_axis(fields.directions, fields.axes * fields.axes, 0, "TransformMatrix");
}

/// Each group of numbers in TransformMatrix is the direction of one axis.
Affine affine_of(const MetaFields& fields) {
  const auto& given = fields.spacing.empty() ? fields.element_size : fields.spacing;
  const auto spacing = per_axis(given, fields.axes, 1, "ElementSpacing");
  const auto offset = per_axis(fields.offset, fields.axes, 0, "Offset");
  const auto turned = directions(fields);
  Affine affine = identity_affine;
  const std::size_t used = std::min<std::size_t>(fields.axes, 3);
  for (std::size_t row = 0; row < used; ++row) {
    for (std::size_t axis = 0; axis < used; ++axis)
      affine[row][axis] = turned[axis * fields.axes + row] * spacing[axis] * fields.unit_mm;
    affine[row][3] = offset[row] * fields.unit_mm;
  }
  for (std::size_t row = 0; row < 2; ++row)  // LPS to RAS
    for (double& x : affine[row]) x = x == 0 ? 0 : -x;
  require_usable(affine, "TransformMatrix with ElementSpacing", "repair the header");
  return affine;
}

void require_complete(const MetaFields& fields) {
  struct Need {
    std::string_view key;
    bool is_met;
  };
  for (const Need& need : {Need{"NDims", fields.axes != 0}, Need{"DimSize", !fields.sizes.empty()},
                           Need{"ElementType", fields.type.has_value()}})
    if (!need.is_met)
      throw Error(Error::Kind::input,
                  fmt::format("its header has no '{} = ...'; repair it", need.key));
  if (fields.sizes.size() != fields.axes)
    throw Error(Error::Kind::input,
                fmt::format("its DimSize has {} numbers instead of {}; repair it",
                            fields.sizes.size(), fields.axes));
  if (fields.compressed && fields.header_size != 0)
    throw Error(Error::Kind::unsupported,
                "has compressed voxels and a HeaderSize; save it without one of the two");
}

}  // namespace

bool is_metaimage(std::span<const std::byte> head) {
  std::string_view text = text_of(head.first(std::min<std::size_t>(head.size(), 256)));
  const auto line = next_line(text);
  if (!line || line->find('=') == std::string_view::npos) return false;
  return std::ranges::find(keys, split(*line).key, &Key::name) != keys.end();
}

Layout metaimage_layout(std::span<const std::byte> head, const std::filesystem::path& path) {
  const auto [fields, header_end] = parse(text_of(head));
  require_complete(fields);
  Layout layout;
  const Extents extents = extents_from(fields.sizes);
  layout.header.grid = {
      .shape = extents.shape, .affine = affine_of(fields), .has_axis = extents.has_axis};
  layout.header.channels = extents.volumes;
  layout.header.type = *fields.type;
  layout.header.byte_swapped = fields.big_endian != (std::endian::native == std::endian::big);
  if (fields.compressed) layout.packing = Packing::zlib;
  layout.packed_size = fields.compressed_size;
  layout.at_end = fields.header_size == -1;
  const bool is_local =
      fields.data_file == "LOCAL" || fields.data_file == "Local" || fields.data_file == "local";
  if (!is_local) layout.voxel_files = {voxel_file(fields.data_file, path)};
  if (!layout.at_end)
    layout.offset = (is_local ? header_end : 0) + static_cast<std::size_t>(fields.header_size);
  return layout;
}

}  // namespace assay
