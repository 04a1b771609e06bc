// SPDX-License-Identifier: Apache-2.0
/// SVG files as PDF and PNG, by another installed program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace assay::report {

enum class PictureFormat { pdf, png };

std::string_view name(PictureFormat format);

/// A program that can convert.
struct DrawingConverter {
  std::string name;               ///< rsvg-convert, inkscape or chromium
  std::filesystem::path program;  ///< where it was found
};

/// The first of rsvg-convert, inkscape, chromium (chromium-browser, google-chrome) in the folders
/// of `search_path`, which are separated by colons; nothing when none is there.
std::optional<DrawingConverter> find_converter(std::string_view search_path);

struct DrawingFiles {
  std::filesystem::path svg, out;
};

/// Writes `files.out` whole or not at all. Throws Error::io with what the program said; one that
/// takes longer than a minute is ended.
void convert_drawing(const DrawingConverter& converter, const DrawingFiles& files,
                     PictureFormat format);

}  // namespace assay::report
