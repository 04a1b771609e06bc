// SPDX-License-Identifier: Apache-2.0
/// The sections of the page below the first screen, and the small pieces that all of them use.
#include <fmt/format.h>

#include "assay/base/base64.hpp"
#include "assay/base/gzip.hpp"
#include "assay/image/png.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_stills = 4;  // models per case; the viewer has them all

std::string block(std::size_t number, std::string_view name,
                  const std::vector<std::uint8_t>& voxels) {
  constexpr int best = 9;
  const std::vector<std::byte> packed = deflate_zlib(std::as_bytes(std::span(voxels)), best);
  const std::string_view bytes(reinterpret_cast<const char*>(packed.data()), packed.size());
  return fmt::format("<script type=\"application/octet-stream\" id=\"volume-{}-{}\">{}</script>\n",
                     number, name, base64(bytes));
}

std::string document(const SourceDocument& source) {
  std::string out = "<details><summary>" + html_escaped(source.file) + " <span class=\"soft\">" +
                    html_escaped(source.kind) + "</span></summary>\n";
  if (!source.settings.empty())
    out += "<h4>Settings</h4>" + element("pre", source.settings, "tabindex=\"0\"");
  if (!source.provenance.empty())
    out += "<h4>Provenance</h4>" + element("pre", source.provenance, "tabindex=\"0\"");
  if (source.settings.empty() && source.provenance.empty())
    out += element("p", "This file does not say how it was made.", "class=\"soft\"");
  return out + "</details>\n";
}

}  // namespace

std::string element(std::string_view tag, std::string_view text, std::string_view attributes) {
  return fmt::format("<{0}{3}{1}>{2}</{0}>\n", tag, attributes, html_escaped(text),
                     attributes.empty() ? "" : " ");
}

std::string html_table(const PaperTable& table, std::string_view caption) {
  std::string out = "<div class=\"wide\"><table>" +
                    element("caption", caption, "class=\"unseen\"") + "<thead><tr>";
  for (std::size_t c = 0; c < table.header.size(); ++c)
    out +=
        element("th", table.header[c], c == 0 ? "scope=\"col\"" : "scope=\"col\" class=\"number\"");
  out += "</tr></thead>\n<tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += c == 0 ? element("th", row[c], "scope=\"row\"")
                    : element("td", row[c], "class=\"number\"");
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  for (const std::string& note : table.footnotes) out += element("p", note, "class=\"soft\"");
  return out;
}

std::string figure_html(const Figure& figure) {
  return fmt::format(
      "<figure id=\"figure-{0}\" class=\"drawing\"><h3>{1}</h3>\n<div class=\"canvas\">{2}</div>\n"
      "<figcaption>{3}</figcaption></figure>\n",
      html_escaped(figure.key), html_escaped(figure.title), figure.svg,
      html_escaped(figure.caption));
}

std::string figures_section(std::string_view id, std::string_view title,
                            std::span<const Figure> figures) {
  if (figures.empty()) return "";
  std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<div class=\"figures\">\n", id,
                                html_escaped(title));
  for (const Figure& figure : figures) out += figure_html(figure);
  return out + "</div></section>\n";
}

std::string volume_blocks(const CaseVolume& volume, std::size_t number) {
  std::string out = block(number, "reference", volume.reference);
  if (!volume.image.empty()) out += block(number, "image", volume.image);
  for (const DrawnMask& mask : volume.predictions)
    out += block(number, std::to_string(mask.model), mask.voxels);
  return out;
}

std::string volume_stills(const CaseVolume& volume, const Study& study) {
  const std::string& id = study.ids[volume.place];
  std::string out =
      "<article class=\"still\">" + element("h3", fmt::format("{} ({})", id, volume.why));
  for (std::size_t p = 0; p < std::min(volume.predictions.size(), most_stills); ++p) {
    const std::string& model = study.models[volume.predictions[p].model].model_name;
    const Picture picture = case_picture(volume, p);
    out += fmt::format(
        "<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">{}"
        "</figure>\n",
        base64(png(picture)), picture.width, picture.height,
        html_escaped(fmt::format("Three planes of {}: {} against the reference", id, model)),
        element("figcaption", model));
  }
  return out + "</article>\n";
}

std::string sources_section(const PageContent& content) {
  std::string out = "<section id=\"sources\">\n<h2>Settings and provenance</h2>\n";
  for (const SourceDocument& source : content.documents) out += document(source);
  return out + "</section>\n";
}

}  // namespace assay::report
