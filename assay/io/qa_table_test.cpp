// SPDX-License-Identifier: Apache-2.0
#include "assay/io/qa_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

const std::string header =
    "benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,prompt\n";

std::string refusal(const std::string& text) {
  try {
    parse_items(text, "t.csv");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(QaTable, ReadsWhatSpreadsheetsWrite) {
  const ItemTable table = parse_items(
      "\xef\xbb\xbf" + header +
          "tcga,X,a.svs,2,\"['Lung', 'It''s']\",True ,balanced_accuracy,\"Line 1\r\nline 2\"\r\n"
          "gtex,Y,b.tiff,Heart,\"[\"\"Lung\"\", \"\"Heart\"\"]\",,balanced_accuracy,Which?\r\n"
          "panda,Z,c.tiff,0,,TRUE,balanced_accuracy,Grade?\r\n"
          "panda,W,c.tiff,9,,False,balanced_accuracy,broken\r\n",
      "t.csv");
  ASSERT_EQ(table.items.size(), 3U);
  EXPECT_EQ(table.rows, 4U);
  EXPECT_EQ(table.invalid, 1U);
  EXPECT_EQ(table.items[0].truth, 2);
  EXPECT_THAT(table.items[0].prompt, HasSubstr("Line 1\r\nline 2"));
  EXPECT_THAT(table.items[0].prompt, HasSubstr("1. Lung"));
  EXPECT_EQ(table.items[1].truth, 2);
  EXPECT_EQ(table.items[2].truth, 0);
  ASSERT_EQ(table.benchmarks.size(), 3U);
  EXPECT_EQ(table.benchmarks[1].name, "gtex");
}

TEST(QaTable, OtherExportsGiveTheSameItems) {
  const std::string list =
      R"([{"benchmark_name": "x", "id": "1", "image_path": "a.svs", "answer": 2, "options": ["p", "q"], "metric_type": "accuracy"},
          {"benchmark_name": "x", "image_path": "b.svs", "answer": "p", "options": "p|q"}])";
  const std::string lines =
      R"({"benchmark_name": "x", "id": "1", "image_path": "a.svs", "answer": 2, "options": ["p", "q"]})"
      "\n"
      R"({"benchmark_name": "x", "image_path": "b.svs", "answer": "p", "options": "p|q"})"
      "\n";
  for (const std::string& text : {list, "{\"items\": " + list + "}", lines}) {
    const ItemTable table = parse_items(text, "t");
    ASSERT_EQ(table.items.size(), 2U) << text;
    EXPECT_EQ(table.items[0].id, "1");
    EXPECT_EQ(table.items[0].truth, 2);
    EXPECT_EQ(table.items[1].id, "b.svs");
    EXPECT_EQ(table.items[1].truth, 1);
  }
}

TEST(QaTable, FaultsNameTheirLine) {
  EXPECT_THAT(refusal(header + "tcga,X,a.svs,3,\"['a', 'b']\",,,\n"), HasSubstr("t.csv, line 2"));
  EXPECT_THAT(refusal(header + "tcga,X,a.svs,1,a|b,,,\n\"tcga\",X,a.svs,1,a|b,,,\n"),
              HasSubstr("was there already (t.csv, line 2)"));
  EXPECT_THAT(refusal(header + "tcga,X,,1,a|b,,,\n"), HasSubstr("image_path is empty"));
  EXPECT_THAT(refusal(header + "new,X,a,1,a|b,,f1,\n"), HasSubstr("metric_type"));
  EXPECT_THAT(refusal(header + "new,X,a,1,a|b,,accuracy,\nnew,Y,a,1,a|b,,balanced_accuracy,\n"),
              HasSubstr("make them agree"));
  EXPECT_THAT(refusal("benchmark,image_path,answer\n"), HasSubstr("no column 'benchmark_name'"));
  EXPECT_THAT(refusal(header), HasSubstr("no valid question"));
  EXPECT_THAT(refusal(header + "tcga,X,a.svs,1,a|b,False,,\n"), HasSubstr("1 marked invalid"));
  EXPECT_THAT(refusal(""), HasSubstr("t.csv"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("must be an object"));
  EXPECT_THAT(refusal("{\"a\": 1}"), HasSubstr("list"));
}

TEST(QaTable, NumericOptionsAreWarnedOf) {
  const ItemTable table =
      parse_items(header + "tcga_slidebench,2270,a.svs,3,\"['2', '3', '4', '5']\",,,\n", "t.csv");
  ASSERT_EQ(table.warnings.size(), 1U);
  EXPECT_THAT(table.warnings[0], HasSubstr("tcga_slidebench/2270"));
}

TEST(QaTable, PublishedTableIsReadInTime) {
  const std::filesystem::path path = ASSAY_SOURCE_DIR "/../shared/data/multipathqa/MultiPathQA.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "../shared is absent";
  const ItemTable table = read_items(path);
  EXPECT_EQ(table.items.size(), 934U);
  std::map<std::string, std::size_t> counts;
  for (const Item& item : table.items) ++counts[item.benchmark];
  for (const Task& task : tasks()) EXPECT_EQ(counts[std::string(task.name)], task.questions);
  for (const Item& item : table.items) {
    EXPECT_EQ(item.prompt.find("{{"), std::string::npos) << item.id;
    EXPECT_EQ(item.prompt.find("{options}"), std::string::npos) << item.id;
  }
}

}  // namespace
}  // namespace assay
