// SPDX-License-Identifier: Apache-2.0
#include "assay/base/csv.hpp"

#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace csv_test {

using namespace assay;

using Row = std::vector<std::string>;

std::string message(std::string_view text) {
  return test::refusal([&] { parse_csv(text, "t.csv"); });
}

TEST(Csv, reads_quotes_breaks_and_both_line_ends) {
  const Csv t = parse_csv("\xEF\xBB\xBFid,note\r\n1,\"a, \"\"b\"\"\nc\"\r\n2,\n\n", "t.csv");
  EXPECT_EQ(t.header, (Row{"id", "note"}));
  EXPECT_EQ(t.rows, (std::vector<Row>{{"1", "a, \"b\"\nc"}, {"2", ""}}));
  EXPECT_EQ(t.column("note"), 1U);
  EXPECT_EQ(t.column("absent"), std::nullopt);
}

TEST(Csv, reads_tabs_when_the_header_has_them) {
  EXPECT_EQ(parse_csv("id\tx\n1\t2,5\n", "t.tsv").rows, (std::vector<Row>{{"1", "2,5"}}));
}

TEST(Csv, a_semicolon_separates_when_the_header_has_nothing_else) {
  EXPECT_EQ(parse_csv("id;x\n1;2,5\n", "t.csv").rows, (std::vector<Row>{{"1", "2,5"}}));
  EXPECT_EQ(parse_csv("id,x;y\n1,2\n", "t.csv").header, (Row{"id", "x;y"}));
}

TEST(Csv, knows_on_which_line_each_row_starts) {
  EXPECT_EQ(parse_csv("a\n\n\"x\ny\"\nz\n", "t.csv").lines, (std::vector<std::size_t>{3, 5}));
}

TEST(Csv, a_file_without_a_final_line_break_is_whole) {
  EXPECT_EQ(parse_csv("a,b\n1,2", "t.csv").rows, (std::vector<Row>{{"1", "2"}}));
}

TEST(Csv, names_the_line_at_fault) {
  EXPECT_EQ(message("a,b\n1,2\n3\n"), "t.csv: line 3: has 1 fields where the header has 2");
  EXPECT_EQ(message("a\n\"x\n\n"), "t.csv: line 2: a quote is opened and never closed");
  EXPECT_EQ(message(""), "t.csv: line 1: the table is empty; its first line names the columns");
}

TEST(Csv, a_field_is_quoted_only_when_it_must_be) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  const Csv back = parse_csv("x\n" + csv_field("tricky \"q\",\nline") + "\n", "t.csv");
  EXPECT_EQ(back.rows.front().front(), "tricky \"q\",\nline");
}

TEST(Csv, a_spreadsheet_runs_no_text) {
  const std::pair<std::string, std::string> cases[] = {
      {"=1+1", "'=1+1"},
      {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
      {"-2+3", "'-2+3"},
      {"@SUM(A1)", "'@SUM(A1)"},
      {"\t=1", "\"'\t=1\""},
      {"\r=1", "\"'\r=1\""},
      {"=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""},
      {"'=1", "''=1"},
      {"''=1", "'''=1"},
      {"-", "'-"},
      {"+-5", "'+-5"},
      {"-inf", "'-inf"},
      {"-nan(x)", "'-nan(x)"},
  };
  for (const auto& [text, field] : cases) EXPECT_EQ(csv_field(text), field);
}

TEST(Csv, numbers_and_plain_text_get_no_mark) {
  for (const char* text :
       {"-5", "+3", "-1.5e-7", "-.5", "-1e999", "a=b", "'quoted'", "'-5", "'", ""})
    EXPECT_EQ(csv_field(text), text);
}

TEST(Csv, every_text_reads_back) {
  const std::string letters = "'=+-@\t\r15.ea,\"";
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts.size() < 60'000; ++i)  // shortest first
    for (const char letter : letters) texts.push_back(texts[i] + letter);
  for (const std::string& text : texts) {
    const Csv back = parse_csv("x,y\n" + csv_field(text) + ",1\n", "t.csv");
    ASSERT_EQ(csv_text(back.rows.front().front()), text) << csv_field(text);
  }
}

}  // namespace csv_test
