// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/results/test_results.hpp"

namespace results_test {

using namespace assay;
using namespace assay::results;
using namespace assay::test;
using testing::HasSubstr;
using testing::StartsWith;

std::string refused_file(const std::filesystem::path& path) {
  return test::refusal([&] { read_results(path); });
}

const std::filesystem::path folder = testing::TempDir();

TEST(ReadResults, the_layout_is_told_by_content_whatever_the_name) {
  const std::string ours = results_text(cohort_of(settings_for("dice"), 1), {});
  const auto path = folder / "reader_test.csv";
  write_atomically(path, ours);
  const auto tables = read_results(path);
  EXPECT_EQ(tables.front().model_name, "net");
  EXPECT_EQ(tables.front().source, path.string());
  EXPECT_EQ(parsed("id,dice\na,1\n", "x.json").averages[0].values, (Values{1.0}));
}

TEST(ReadResults, a_byte_order_mark_is_no_obstacle) {
  EXPECT_EQ(parsed("\xEF\xBB\xBFid,dice\na,1\n", "x.csv").ids, (Texts{"a"}));
  EXPECT_EQ(parsed("\xEF\xBB\xBF{\"model_name\": \"m\", \"dice\": {\"values\": [1]}}").cases, 1U);
}

TEST(ReadResults, what_is_no_results_file_is_refused_with_what_would_be_one) {
  const std::string accepted = "a results file is one of 'assay score --out'";
  const std::pair<std::string, const char*> cases[] = {
      {"", "r.json: is empty; "},
      {" \n ", "r.json: is empty; "},
      {"\xEF\xBB\xBF", "r.json: is empty; "},
      {"{}", "r.json: is JSON, but not a results file; "},
      {R"({"schema": "assay.qa/1", "results": {}})", "r.json: holds 'assay.qa/1', which is not a "},
      {R"({"schema": "assay.comparison/1"})",
       "r.json: holds 'assay.comparison/1', which is not a "},
      {R"({"results": [1]})", "r.json: is JSON, but not a results file; "},
      {R"({"model_name": "m", "dice": 3})", "r.json: is JSON, but not a results file; "},
      {"[1, 2]", "r.json: is a JSON list, not a results file; "},
      {"7", "r.json: has a first line but no rows below it; "},
      {"\"text\"", "r.json: has a first line but no rows below it; "},
      {"\x1F\x8B\x08", "r.json: is compressed; unpack it with gunzip first; "},
      {"PK\x03\x04", "r.json: is a zip archive or a spreadsheet; save the sheet as CSV; "},
      {"\xFF\xFEi", "r.json: is text in UTF-16; save it as UTF-8; "},
      {"<!DOCTYPE html>", "r.json: is HTML or XML, not a results file; "},
      {std::string("\x7F\0\1\2", 4), "r.json: is not text; "},
      {"words\nmore words\n", "r.json: has no column of numbers; "},
  };
  for (const auto& [text, start] : cases) {
    EXPECT_THAT(refusal_of(text), StartsWith(start));
    EXPECT_THAT(refusal_of(text), HasSubstr(accepted));
  }
}

TEST(ReadResults, a_file_that_was_cut_says_where_it_ends) {
  const std::string ours = results_text(cohort_of(settings_for("dice"), 1), {});
  EXPECT_THAT(refusal_of(std::string_view(ours).substr(0, 500)),
              HasSubstr("r.json: not valid JSON at line"));
  EXPECT_EQ(
      refusal_of("{\"schema\": "),
      "r.json: not valid JSON at line 1, column 11; the file may be cut short or not be JSON");
  EXPECT_THAT(refusal_of("{\"a\": 1} {"), HasSubstr("not valid JSON at line 1, column 10"));
  EXPECT_THAT(refusal_of("id,dice,avd\na,1,2\nb,1"),
              HasSubstr("line 3: has 2 fields where the header has 3"));
}

TEST(ReadResults, paths_that_are_no_files) {
  EXPECT_THAT(refused_file(folder), HasSubstr("is a folder, not a results file; a results file"));
  EXPECT_THAT(refused_file(folder / "absent.json"), HasSubstr("absent.json: does not exist"));
}

TEST(ReadResults, what_a_message_quotes_cannot_steer_a_terminal) {
  EXPECT_EQ(refusal_of("id,dice\na,1\n\x1B[31m,1\n\x1B[31m,1\n", "t.csv"),
            "t.csv: line 4: a second row for id '?[31m'; remove one");
  EXPECT_THAT(refusal_of("{\"schema\": \"" + std::string(1000, 'x') + "\"}"),
              HasSubstr("holds '" + std::string(40, 'x') + "...'"));
}

TEST(ReadResults, every_example_of_the_documentation_can_be_read) {
  const std::string page = read_text(ASSAY_SOURCE_DIR "/docs/formats/results.md");
  constexpr std::string_view fence = "```";
  std::size_t at = page.find("## What compare can read"), examples = 0;
  while ((at = page.find(fence, at)) != std::string::npos) {
    const std::size_t start = page.find('\n', at) + 1, end = page.find(fence, start);
    EXPECT_EQ(refusal_of(page.substr(start, end - start)), "");
    at = end + fence.size();
    ++examples;
  }
  EXPECT_EQ(examples, 6U);
}

}  // namespace results_test
