// SPDX-License-Identifier: Apache-2.0
/// The figures of a report as files of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "assay/report/page/page.hpp"

namespace assay::report {

/// Writes every figure as SVG, and as PDF and PNG if a converter is on the PATH. Also writes texts
/// for a paper: methods, captions, tables and references. With a size, figures are laid out for it.
/// Returns a sentence that says what was written and names the figures that could not be converted.
/// Throws Error::io, and Error::usage as `drawing_width` does.
std::string write_figures(const PageContent& content, const std::filesystem::path& folder,
                          const std::optional<PaperSize>& size = std::nullopt);

/// The width of drawings that have this size on paper, in units of 1/12 of the usual text size.
/// Throws Error::usage for text that is too large for the width.
double drawing_width(const PaperSize& size);

// Converting SVG files to PDF and PNG with another installed program.

enum class PictureFormat { pdf, png };

std::string_view name(PictureFormat format);

/// A program that can convert.
struct DrawingConverter {
  std::string name;               ///< rsvg-convert, inkscape or chromium
  std::filesystem::path program;  ///< where it was found
};

/// The first of rsvg-convert, inkscape, chromium (chromium-browser, google-chrome) in the folders
/// of `search_path`, which are separated by colons; nothing if none is found.
std::optional<DrawingConverter> find_converter(std::string_view search_path);

struct DrawingFiles {
  std::filesystem::path svg, out;
  double pixels = 2;  ///< of a PNG, for each CSS pixel of 1/96 inch
};

/// Writes `files.out` whole or not at all. Throws Error::io with what the program said. A program
/// that takes longer than a minute is ended.
void convert_drawing(const DrawingConverter& converter, const DrawingFiles& files,
                     PictureFormat format);

}  // namespace assay::report
