// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "assay/base/data_for_test.hpp"
#include "assay/base/test_files.hpp"
#include "assay/qa.hpp"

namespace assay::qa::qa_table_test {

using test::refusal;
using ::testing::HasSubstr;

const std::string header =
    "benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,prompt\n";

ItemTable rows(const std::string& lines) {
  return parse_items(header + lines, "t.csv");
}

TEST(QaTable, rows) {
  const ItemTable table = rows(
      "gtex,1,a.tiff,Breast,\"['Lung', 'Breast']\",True ,,\"Which?\n{options}\"\n"
      "gtex,2,b.tiff,1,Lung|Breast,,,\n"
      "gtex,3,c.tiff,1,Lung|Breast,1,,\n"
      "gtex,4,d.tiff,nonsense,,False,,\n"
      "mine,,e.svs,7,,TRUE,balanced_accuracy,\n");
  ASSERT_EQ(table.items.size(), 3U);
  EXPECT_EQ(table.rows, 5U);
  EXPECT_EQ(table.invalid, 2U);
  EXPECT_EQ(table.items[0].truth, 2);
  EXPECT_EQ(table.items[0].prompt, "Which?\n1. Lung\n2. Breast");
  EXPECT_EQ(table.items[1].prompt, "");
  EXPECT_EQ(table.items[2].id, "e.svs");
  ASSERT_EQ(table.benchmarks.size(), 2U);
  EXPECT_EQ(table.benchmarks[1].metric, stats::ClassificationMetric::balanced_accuracy);
  EXPECT_TRUE(table.warnings.empty());
  EXPECT_EQ(rows("\n").items.size(), 0U);
}

TEST(QaTable, faults_name_the_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"gtex,1,a,1,A|B,,,\ngtex,1,b,1,A|B,,,\n",
       "t.csv: line 3: item '1' of gtex is also in line 2"},
      {"gtex,1,a,1,{},,,\n", "t.csv: line 2: options are a dict"},
      {"panda,1,a,6,,,,\n", "t.csv: line 2: Invalid truth label: '6' is out of range"},
      {"panda,1,a,,,,,\n", "Empty truth label"},
      {",1,a,1,,,,\n", "t.csv: line 2: benchmark_name is empty"},
      {"x,,,1,,,,\n", "t.csv: line 2: has neither benchmark_id, id nor image_path"},
      {"x,1,a,1,,,kappa,\n", "t.csv: line 2: unknown metric_type 'kappa'"},
  };
  for (const auto& [lines, message] : cases)
    EXPECT_THAT(refusal([&, table = lines] { rows(table); }), HasSubstr(message));
  EXPECT_THAT(refusal([] { parse_items("benchmark_name,image_path\nx,a\n", "t.csv"); }),
              HasSubstr("t.csv: has no column 'answer'"));
  EXPECT_THAT(refusal([] { parse_items("{\"x\": 1}", "t.json"); }), HasSubstr("t.json: is JSON"));
  EXPECT_THAT(refusal([] { parse_items("[{\"image_path\": 1}]", "t.json"); }),
              HasSubstr("line 1: has no column 'benchmark_name', 'answer'"));
}

TEST(QaTable, numeric_options_are_warned_of) {
  const ItemTable table = rows("tcga_slidebench,2270,a,3,\"['2', '3', '4', '5']\",,,\n");
  EXPECT_EQ(table.items[0].truth, 3);
  ASSERT_EQ(table.warnings.size(), 1U);
  EXPECT_THAT(table.warnings[0], HasSubstr("2270"));
}

TEST(QaTable, json_exports) {
  const std::string one = R"({"benchmark_name": "x", "id": 7, "image_path": "a", "answer": "B",
      "options": ["A", "B"], "is_valid": true})";
  const std::string line = R"({"benchmark_name":"x","image_path":"b","answer":1,"options":null})";
  for (const std::string& text : {"[" + one + "]", "{\"items\": [" + one + "]}",
                                  "{\"data\": [" + one + "]}", "\xEF\xBB\xBF [" + one + "]", one}) {
    const ItemTable table = parse_items(text, "t.json");
    ASSERT_EQ(table.items.size(), 1U) << text;
    EXPECT_EQ(table.items[0].id, "7");
    EXPECT_EQ(table.items[0].truth, 2);
  }
  EXPECT_EQ(
      parse_items(line + "\n\n" + "{\"benchmark_name\":\"x\",\"image_path\":\"c\",\"answer\":2}\n",
                  "t.jsonl")
          .items.size(),
      2U);
}

TEST(QaTable, the_published_table) {
  const auto [path, absence] = test::real_data("multipathqa/MultiPathQA.csv");
  if (!absence.empty()) GTEST_SKIP() << absence;
  const ItemTable table = read_items(path);
  EXPECT_EQ(table.rows, 934U);
  EXPECT_EQ(table.items.size(), 934U);
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::set<std::string>> slides;
  std::map<std::int64_t, std::size_t> grades;
  for (const Item& item : table.items) {
    ++counts[item.benchmark];
    slides[item.benchmark].insert(item.image_path);
    if (item.benchmark == "panda") ++grades[item.truth];
    EXPECT_EQ(item.prompt.find("{options}"), std::string::npos);
    EXPECT_EQ(item.prompt.find("{{"), std::string::npos);
    for (const std::string& option : item.options)
      EXPECT_NE(item.prompt.find(option), std::string::npos) << item.id;
  }
  for (const Task& task : tasks()) EXPECT_EQ(counts[std::string(task.name)], task.questions);
  EXPECT_EQ(slides["tcga_expert_vqa"].size(), 76U);
  EXPECT_EQ(grades, (std::map<std::int64_t, std::size_t>{
                        {0, 54}, {1, 49}, {2, 25}, {3, 23}, {4, 23}, {5, 23}}));
  EXPECT_EQ(table.warnings.size(), 1U);
}

}  // namespace assay::qa::qa_table_test
