// SPDX-License-Identifier: Apache-2.0
#include "assay/image/label_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/header_text.hpp"

namespace assay {
namespace {

using Rows = std::vector<LabelRow>;

template <class Number>
std::optional<Number> whole(std::string_view text, int base = 10) {
  text = trimmed(text);
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse_line(std::size_t line, const std::string& what) {
  throw Error(Error::Kind::input, fmt::format("line {} {}", line, what));
}

/// Three numbers from 0 to 255.
std::optional<Color> color_of(std::span<const std::string_view> words) {
  Color out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto part = whole<std::uint8_t>(words[i]);
    if (!part) return std::nullopt;
    out[i] = *part;
  }
  return out;
}

// ---- A table with a header.

/// The columns that have one of the names, whatever their case.
std::optional<std::size_t> column_among(const Csv& table, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if (ascii_lowered(trimmed(table.header[c])) == name) return c;
  return std::nullopt;
}

constexpr std::array<std::string_view, 5> value_columns = {"value", "index", "label", "id",
                                                           "labelvalue"};
constexpr std::array<std::string_view, 4> name_columns = {"name", "label_name", "structure",
                                                          "abbreviation"};
constexpr std::array<std::string_view, 3> color_columns = {"color", "colour", "hex"};
constexpr std::array<std::array<std::string_view, 3>, 3> part_columns = {
    {{"r", "red", "color_r"}, {"g", "green", "color_g"}, {"b", "blue", "color_b"}}};

/// Which column holds what.
struct Columns {
  std::size_t value = 0;
  std::optional<std::size_t> name{}, color{};
  std::array<std::optional<std::size_t>, 3> parts{};

  bool has_parts() const { return parts[0] && parts[1] && parts[2]; }
};

Columns columns_of(const Csv& table) {
  const auto value = column_among(table, value_columns);
  if (!value)
    throw Error(Error::Kind::input,
                "has no column of label values; name it 'value', next to 'name' and 'r', 'g', 'b'");
  Columns out = {.value = *value,
                 .name = column_among(table, name_columns),
                 .color = column_among(table, color_columns)};
  for (std::size_t i = 0; i < 3; ++i) out.parts[i] = column_among(table, part_columns[i]);
  return out;
}

bool is_given(const std::string& field) {
  return !trimmed(field).empty() && field != "n/a";
}

std::optional<Color> color_in(const std::vector<std::string>& row, const Columns& columns,
                              std::size_t line) {
  std::optional<Color> out;
  if (columns.has_parts() && is_given(row[*columns.parts[0]])) {
    std::array<std::string_view, 3> words;
    for (std::size_t i = 0; i < 3; ++i) words[i] = row[*columns.parts[i]];
    out = color_of(words);
    if (!out) refuse_line(line, "has a colour that is not three whole numbers from 0 to 255");
  } else if (columns.color && is_given(row[*columns.color])) {
    out = color_of_hex(row[*columns.color]);
    if (!out) refuse_line(line, "has a colour that is not written as #RRGGBB");
  }
  return out;
}

Rows rows_of_table(std::string_view text, std::string_view name) {
  const Csv table = parse_csv(text, name);
  const Columns columns = columns_of(table);
  Rows out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& row = table.rows[i];
    const auto value = whole<Label>(row[columns.value]);
    if (!value)
      refuse_line(table.lines[i], "has the label '" + excerpt(row[columns.value]) +
                                      "', which is not a whole number");
    std::string words = columns.name ? std::string(trimmed(csv_text(row[*columns.name]))) : "";
    out.push_back({*value, std::move(words), color_in(row, columns, table.lines[i])});
  }
  return out;
}

// ---- Lines of words: FreeSurfer, 3D Slicer, ITK-SNAP.

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(white_space), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return out;
}

/// `1 Left-Cerebellum 70 130 180 0`: index, name, red, green, blue, alpha.
LabelRow lut_row(std::string_view text, std::size_t line) {
  const auto words = words_of(text);
  const auto value = words.size() >= 5 ? whole<Label>(words[0]) : std::nullopt;
  const auto color = value ? color_of(std::span(words).subspan(2, 3)) : std::nullopt;
  if (!color) refuse_line(line, "is not 'index name red green blue alpha'");
  return {*value, std::string(words[1]), color};
}

/// `1 255 0 0 1 1 1 "lesion"`: index, red, green, blue, alpha, two switches, name.
LabelRow snap_row(std::string_view text, std::size_t line) {
  const std::size_t open = text.find('"'), close = text.rfind('"');
  const auto words = words_of(text.substr(0, open));
  const auto value = close > open && words.size() >= 4 ? whole<Label>(words[0]) : std::nullopt;
  const auto color = value ? color_of(std::span(words).subspan(1, 3)) : std::nullopt;
  if (!color) refuse_line(line, "is not 'index red green blue alpha visible mesh \"name\"'");
  return {*value, std::string(text.substr(open + 1, close - open - 1)), color};
}

bool is_comment(std::string_view line) {
  return line.empty() || line.front() == '#';
}

Rows rows_of_lines(std::string_view text) {
  Rows out;
  std::size_t number = 0;
  for (const std::string_view raw : parts_of(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(raw);
    if (is_comment(line)) continue;
    const bool is_snap = line.find('"') != std::string_view::npos;
    out.push_back(is_snap ? snap_row(line, number) : lut_row(line, number));
  }
  return out;
}

/// Whether the first line that is not a comment starts with a number, as no header does.
bool has_lines_of_words(std::string_view text) {
  for (const std::string_view raw : parts_of(text, '\n')) {
    const std::string_view line = trimmed(raw);
    if (!is_comment(line)) return line.front() >= '0' && line.front() <= '9';
  }
  return false;
}

void refuse_repeated_labels(const Rows& rows) {
  std::set<Label> seen;
  for (const LabelRow& row : rows)
    if (!seen.insert(row.label).second)
      throw Error(Error::Kind::input, fmt::format("names label {} twice", row.label));
}

// ---- Segments of 3D Slicer.

/// "0.5 1 0": parts from 0 to 1.
std::optional<Color> color_of_parts(std::string_view text) {
  const auto parts = numbers<double>(text);
  if (!parts || parts->size() != 3) return std::nullopt;
  Color out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = static_cast<std::uint8_t>(std::lround(std::clamp((*parts)[i], 0.0, 1.0) * 255));
  return out;
}

struct SegmentField {
  std::string_view name;
  void (*read)(Segment& to, std::string_view value);
};

constexpr std::array segment_fields = {
    SegmentField{"Name", [](Segment& to, std::string_view text) { to.row.name = text; }},
    SegmentField{
        "LabelValue",
        [](Segment& to, std::string_view text) { to.row.label = whole<Label>(text).value_or(0); }},
    SegmentField{"Layer",
                 [](Segment& to, std::string_view text) {
                   to.layer = whole<std::size_t>(text).value_or(0);
                 }},
    SegmentField{"Color",
                 [](Segment& to, std::string_view text) { to.row.color = color_of_parts(text); }},
};

/// "Segment3_Name:=Tumor" into segment 3.
void read_segment_line(std::map<std::size_t, Segment>& to, std::string_view line) {
  constexpr std::string_view start = "Segment";
  const std::size_t equals = line.find(":="), bar = line.find('_');
  if (!line.starts_with(start) || equals == std::string_view::npos || bar > equals) return;
  const auto number = whole<std::size_t>(line.substr(start.size(), bar - start.size()));
  const std::string_view name = line.substr(bar + 1, equals - bar - 1);
  const auto* const field = std::ranges::find(segment_fields, name, &SegmentField::name);
  if (number && field != segment_fields.end()) field->read(to[*number], line.substr(equals + 2));
}

}  // namespace

std::string hex_text(const Color& color) {
  return fmt::format("#{:02X}{:02X}{:02X}", color[0], color[1], color[2]);
}

std::optional<Color> color_of_hex(std::string_view text) {
  text = trimmed(text);
  const auto bits = text.size() == 7 && text.front() == '#'
                        ? whole<std::uint32_t>(text.substr(1), 16)
                        : std::nullopt;
  if (!bits) return std::nullopt;
  return Color{static_cast<std::uint8_t>(*bits >> 16), static_cast<std::uint8_t>(*bits >> 8),
               static_cast<std::uint8_t>(*bits)};
}

std::vector<Segment> segments_in(std::string_view header) {
  std::map<std::size_t, Segment> found;
  while (const auto line = next_line(header)) {
    if (trimmed(*line).empty()) break;
    read_segment_line(found, trimmed(*line));
  }
  std::vector<Segment> out;
  for (auto& [number, segment] : found)
    if (segment.row.label != 0) out.push_back(std::move(segment));
  return out;
}

std::vector<Segment> read_segments(const std::filesystem::path& path) try {
  constexpr std::size_t first_bytes = std::size_t{1} << 20;
  if (!path.string().ends_with(".seg.nrrd")) return {};
  const Buffer head = InputFile(path).read_start(first_bytes);
  return segments_in(text_of(head.bytes()));
} catch (const Error&) {  // scoring its case will say what is wrong
  return {};
}

std::vector<LabelRow> parse_label_table(std::string_view text, std::string_view name) try {
  text = without_mark(text);
  Rows rows = has_lines_of_words(text) ? rows_of_lines(text) : rows_of_table(text, name);
  if (rows.empty()) throw Error(Error::Kind::input, "names no label");
  refuse_repeated_labels(rows);
  return rows;
} catch (const Error& e) {
  throw e.about(name);
}

std::vector<LabelRow> read_color_table(const std::filesystem::path& path) {
  Rows rows = parse_label_table(read_text(path), path.string());
  std::set<Color> seen;
  for (const LabelRow& row : rows) {
    if (!row.color)
      throw Error(Error::Kind::input, path,
                  fmt::format("label {} has no colour; add the columns r, g and b", row.label));
    if (row.label < 0 || row.label > std::numeric_limits<std::int32_t>::max())
      throw Error(Error::Kind::input, path,
                  fmt::format("label {} is out of range; use 0 to 2147483647", row.label));
    if (!seen.insert(*row.color).second)
      throw Error(Error::Kind::input, path,
                  fmt::format("label {} has the colour of another label", row.label));
  }
  return rows;
}

}  // namespace assay
