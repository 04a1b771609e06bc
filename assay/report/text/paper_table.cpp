// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/paper_table.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

constexpr std::array markdown_replacements = {
    Replacement{"\\", "\\\\"}, Replacement{"|", "\\|"},  Replacement{"*", "\\*"},
    Replacement{"_", "\\_"},   Replacement{"<", "&lt;"}, Replacement{"`", "\\`"},
    Replacement{"\n", " "},    Replacement{"\r", " "},
};

constexpr std::array latex_replacements = {
    Replacement{"\\", "\\textbackslash{}"},
    Replacement{"&", "\\&"},
    Replacement{"%", "\\%"},
    Replacement{"$", "\\$"},
    Replacement{"#", "\\#"},
    Replacement{"_", "\\_"},
    Replacement{"{", "\\{"},
    Replacement{"}", "\\}"},
    Replacement{"~", "\\textasciitilde{}"},
    Replacement{"^", "\\textasciicircum{}"},
    Replacement{"<", "\\textless{}"},
    Replacement{">", "\\textgreater{}"},
    Replacement{"|", "$|$"},
    Replacement{"↑", "$\\uparrow$"},
    Replacement{"↓", "$\\downarrow$"},
    Replacement{"▲", "$^{\\blacktriangle}$"},
    Replacement{"▼", "$^{\\blacktriangledown}$"},
    Replacement{"◆", "$^{\\blacklozenge}$"},
    Replacement{"±", "$\\pm$"},
    Replacement{"−", "$-$"},
    Replacement{"·", "$\\cdot$"},
    Replacement{"≤", "$\\leq$"},
    Replacement{"≥", "$\\geq$"},
    Replacement{"--", "-{}-"},  // part of an option's name, not a dash
    Replacement{"–", "--"},
    Replacement{"\n", " "},
    Replacement{"\r", " "},
};

/// Trailing blanks are dropped: they only align stars on a terminal.
std::string replaced(std::string_view text, std::span<const Replacement> replacements) {
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  std::string out;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(
        replacements, [&](const Replacement& each) { return text.starts_with(each.first); });
    const bool plain = found == replacements.end();
    out += plain ? text.substr(0, 1) : found->second;
    text.remove_prefix(plain ? 1 : found->first.size());
  }
  return out;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells)
    line.append(" ").append(markdown_escaped(cell)).append(" |");
  return line + "\n";
}

std::string latex_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells)
    line.append(&cell == &cells.front() ? "" : " & ").append(latex_escaped(cell));
  return line + " \\\\\n";
}

/// One line, or the titles of groups above those of their columns, with a rule under each group.
std::string latex_header(const PaperTable& table) {
  if (table.groups.empty()) return latex_line(table.header);
  std::string titles, rules;
  std::vector<std::string> columns;
  for (const ColumnGroup& group : table.groups) {
    const std::string first = std::to_string(columns.size() + 1);
    columns.insert(columns.end(), group.columns.begin(), group.columns.end());
    titles.append(titles.empty() ? "" : " & ")
        .append("\\multicolumn{" + std::to_string(group.columns.size()) + "}{c}{")
        .append(latex_escaped(group.title) + "}");
    if (!group.title.empty())
      rules.append("\\cmidrule(lr){" + first + "-" + std::to_string(columns.size()) + "}");
  }
  return titles + " \\\\\n" + rules + "\n" + latex_line(columns);
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
  return replaced(text, markdown_replacements);
}

std::string latex_escaped(std::string_view text) {
  return replaced(text, latex_replacements);
}

std::string terminal_table(const PaperTable& table) {
  std::vector<Column> columns;
  for (const std::string& title : table.header)
    columns.push_back({title, columns.empty() ? Align::left : Align::right});
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(printable(cell));
  }
  std::string out = text_table(columns, rows);
  for (const std::string& note : table.footnotes) out.append(printable(note)).append("\n");
  return out;
}

std::string markdown_table(const PaperTable& table) {
  std::string out = markdown_line(table.header) + "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) out += c == 0 ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : table.rows) out += markdown_line(row);
  for (const std::string& note : table.footnotes)
    out.append("\n").append(markdown_escaped(note)).append("\n");
  return out;
}

std::string latex_table(const PaperTable& table) {
  // A table that is too wide shrinks to the line; one that fits keeps its size.
  std::string out =
      "% needs \\usepackage{booktabs,amssymb,graphicx}\n"
      "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
      "\\begin{tabular}{l" +
      std::string(table.header.size() - 1, 'r') + "}\n\\toprule\n" + latex_header(table) +
      "\\midrule\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    out.append(table.rule_before == r ? "\\midrule\n" : "").append(latex_line(table.rows[r]));
  out += "\\bottomrule\n\\end{tabular}}\n";
  if (table.footnotes.empty()) return out;
  out += "\\par\\smallskip\n\\parbox{\\linewidth}{\\footnotesize\\raggedright\n";
  for (const std::string& note : table.footnotes) out += latex_escaped(note) + "\\par\n";
  return out + "}\n";
}

}  // namespace assay::report
