// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nrrd.hpp"

#include <bzlib.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/gzip.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/header_text.hpp"
#include "assay/image/stored.hpp"
#include "assay/named.hpp"

namespace assay {
namespace {

/// The fields of a header, as written. Complete and consistent: as many entries per axis as there
/// are axes, or none at all.
struct NrrdHeader {
  std::vector<std::int64_t> sizes;
  std::optional<VoxelType> type;
  std::optional<bool> big_endian;
  std::optional<Packing> packing{};
  std::vector<double> spacings;                  ///< NaN for an axis that has none
  std::vector<std::optional<Point>> directions;  ///< nothing for an axis that is not space
  Point origin{};
  std::vector<std::string> kinds;  ///< in lower case
  std::string space;               ///< in lower case; "" when none is named
  double unit_mm = 1;
  std::int64_t byte_skip = 0;  ///< -1: the voxels are the file's last bytes
  std::int64_t line_skip = 0;
  std::string data_file;  ///< "": the voxels follow the header
  std::size_t end = 0;    ///< where they then start

  std::size_t axes = 0;  ///< as the header counts them
};

struct HeaderLine {
  std::string_view field, value;
};

Error broken(const HeaderLine& line, std::string_view expected) {
  return {Error::Kind::input, fmt::format("its header says '{}: {}', which is not {}; repair it",
                                          line.field, line.value.substr(0, 80), expected)};
}

template <class T>
T number(const HeaderLine& line) {
  const auto all = numbers<T>(line.value);
  if (!all || all->size() != 1) throw broken(line, "a number");
  return all->front();
}

/// The words between spaces.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

/// "(1,2,3)" off the front of `text`; a plane's two numbers get a third of 0.
Point vector_of(const HeaderLine& line, std::string_view& text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    throw broken(line, "vectors such as (1,0,0)");
  std::string inside(text.substr(1, close - 1));
  std::ranges::replace(inside, ',', ' ');
  const auto found = numbers<double>(inside);
  if (!found || found->size() < 2 || found->size() > 3)
    throw broken(line, "vectors of three numbers");
  text = trimmed(text.substr(close + 1));
  return {(*found)[0], (*found)[1], found->size() == 3 ? (*found)[2] : 0};
}

void read_axes(NrrdHeader& header, const HeaderLine& line) {
  const auto count = number<std::int64_t>(line);
  if (count < 2 || count > 5)
    throw Error(Error::Kind::unsupported,
                fmt::format("its header counts {} axes; assay reads 2 to 5", count));
  header.axes = static_cast<std::size_t>(count);
}

void read_sizes(NrrdHeader& header, const HeaderLine& line) {
  const auto all = numbers<std::int64_t>(line.value);
  if (!all || all->empty()) throw broken(line, "a list of numbers");
  header.sizes = *all;
}

struct NrrdType {
  VoxelType type;
  std::string_view names;  ///< between bars
};

constexpr std::array nrrd_types = {
    NrrdType{VoxelType::i8, "|signed char|int8|int8_t|"},
    NrrdType{VoxelType::u8, "|uchar|unsigned char|uint8|uint8_t|"},
    NrrdType{VoxelType::i16, "|short|short int|signed short|signed short int|int16|int16_t|"},
    NrrdType{VoxelType::u16, "|ushort|unsigned short|unsigned short int|uint16|uint16_t|"},
    NrrdType{VoxelType::i32, "|int|signed int|int32|int32_t|"},
    NrrdType{VoxelType::u32, "|uint|unsigned int|uint32|uint32_t|"},
    NrrdType{
        VoxelType::i64,
        "|longlong|long long|long long int|signed long long|signed long long int|int64|int64_t|"},
    NrrdType{VoxelType::u64,
             "|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|"},
    NrrdType{VoxelType::f32, "|float|"},
    NrrdType{VoxelType::f64, "|double|"},
};

void read_type(NrrdHeader& header, const HeaderLine& line) {
  const std::string wanted = "|" + ascii_lowered(line.value) + "|";
  const auto row = std::ranges::find_if(nrrd_types, [&](const NrrdType& t) {
    return t.names.find(wanted) != std::string_view::npos;
  });
  if (row == nrrd_types.end())
    throw Error(Error::Kind::unsupported,
                fmt::format("its type '{}' is not a scalar type that assay reads",
                            line.value.substr(0, 80)));
  header.type = row->type;
}

struct Encoding {
  std::string_view name;
  std::optional<Packing> packing;
};
constexpr std::array encodings = {
    Encoding{"raw", std::nullopt},   Encoding{"gzip", Packing::gzip},
    Encoding{"gz", Packing::gzip},   Encoding{"bzip2", Packing::bzip2},
    Encoding{"bz2", Packing::bzip2}, Encoding{"ascii", Packing::text},
    Encoding{"text", Packing::text}, Encoding{"txt", Packing::text},
};

void read_encoding(NrrdHeader& header, const HeaderLine& line) {
  const auto row = std::ranges::find(encodings, ascii_lowered(line.value), &Encoding::name);
  if (row == encodings.end())
    throw Error(Error::Kind::unsupported,
                fmt::format("its voxels are encoded as '{}'; save it as raw, gzip, bzip2 or ascii",
                            line.value.substr(0, 80)));
  header.packing = row->packing;
}

void read_endian(NrrdHeader& header, const HeaderLine& line) {
  const std::string order = ascii_lowered(line.value);
  if (order != "little" && order != "big") throw broken(line, "little or big");
  header.big_endian = order == "big";
}

void read_spacings(NrrdHeader& header, const HeaderLine& line) {
  for (const auto word : words(line.value)) {
    const auto found = numbers<double>(word);  // reads "nan" too
    if (!found || found->size() != 1) throw broken(line, "a list of numbers");
    header.spacings.push_back(std::abs(found->front()));
  }
}

void read_directions(NrrdHeader& header, const HeaderLine& line) {
  for (std::string_view left = line.value; !left.empty();) {
    if (left.starts_with("none")) {
      header.directions.emplace_back();
      left = trimmed(left.substr(4));
    } else {
      header.directions.emplace_back(vector_of(line, left));
    }
  }
}

void read_origin(NrrdHeader& header, const HeaderLine& line) {
  std::string_view left = line.value;
  header.origin = vector_of(line, left);
  if (!left.empty()) throw broken(line, "one vector");
}

void read_kinds(NrrdHeader& header, const HeaderLine& line) {
  for (const auto word : words(line.value)) header.kinds.push_back(ascii_lowered(word));
}

void read_space_axes(NrrdHeader&, const HeaderLine& line) {
  const auto count = number<std::int64_t>(line);
  if (count < 2 || count > 3)
    throw Error(Error::Kind::unsupported,
                fmt::format("its space has {} dimensions; assay takes 2 or 3", count));
}

/// The unit of all axes that have one.
void read_units(NrrdHeader& header, const HeaderLine& line) {
  constexpr Named<double> units[] = {
      {"\"mm\"", 1}, {"\"um\"", 0.001}, {"\"cm\"", 10}, {"\"m\"", 1000}, {"\"\"", 1}};
  const auto given = words(line.value);
  for (const auto word : given) {
    const auto unit = std::ranges::find(units, word, &Named<double>::name);
    if (unit == std::end(units) || word != given.front())
      throw broken(line, "one unit of length (\"mm\", \"um\", \"cm\", \"m\") for all axes");
    header.unit_mm = unit->value;
  }
}

void read_byte_skip(NrrdHeader& header, const HeaderLine& line) {
  header.byte_skip = number<std::int64_t>(line);
  if (header.byte_skip < -1) throw broken(line, "a number of bytes, or -1");
}

void read_line_skip(NrrdHeader& header, const HeaderLine& line) {
  header.line_skip = number<std::int64_t>(line);
  if (header.line_skip < 0) throw broken(line, "a number of lines");
}

/// What each field does. Fields that say nothing about voxels or their position are skipped.
struct Field {
  std::string_view name;
  void (*read)(NrrdHeader& header, const HeaderLine& line);
};

constexpr std::array fields = {
    Field{"dimension", read_axes},
    Field{"sizes", read_sizes},
    Field{"type", read_type},
    Field{"encoding", read_encoding},
    Field{"endian", read_endian},
    Field{"spacings", read_spacings},
    Field{"space", [](NrrdHeader& h, const HeaderLine& l) { h.space = ascii_lowered(l.value); }},
    Field{"space dimension", read_space_axes},
    Field{"space directions", read_directions},
    Field{"space origin", read_origin},
    Field{"space units", read_units},
    Field{"kinds", read_kinds},
    Field{"byte skip", read_byte_skip},
    Field{"byteskip", read_byte_skip},
    Field{"line skip", read_line_skip},
    Field{"lineskip", read_line_skip},
    Field{"data file",
          [](NrrdHeader& h, const HeaderLine& l) { h.data_file = std::string(l.value); }},
    Field{"datafile",
          [](NrrdHeader& h, const HeaderLine& l) { h.data_file = std::string(l.value); }},
};

void read_line(NrrdHeader& header, std::string_view text) {
  const std::size_t colon = text.find(": ");
  const bool is_pair = text.find(":=") < colon;  // a key and a value of the user's own
  if (text.starts_with('#') || is_pair || colon == std::string_view::npos) return;
  const HeaderLine line = {text.substr(0, colon), trimmed(text.substr(colon + 2))};
  const auto field = std::ranges::find(fields, ascii_lowered(line.field), &Field::name);
  if (field != fields.end()) field->read(header, line);
}

void require_per_axis(const NrrdHeader& header, std::size_t count, std::string_view what) {
  if (count == 0 || count == header.axes) return;
  throw Error(Error::Kind::input, fmt::format("its '{}' has {} entries instead of {}; repair it",
                                              what, count, header.axes));
}

void require_complete(const NrrdHeader& header) {
  struct Need {
    std::string_view field;
    bool is_met;
  };
  const bool one_byte = header.type == VoxelType::u8 || header.type == VoxelType::i8 ||
                        header.packing == Packing::text;
  for (const Need& need :
       {Need{"dimension", header.axes != 0}, Need{"sizes", !header.sizes.empty()},
        Need{"type", header.type.has_value()}, Need{"endian", header.big_endian || one_byte}})
    if (!need.is_met)
      throw Error(Error::Kind::input,
                  fmt::format("its header has no '{}: ...'; repair it", need.field));
  require_per_axis(header, header.sizes.size(), "sizes");
  require_per_axis(header, header.spacings.size(), "spacings");
  require_per_axis(header, header.directions.size(), "space directions");
  require_per_axis(header, header.kinds.size(), "kinds");
  if (header.packing && header.byte_skip < 0)
    throw Error(Error::Kind::unsupported,
                "has compressed voxels and 'byte skip: -1'; save it without one of the two");
}

/// Throws Error (input, unsupported) naming the line at fault.
NrrdHeader parse_nrrd_header(std::string_view text) {
  NrrdHeader header;
  const std::size_t size = text.size();
  next_line(text);  // the magic
  bool is_ended = false;
  while (!is_ended) {
    const auto line = next_line(text);
    is_ended = !line || trimmed(*line).empty();
    if (!is_ended) read_line(header, trimmed(*line));
    if (!line && header.data_file.empty())
      throw Error(Error::Kind::input,
                  "its header is cut short: no empty line ends it; copy or download it again");
  }
  header.end = size - text.size();
  require_complete(header);
  return header;
}

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

/// By its direction where any are given, otherwise by its kind. An array of four axes that gives
/// neither has its volumes last, as in NIfTI.
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

/// The fewest bytes that encoded voxels can take. A number of a text has at least one digit, and a
/// block of bzip2 turns 900,000 equal bytes into 40.
std::size_t least_encoded_size(const ImageHeader& header, std::optional<Packing> packing) {
  const auto bits = static_cast<unsigned>(8 * bytes_per_voxel(header.type));
  if (packing == Packing::text) return least_file_size(header, 8, 1);
  if (packing == Packing::bzip2) return least_file_size(header, bits, 1 << 15);
  return least_file_size(header, bits, packing ? 1032 : 1);
}

/// The bytes after the first `lines` lines. Throws Error when there are fewer.
std::span<const std::byte> after_lines(std::span<const std::byte> bytes, std::size_t lines) {
  std::string_view text = text_of(bytes);
  for (std::size_t i = 0; i < lines; ++i)
    if (!next_line(text))
      throw Error(Error::Kind::input, "has fewer lines than its header skips; repair it");
  return bytes.last(text.size());
}

Error other_count() {
  return {Error::Kind::input,
          "has more or fewer numbers than its header states; copy or download it again"};
}

/// Numbers between white space or commas.
template <class T>
void parse_numbers(std::string_view text, std::span<std::byte> into) {
  constexpr std::string_view between = " \t\r\n,";
  for (std::size_t at = 0; at < into.size(); at += sizeof(T)) {
    text.remove_prefix(std::min(text.find_first_not_of(between), text.size()));
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{}) throw other_count();
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    std::memcpy(into.data() + at, &value, sizeof value);
  }
  if (text.find_first_not_of(between) != std::string_view::npos) throw other_count();
}

void parse_text(std::span<const std::byte> bytes, const ImageHeader& header,
                std::span<std::byte> into) {
  visit_stored(header, [&]<class T, bool swapped>() {
    if constexpr (std::is_arithmetic_v<T>) parse_numbers<T>(text_of(bytes), into);
  });
}

/// Fills `into` with what follows the first `skipped` bytes of a bzip2 stream.
void inflate_bzip2(std::span<const std::byte> bytes, std::size_t skipped,
                   std::span<std::byte> into) {
  std::vector<char> whole;
  const bool is_direct = skipped == 0;
  if (!is_direct) whole.resize(skipped + into.size());
  auto* to = is_direct ? reinterpret_cast<char*>(into.data()) : whole.data();
  const std::size_t size = skipped + into.size();
  auto filled = static_cast<unsigned>(size);
  if (size > std::numeric_limits<unsigned>::max() ||
      bytes.size() > std::numeric_limits<unsigned>::max())
    throw Error(Error::Kind::unsupported, "has more than 4 GB in bzip2; save it as gzip");
  const int status = BZ2_bzBuffToBuffDecompress(
      to, &filled, const_cast<char*>(reinterpret_cast<const char*>(bytes.data())),
      static_cast<unsigned>(bytes.size()), 0, 0);
  if (status != BZ_OK || filled != size)
    throw Error(Error::Kind::input,
                "the compressed data are damaged or cut short, or hold another number of voxels; "
                "copy or download the file again");
  if (!is_direct) std::memcpy(into.data(), whole.data() + skipped, into.size());
}

/// Voxels after lines of text, as text or in bzip2.
void decode_nrrd(std::span<const std::byte> file, const Layout& layout, std::span<std::byte> into) {
  const auto bytes =
      after_lines(file.subspan(std::min(layout.offset, file.size())), layout.skipped_lines);
  if (layout.packing == Packing::text) return parse_text(bytes, layout.header, into);
  if (layout.packing == Packing::bzip2) return inflate_bzip2(bytes, layout.skipped, into);
  std::vector<std::byte> whole(layout.packing ? layout.skipped + into.size() : 0);
  if (layout.packing) inflate_gzip(bytes, whole);
  const std::span<const std::byte> from =
      layout.packing ? std::span<const std::byte>(whole) : bytes;
  if (from.size() < layout.skipped || from.size() - layout.skipped < into.size())
    throw Error(Error::Kind::input,
                "is cut short: its header states more bytes than the file has; copy or download it "
                "again");
  std::ranges::copy(from.subspan(layout.skipped, into.size()), into.begin());
}

/// Where the voxels' bytes start, and what they are wrapped in.
void place_voxels(Layout& layout, const NrrdHeader& header, const std::filesystem::path& path) {
  const bool is_attached = header.data_file.empty();
  if (!is_attached) layout.voxel_files = {voxel_file(header.data_file, path)};
  layout.offset = is_attached ? header.end : 0;
  layout.skipped_lines = static_cast<std::size_t>(header.line_skip);
  layout.packing = header.packing;
  if (header.packing) layout.skipped = static_cast<std::size_t>(header.byte_skip);
  const bool is_plain = !header.packing || header.packing == Packing::gzip;
  if (!is_plain || header.line_skip > 0) {
    if (!header.packing) layout.skipped = static_cast<std::size_t>(std::max(header.byte_skip, {}));
    layout.decode = decode_nrrd;
    layout.least_file_size = least_encoded_size(layout.header, header.packing);
  } else if (header.packing) {
    return;
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
      header.packing != Packing::text && bytes_per_voxel(*header.type) > 1 &&
      header.big_endian.value_or(false) != (std::endian::native == std::endian::big);
  place_voxels(layout, header, path);
  return layout;
}

}  // namespace assay
