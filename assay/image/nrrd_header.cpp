// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nrrd_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/header_text.hpp"

namespace assay {
namespace {

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
  bool is_gzip;
};
constexpr std::array encodings = {Encoding{"raw", false}, Encoding{"gzip", true},
                                  Encoding{"gz", true}};

void read_encoding(NrrdHeader& header, const HeaderLine& line) {
  const auto row = std::ranges::find(encodings, ascii_lowered(line.value), &Encoding::name);
  if (row == encodings.end())
    throw Error(Error::Kind::unsupported,
                fmt::format("its voxels are encoded as '{}'; save it as raw or gzip",
                            line.value.substr(0, 80)));
  header.is_gzip = row->is_gzip;
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
  struct Unit {
    std::string_view name;
    double mm;
  };
  constexpr std::array units = {Unit{"\"mm\"", 1}, Unit{"\"um\"", 0.001}, Unit{"\"cm\"", 10},
                                Unit{"\"m\"", 1000}, Unit{"\"\"", 1}};
  const auto given = words(line.value);
  for (const auto word : given) {
    const auto unit = std::ranges::find(units, word, &Unit::name);
    if (unit == units.end() || word != given.front())
      throw broken(line, "one unit of length (\"mm\", \"um\", \"cm\", \"m\") for all axes");
    header.unit_mm = unit->mm;
  }
}

void read_byte_skip(NrrdHeader& header, const HeaderLine& line) {
  header.byte_skip = number<std::int64_t>(line);
  if (header.byte_skip < -1) throw broken(line, "a number of bytes, or -1");
}

void read_line_skip(NrrdHeader&, const HeaderLine& line) {
  if (number<std::int64_t>(line) == 0) return;
  throw Error(Error::Kind::unsupported,
              "its voxels follow lines of text (line skip); save it as one .nrrd file");
}

/// What each field does. Fields that say nothing about voxels or their place are passed over.
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
  const bool one_byte = header.type == VoxelType::u8 || header.type == VoxelType::i8;
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
  if (header.is_gzip && header.byte_skip < 0)
    throw Error(Error::Kind::unsupported,
                "has compressed voxels and 'byte skip: -1'; save it without one of the two");
}

}  // namespace

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

}  // namespace assay
