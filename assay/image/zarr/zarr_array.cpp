// SPDX-License-Identifier: Apache-2.0
#include "assay/image/zarr/zarr_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "assay/base/gzip.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/image/npy.hpp"
#include "assay/image/stored.hpp"
#include "assay/image/zarr/blosc.hpp"
#include "assay/named.hpp"

namespace assay {
namespace {

constexpr std::size_t most_chunk_bytes = std::size_t{1} << 30;

Error broken_zarr(const std::string& what) {
  return {Error::Kind::input, "its .zarray is damaged: " + what};
}

Error unsupported_zarr(const std::string& what) {
  return {Error::Kind::unsupported, what};
}

void set_type(ZarrArray& array, const std::string& text) {
  const std::string_view name =
      std::string_view(text).substr(std::min<std::size_t>(1, text.size()));
  const auto type = numpy_type(name);
  const bool has_order = text.starts_with('<') || text.starts_with('>') || text.starts_with('|');
  if (!type || !has_order)
    throw unsupported_zarr(
        fmt::format("has voxels of the type '{}'; save it as whole or floating-point numbers",
                    text.substr(0, 40)));
  array.type = *type;
  constexpr char own = std::endian::native == std::endian::little ? '<' : '>';
  array.byte_swapped = bytes_per_voxel(array.type) > 1 && text[0] != own && text[0] != '|';
}

constexpr Named<ChunkPacking> packing_names[] = {{"zlib", ChunkPacking::zlib},
                                                 {"gzip", ChunkPacking::gzip},
                                                 {"zstd", ChunkPacking::zstd},
                                                 {"blosc", ChunkPacking::blosc}};

ChunkPacking packing_of(const Json& compressor) {
  if (compressor.is_null()) return ChunkPacking::none;
  const std::string id = text_of(member(compressor, "id"));
  const auto* const found = std::ranges::find(packing_names, id, &Named<ChunkPacking>::name);
  if (found == std::end(packing_names))
    throw unsupported_zarr(fmt::format(
        "is compressed with '{}', which assay does not read; save it with blosc, zstd or zlib",
        id.substr(0, 40)));
  return found->value;
}

std::vector<std::size_t> extents_in(const Json& list, const char* name) {
  std::vector<std::size_t> out;
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  for (const Json& each : elements(list)) {
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() < 1 ||
        each.get<std::uint64_t>() > most)
      throw broken_zarr(fmt::format("its {} has a number that is not from 1 to 2^40", name));
    out.push_back(each.get<std::size_t>());
  }
  if (out.empty() || out.size() > 5)
    throw unsupported_zarr(
        fmt::format("has a {} of {} numbers; assay reads arrays of 2 to 5 axes", name, out.size()));
  return out;
}

double number_for_fill(const Json& value) {
  if (value.is_null()) return 0;
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number()) return value.get<double>();
  const std::string text = text_of(value);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw broken_zarr("its fill_value is not a number");
}

/// The number as it is stored; whole numbers of 64 bits are exact.
template <class T>
T fill_as(const Json& value) {
  const double number = number_for_fill(value);
  if constexpr (std::is_integral_v<T>) {
    if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>()))
      return static_cast<T>(value.get<std::uint64_t>());
    if (value.is_number_integer() && !value.is_number_unsigned() &&
        std::in_range<T>(value.get<std::int64_t>()))
      return static_cast<T>(value.get<std::int64_t>());
    if (number != 0 && number != 1)
      throw broken_zarr("its fill_value is not a number of the array's type");
    return static_cast<T>(number);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else {
    if (number != 0)
      throw unsupported_zarr(
          "has 16-bit numbers with a fill_value other than 0; save it as 32-bit");
    return {};
  }
}

std::vector<std::byte> fill_bytes(const ZarrArray& array, const Json& value) {
  ImageHeader header;
  header.type = array.type;
  return visit_stored(header, [&]<class T, bool>() {
    const T number = fill_as<T>(value);
    std::vector<std::byte> out(sizeof number);
    std::memcpy(out.data(), &number, sizeof number);
    if (array.byte_swapped) std::ranges::reverse(out);
    return out;
  });
}

double unit_of_axis(const Json& axis) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units = {{{"micrometer", 1e-3},
                                                                         {"millimeter", 1},
                                                                         {"nanometer", 1e-6},
                                                                         {"centimeter", 10},
                                                                         {"meter", 1000},
                                                                         {"inch", 25.4}}};
  const std::string unit = text_of(member(axis, "unit"));
  for (const auto& [name, mm] : units)
    if (name == unit) return mm;
  return 0;
}

/// Both lists of transformations apply: that of the level, and that of all levels.
std::vector<double> scale_in(const Json& transformations) {
  std::vector<double> out;
  for (const Json& each : elements(transformations))
    if (text_of(member(each, "type")) == "scale")
      for (const Json& factor : elements(member(each, "scale")))
        out.push_back(factor.is_number() ? factor.get<double>() : 0);
  return out;
}

std::vector<double> product(std::vector<double> a, const std::vector<double>& b) {
  if (a.size() != b.size()) return a.empty() ? b : a;
  std::ranges::transform(a, b, a.begin(), std::multiplies());
  return a;
}

}  // namespace

std::size_t ZarrArray::chunk_size() const {
  std::size_t size = bytes_per_voxel(type);
  for (const std::size_t extent : chunks)
    if (__builtin_mul_overflow(size, extent, &size) || size > most_chunk_bytes)
      throw unsupported_zarr(
          fmt::format("has chunks of {} voxels, more than 1 GB; save it with smaller chunks",
                      fmt::join(chunks, "x")));
  return size;
}

ZarrArray parse_zarr_array(std::string_view text) {
  const Json json = parse_json(text, ".zarray");
  const Json& version = member(json, "zarr_format");
  if (version != 2)
    throw unsupported_zarr("is not of version 2 of Zarr; save it with zarr_format=2");
  ZarrArray array = {.shape = extents_in(member(json, "shape"), "shape"),
                     .chunks = extents_in(member(json, "chunks"), "chunks")};
  if (array.shape.size() != array.chunks.size())
    throw broken_zarr("shape and chunks have different numbers of axes");
  set_type(array, text_of(member(json, "dtype")));
  array.packing = packing_of(member(json, "compressor"));
  if (!member(json, "filters").is_null() && !elements(member(json, "filters")).empty())
    throw unsupported_zarr("uses filters, which assay does not read; save it without filters");
  const std::string order = text_of(member(json, "order"));
  if (order != "C" && order != "F") throw broken_zarr("its order is neither C nor F");
  array.first_axis_fastest = order == "F";
  const std::string separator = text_of(member(json, "dimension_separator"));
  if (!separator.empty() && separator != "." && separator != "/")
    throw broken_zarr("its dimension_separator is neither . nor /");
  if (!separator.empty()) array.separator = separator[0];
  array.fill = fill_bytes(array, member(json, "fill_value"));
  array.chunk_size();
  return array;
}

std::optional<ZarrMultiscale> parse_multiscale(std::string_view text) {
  const Json json = parse_json(text, ".zattrs");
  const std::vector<Json>& all = elements(member(json, "multiscales"));
  if (all.empty()) return std::nullopt;
  const Json& image = all.front();
  ZarrMultiscale out;
  for (const Json& axis : elements(member(image, "axes")))
    out.axes.push_back(axis.is_string()
                           ? ZarrAxis{text_of(axis)}
                           : ZarrAxis{text_of(member(axis, "name")), unit_of_axis(axis)});
  const std::vector<double> common = scale_in(member(image, "coordinateTransformations"));
  for (const Json& level : elements(member(image, "datasets")))
    out.levels.push_back({text_of(member(level, "path")),
                          product(scale_in(member(level, "coordinateTransformations")), common)});
  if (out.levels.empty())
    throw Error(Error::Kind::input, "its .zattrs lists multiscales without any dataset");
  return out;
}

void decode_chunk(ChunkPacking packing, std::span<const std::byte> chunk,
                  std::span<std::byte> into) {
  switch (packing) {
    case ChunkPacking::none:
      if (chunk.size() != into.size())
        throw Error(Error::Kind::input,
                    fmt::format("a chunk has {} bytes, not {}; copy the folder again", chunk.size(),
                                into.size()));
      std::ranges::copy(chunk, into.begin());
      return;
    case ChunkPacking::zlib: return inflate_zlib(chunk, into);
    case ChunkPacking::gzip: return inflate_gzip(chunk, into);
    case ChunkPacking::zstd: return inflate_zstd(chunk, into);
    case ChunkPacking::blosc: return inflate_blosc(chunk, into);
  }
}

}  // namespace assay
