// SPDX-License-Identifier: Apache-2.0
/// Look-up tables of labels: what each value of a label map is called and which colour it has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// "#00FF00".
std::string hex_text(const Color& color);

/// The inverse; nothing for any other text.
std::optional<Color> color_of_hex(std::string_view text);

/// Reads a table by its content: CSV or TSV with a header (value, name, r, g, b or a colour such as
/// #00FF00), FreeSurfer's look-up table, 3D Slicer's .ctbl, or ITK-SNAP's label descriptions.
/// Throws Error::input that names the line.
std::vector<LabelRow> parse_label_table(std::string_view text, std::string_view name);

/// A segment of 3D Slicer: a label of one layer. Segments that overlap are in different layers.
struct Segment {
  LabelRow row{};
  std::size_t layer = 0;  ///< which volume of the file, from 0
};

/// The segments that the header of a .seg.nrrd file names, in their order; none in any other
/// header.
std::vector<Segment> segments_in(std::string_view header);

/// The same of a file; none unless its name ends with .seg.nrrd, or when it cannot be read.
std::vector<Segment> read_segments(const std::filesystem::path& path);

/// The rows of a table, all with a colour, no two with the same. Throws Error::input.
std::vector<LabelRow> read_color_table(const std::filesystem::path& path);

}  // namespace assay
