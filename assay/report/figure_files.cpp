// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figure_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "assay/base/file.hpp"
#include "assay/base/program.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/page/citations.hpp"
#include "assay/report/page/methods.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

/// The width and height that the drawing says it has, in pixels.
std::pair<double, double> size_of(std::string_view svg) {
  constexpr double pixels_per_mm = 96 / 25.4;
  const auto number_after = [&](std::string_view key) {
    const std::size_t at = svg.find(key);
    if (at == std::string_view::npos) return 1.0;
    const std::string_view text = svg.substr(at + key.size());
    double number = 0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    const bool is_mm = text.substr(static_cast<std::size_t>(end - text.data())).starts_with("mm");
    return std::clamp(is_mm ? number * pixels_per_mm : number, 1.0, 20000.0);
  };
  return {number_after(" width=\""), number_after(" height=\"")};
}

/// The drawing with its width and height stated in millimetres; the aspect ratio is kept.
std::string sized(std::string svg, double width_mm) {
  const auto [width, height] = size_of(svg);
  const auto replace_length = [&](std::string_view key, double length) {
    const std::size_t at = svg.find(key);
    if (at == std::string::npos) return;
    const std::size_t from = at + key.size();
    svg.replace(from, svg.find('"', from) - from, fmt::format("{:.2f}mm", length));
  };
  replace_length(" width=\"", width_mm);
  replace_length(" height=\"", width_mm * height / width);
  return svg;
}

/// All figures, as on the page or laid out for paper.
std::vector<Figure> figures_of(const PageContent& content, const std::optional<PaperSize>& size) {
  std::vector<Figure> out =
      size ? study_figures(content.study, drawing_width(*size)) : content.figures;
  std::ranges::move(size ? qa_figures(content.study.qa, drawing_width(*size)) : content.qa_figures,
                    std::back_inserter(out));
  return out;
}

std::vector<fs::path> write_svgs(std::span<const Figure> figures, const fs::path& folder,
                                 const std::optional<PaperSize>& size) {
  std::vector<fs::path> out;
  for (const Figure& figure : figures) {
    out.push_back(folder / (figure.key + ".svg"));
    write_atomically(out.back(),
                     size ? sized(standalone(figure), size->width_mm) : standalone(figure));
  }
  return out;
}

/// "Figure raincloud-dice. Title. Caption." for each figure.
std::string captions(std::span<const Figure> figures) {
  std::string out;
  for (const Figure& figure : figures)
    out += fmt::format("{}: {}. {}{}{}\n\n", figure.key, figure.title, figure.caption,
                       figure.reading.empty() ? "" : " ", figure.reading);
  return out;
}

/// Writes what a paper needs besides figures, into the same folder.
void write_texts(const PageContent& content, std::span<const Figure> figures,
                 const fs::path& folder) {
  std::string markdown, latex;
  for (const NamedTable& one : tables_to_paste(content.study)) {
    markdown += "## " + one.title + "\n\n" + markdown_table(one.table) + "\n";
    latex += "% " + one.title + "\n" + latex_table(one.table) + "\n";
  }
  const std::pair<std::string_view, std::string> files[] = {
      {"methods.txt", methods_paragraph(content.study, content.version) + "\n"},
      {"captions.txt", captions(figures)},
      {"tables.md", std::move(markdown)},
      {"tables.tex", std::move(latex)},
      {"references.bib", bibtex(works_of(content.study), content.version)}};
  for (const auto& [name, text] : files) write_atomically(folder / name, text);
}

/// Why a figure could not be converted; "" when it could.
std::string conversion_problem(const DrawingConverter& converter, DrawingFiles files) {
  try {
    for (const PictureFormat format : {PictureFormat::pdf, PictureFormat::png}) {
      files.out = files.svg;
      files.out.replace_extension(name(format));
      convert_drawing(converter, files, format);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

double drawing_width(const PaperSize& size) {
  constexpr double points_per_mm = 72 / 25.4, narrowest = 280;
  const double points = size.width_mm * points_per_mm;
  const double width = points * usual_text / size.font_pt;
  if (width >= narrowest) return width;
  throw Error(Error::Kind::usage,
              fmt::format("text of {:g} points is too large for figures that are {:g} mm wide; "
                          "--font-size {:.1f} is the largest",
                          size.font_pt, size.width_mm,
                          std::floor(10 * points * usual_text / narrowest) / 10));
}

std::string write_figures(const PageContent& content, const fs::path& folder,
                          const std::optional<PaperSize>& size) {
  constexpr double usual_pixels = 2, print_pixels = 300.0 / 96;  // 192 and 300 dots per inch
  const std::vector<Figure> figures = figures_of(content, size);
  make_folder(folder);
  write_texts(content, figures, folder);
  const std::vector<fs::path> svgs = write_svgs(figures, folder, size);
  std::string said = counted(svgs.size(), "figure") + " in " + folder.string();
  if (size)
    said += fmt::format(" ({:g} mm wide, text of {:g} points)", size->width_mm, size->font_pt);
  const std::string texts = "; methods, captions, tables and references are with them";
  const char* path = std::getenv("PATH");
  const auto converter = find_converter(path == nullptr ? "" : path);
  if (!converter)
    return said + " as SVG only: no rsvg-convert, inkscape or chromium is on the PATH" + texts;
  said += " as SVG, and as PDF and PNG by " + converter->name;
  for (const fs::path& svg : svgs) {
    const DrawingFiles files = {svg, {}, size ? print_pixels : usual_pixels};
    if (const std::string problem = conversion_problem(*converter, files); !problem.empty())
      said += "; " + problem;
  }
  return said + texts;
}

namespace {

namespace fs = std::filesystem;

constexpr double patience_s = 60;

/// A file that is removed with this object.
class PassingFile {
 public:
  explicit PassingFile(fs::path path) : path_(std::move(path)) {}
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  ~PassingFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

CommandWords rsvg_arguments(const DrawingFiles& files, PictureFormat format) {
  return {fmt::format("--format={}", name(format)),
          fmt::format("--zoom={}", format == PictureFormat::png ? files.pixels : 1),
          "--output=" + files.out.string(), files.svg.string()};
}

CommandWords inkscape_arguments(const DrawingFiles& files, PictureFormat format) {
  return {fmt::format("--export-type={}", name(format)),
          fmt::format("--export-dpi={}", 96 * files.pixels),
          "--export-filename=" + files.out.string(), files.svg.string()};
}

/// An HTML page of the size of the drawing, because a browser prints pages.
std::string page_of(std::string_view svg) {
  const auto [width, height] = size_of(svg);
  const std::size_t start = svg.find("<svg");
  return fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><style>@page{{size:{0}px {1}px;margin:0}}"
      "html,body{{margin:0}}svg{{display:block}}</style>{2}",
      std::lround(width), std::lround(height) + 1,
      svg.substr(start == std::string_view::npos ? 0 : start));
}

CommandWords chromium_arguments(const DrawingFiles& page, PictureFormat format) {
  const auto [width, height] = size_of(read_text(page.svg));
  const std::string out = page.out.string();
  CommandWords words = {"--headless", "--no-sandbox", "--disable-gpu"};
  const CommandWords task =
      format == PictureFormat::pdf
          ? CommandWords{"--print-to-pdf=" + out, "--no-pdf-header-footer"}
          : CommandWords{
                "--screenshot=" + out,
                fmt::format("--window-size={},{}", std::lround(width), std::lround(height)),
                fmt::format("--force-device-scale-factor={}", page.pixels), "--hide-scrollbars"};
  words.insert(words.end(), task.begin(), task.end());
  words.push_back("file://" + fs::absolute(page.svg).string());
  return words;
}

using Arguments = CommandWords (*)(const DrawingFiles&, PictureFormat);

struct ConverterRow {
  std::string_view program, name;
  Arguments arguments;
  bool takes_page = false;  ///< wants HTML around the drawing
};

constexpr std::array converter_rows = {
    ConverterRow{"rsvg-convert", "rsvg-convert", rsvg_arguments},
    ConverterRow{"inkscape", "inkscape", inkscape_arguments},
    ConverterRow{"chromium", "chromium", chromium_arguments, true},
    ConverterRow{"chromium-browser", "chromium", chromium_arguments, true},
    ConverterRow{"google-chrome", "chromium", chromium_arguments, true},
};

void run_to_end(const CommandWords& command, const DrawingConverter& converter,
                const fs::path& svg) {
  const ProgramEnd end = run_program(command, patience_s);
  if (end.succeeded) return;
  const std::string words = end.timed_out ? "it took longer than a minute" : end.errors;
  throw Error(Error::Kind::io, fmt::format("{} could not convert {}: {}", converter.name,
                                           svg.string(), words.empty() ? end.ending : words));
}

}  // namespace

std::string_view name(PictureFormat format) {
  return format == PictureFormat::pdf ? "pdf" : "png";
}

std::optional<DrawingConverter> find_converter(std::string_view search_path) {
  for (const ConverterRow& row : converter_rows)
    if (fs::path program = find_program(row.program, search_path); !program.empty())
      return DrawingConverter{std::string(row.name), std::move(program)};
  return std::nullopt;
}

void convert_drawing(const DrawingConverter& converter, const DrawingFiles& files,
                     PictureFormat format) {
  const auto row = std::ranges::find(converter_rows, converter.name, &ConverterRow::name);
  if (row == converter_rows.end())
    throw Error(Error::Kind::usage, "'" + converter.name + "' is not a known SVG converter");
  require_writable(files.out);
  const fs::path base = files.out.parent_path() / ("." + files.out.filename().string());
  const PassingFile page(base.string() + ".page.html");
  const PassingFile part(base.string() + ".part." + std::string(name(format)));
  if (row->takes_page) write_atomically(page.path(), page_of(read_text(files.svg)));
  const DrawingFiles given = {row->takes_page ? page.path() : files.svg, part.path(), files.pixels};
  CommandWords command = {converter.program.string()};
  for (const std::string& word : row->arguments(given, format)) command.push_back(word);
  run_to_end(command, converter, files.svg);
  std::error_code ignored;
  if (!fs::is_regular_file(part.path(), ignored))
    throw Error(Error::Kind::io, fmt::format("{} wrote no {} for {}", converter.name, name(format),
                                             files.svg.string()));
  rename_durably(part.path(), files.out);
}

}  // namespace assay::report
