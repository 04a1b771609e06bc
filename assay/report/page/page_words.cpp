// SPDX-License-Identifier: Apache-2.0
/// Text for authors to use: methods, tables, and what guidelines still ask of them.
#include <fmt/format.h>

#include <array>

#include "assay/report/html.hpp"
#include "assay/report/page/guidelines.hpp"
#include "assay/report/page/methods.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

/// Text to paste: shown as it is, with a button that copies it.
std::string to_paste(std::string_view title, std::string_view text) {
  return fmt::format(
      "<details class=\"paste\"><summary>{}</summary><button type=\"button\" class=\"copy\">Copy"
      "</button>{}</details>\n",
      html_escaped(title), element("pre", text, "tabindex=\"0\""));
}

std::string methods(const PageContent& content) {
  const std::string text = methods_paragraph(content.study, content.version);
  if (text.empty()) return "";
  return "<h3>Methods</h3>\n<div class=\"paste\">" + element("pre", text, "class=\"prose\"") +
         "<button type=\"button\" class=\"copy\">Copy</button></div>\n";
}

std::string tables(const Study& study) {
  std::string out;
  for (const NamedTable& one : tables_to_paste(study))
    out += to_paste(one.title + ", Markdown", markdown_table(one.table)) +
           to_paste(one.title + ", LaTeX", latex_table(one.table));
  return out.empty() ? "" : "<h3>Tables</h3>\n" + out;
}

std::string_view css_of(GuidelineAnswer answer) {
  constexpr std::array<std::string_view, 3> classes = {"good", "soft", "bad"};
  return classes[static_cast<std::size_t>(answer)];
}

std::string checklist(const Study& study) {
  std::string rows;
  for (const GuidelineItem& item : guideline_checklist(study))
    rows += fmt::format(
        "<tr><td class=\"{}\">{}</td><th scope=\"row\">{}</th><td>{}</td><td "
        "class=\"soft\">{}</td></tr>\n",
        css_of(item.answer), html_escaped(name(item.answer)), html_escaped(item.item),
        html_escaped(item.because), html_escaped(item.guideline));
  if (rows.empty()) return "";
  return "<h3>Checklist</h3>\n<div class=\"wide\"><table class=\"check\"><caption "
         "class=\"unseen\">What reporting guidelines ask</caption><thead><tr><th "
         "scope=\"col\">Answered here</th><th scope=\"col\">Asked</th><th scope=\"col\">Where, or "
         "what is left to say</th><th scope=\"col\">Guideline</th></tr></thead><tbody>" +
         rows + "</tbody></table></div>\n";
}

}  // namespace

std::string words_section(const PageContent& content) {
  return "<section id=\"words\">\n<h2>To paste</h2>\n" + methods(content) + tables(content.study) +
         checklist(content.study) + "</section>\n";
}

}  // namespace assay::report
