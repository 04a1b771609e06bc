// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/paper_table.hpp"

#include <gtest/gtest.h>

namespace paper_table_test {

using namespace assay;
using namespace assay::report;

const PaperTable table = {.header = {"model", "dice ↑"},
                          .rows = {{"a_1 & 50%", "0.876 (0.016) "}, {"b|c", "0.8*"}},
                          .rule_before = 1,
                          .footnotes = {"* p ≤ 0.05"}};

TEST(PaperTable, terminal) {
  EXPECT_EQ(terminal_table(table),
            "model              dice ↑\n"
            "a_1 & 50%  0.876 (0.016)\n"
            "b|c                  0.8*\n"
            "* p ≤ 0.05\n");
}

TEST(PaperTable, markdown_escapes_what_would_break_a_row) {
  EXPECT_EQ(markdown_table(table),
            "| model | dice ↑ |\n"
            "|---|---:|\n"
            "| a\\_1 & 50% | 0.876 (0.016) |\n"
            "| b\\|c | 0.8\\* |\n"
            "\n\\* p ≤ 0.05\n");
  EXPECT_EQ(markdown_escaped("<script>"), "&lt;script>");
  EXPECT_EQ(markdown_escaped("two\nlines"), "two lines");
}

TEST(PaperTable, latex_has_two_lines_of_header_where_columns_are_grouped) {
  PaperTable grouped = {.header = {"model", "dice WT", "dice TC"}, .rows = {{"a", "1", "2"}}};
  grouped.groups = {{"", {"model"}}, {"dice", {"WT", "TC"}}};
  EXPECT_NE(latex_table(grouped).find("\\multicolumn{1}{c}{} & \\multicolumn{2}{c}{dice} \\\\\n"
                                      "\\cmidrule(lr){2-3}\n"
                                      "model & WT & TC \\\\\n"),
            std::string::npos);
}

TEST(PaperTable, latex_is_booktabs_and_escaped) {
  EXPECT_EQ(latex_table(table),
            "% needs \\usepackage{booktabs,amssymb,graphicx}\n"
            "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
            "\\begin{tabular}{lr}\n"
            "\\toprule\n"
            "model & dice $\\uparrow$ \\\\\n"
            "\\midrule\n"
            "a\\_1 \\& 50\\% & 0.876 (0.016) \\\\\n"
            "\\midrule\n"
            "b$|$c & 0.8* \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}}\n"
            "\\par\\smallskip\n"
            "\\parbox{\\linewidth}{\\footnotesize\\raggedright\n"
            "* p $\\leq$ 0.05\\par\n"
            "}\n");
  EXPECT_EQ(latex_escaped("\\{x}^~"),
            "\\textbackslash{}\\{x\\}\\textasciicircum{}\\textasciitilde{}");
}

}  // namespace paper_table_test
