// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figure_files.hpp"

#include <cstdlib>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/drawing_converter.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> write_svgs(const PageContent& content, const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto* figures : {&content.figures, &content.qa_figures})
    for (const Figure& figure : *figures) {
      out.push_back(folder / (figure.key + ".svg"));
      write_atomically(out.back(), standalone(figure));
    }
  return out;
}

/// Why a figure could not be converted; "" when it could.
std::string conversion_problem(const DrawingConverter& converter, const fs::path& svg) {
  try {
    for (const PictureFormat format : {PictureFormat::pdf, PictureFormat::png}) {
      fs::path out = svg;
      out.replace_extension(name(format));
      convert_drawing(converter, {svg, out}, format);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::string write_figures(const PageContent& content, const fs::path& folder) {
  make_folder(folder);
  const std::vector<fs::path> svgs = write_svgs(content, folder);
  std::string said = counted(svgs.size(), "figure") + " in " + folder.string();
  const char* path = std::getenv("PATH");
  const auto converter = find_converter(path == nullptr ? "" : path);
  if (!converter)
    return said + " as SVG only: no rsvg-convert, inkscape or chromium is on the PATH";
  said += " as SVG, and as PDF and PNG by " + converter->name;
  for (const fs::path& svg : svgs)
    if (const std::string problem = conversion_problem(*converter, svg); !problem.empty())
      said += "; " + problem;
  return said;
}

}  // namespace assay::report
