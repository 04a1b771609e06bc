// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/results/result_columns.hpp"
#include "assay/results/test_results.hpp"

namespace results_wide_test {

using namespace assay;
using namespace assay::results;
using namespace assay::test;
using testing::HasSubstr;

Texts names_of(const std::vector<compare::MetricColumn>& columns) {
  Texts out;
  for (const compare::MetricColumn& column : columns) out.push_back(column.name);
  return out;
}

Texts groups_of(const compare::ResultTable& table) {
  Texts out;
  for (const auto& group : table.groups) out.push_back(group.first);
  return out;
}

TEST(ReadWide, metrics_groups_and_the_model_from_the_file_s_name) {
  const compare::ResultTable t = parsed(
      "Case_ID,Dice,HD95,site,ASD,empty\n"
      "a.nii.gz,0.5,inf,A,1e-3,\nb.mha,NaN,-2,,,\nc/d,+1.,N/A,B, .5 ,\n",
      "runs/unet.v2.csv");
  EXPECT_EQ(t.model_name, "unet.v2");
  EXPECT_EQ(t.ids, (Texts{"a", "b", "c/d"}));
  EXPECT_EQ(names_of(t.averages), (Texts{"dice", "hd95", "ASD"}));
  EXPECT_EQ(t.averages[0].values, (Values{0.5, none, 1.0}));
  EXPECT_EQ(t.averages[1].values, (Values{metrics::infinity, -2.0, none}));
  EXPECT_EQ(t.averages[2].values, (Values{0.001, none, 0.5}));
  EXPECT_EQ(groups_of(t), (Texts{"site"}));
  EXPECT_EQ(t.groups[0].second, (Texts{"A", "", "B"}));
  EXPECT_TRUE(t.labels.empty());
}

TEST(ReadWide, the_column_of_ids_goes_by_many_names) {
  for (const char* title : {"id", "ID", "case", "Case ID", "subject", "subject_id", "Patient",
                            "patient_id", "name", "filename", "File", "image", "BraTS21ID",
                            "BraTS_2020_subject_ID", "", "Unnamed: 0", "Label"})
    EXPECT_EQ(parsed(std::string(title) + ",dice\ns1,1\ns2,0\n", "t.csv").ids, (Texts{"s1", "s2"}))
        << title;
}

TEST(ReadWide, without_ids_only_positions_pair) {
  for (const char* text : {"dice,avd\n1,2\n0,3\n", ",dice\n0,1\n1,0\n"}) {
    const compare::ResultTable t = parsed(text, "t.csv");
    EXPECT_TRUE(t.ids.empty());
    EXPECT_EQ(t.cases, 2U);
    EXPECT_EQ(values_of(t.averages, "dice"), (Values{1.0, 0.0}));
  }
}

TEST(ReadWide, labels_and_models_have_rows_of_their_own) {
  const auto tables = parse_results(
      "model,id,label,dice,site\nm,a,1,0.5,X\nm,a,2,1,X\nn,a,1,0,X\nm,b,1,,Y\n", "t.csv");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].ids, (Texts{"a", "b"}));
  EXPECT_EQ(values_of(tables[0].averages, "dice"), (Values{0.75, none}));
  EXPECT_EQ(values_of(compare::columns_of(tables[0], "2"), "dice"), (Values{1.0, none}));
  EXPECT_EQ(tables[0].groups[0].second, (Texts{"X", "Y"}));
  EXPECT_EQ(tables[1].model_name, "n");
  EXPECT_EQ(values_of(tables[1].averages, "dice"), (Values{0.0}));
}

TEST(ReadWide, whole_numbers_can_be_groups_too) {
  const compare::ResultTable t = parsed("id,dice,fold,age\na,1,0,1.5\nb,0,1,2\n", "t.csv");
  EXPECT_EQ(names_of(t.averages), (Texts{"dice", "fold", "age"}));
  EXPECT_EQ(groups_of(t), (Texts{"fold"}));
}

TEST(ReadWide, rows_that_sum_up_are_no_cases) {
  const compare::ResultTable t =
      parsed("Label,Dice\nmean,0.5\nb,1\nMean,0.75\nStdDev,0.1\n25quantile,0.6\n", "t.csv");
  EXPECT_EQ(t.ids, (Texts{"mean", "b"}));  // only at the end
}

TEST(ReadWide, semicolons_separate_where_nothing_else_does) {
  EXPECT_EQ(values_of(parsed("id;dice\na;0.5\n", "t.csv").averages, "dice"), (Values{0.5}));
  EXPECT_EQ(refusal_of("id;dice\na;0,5\n", "t.csv"),
            "t.csv: line 2, column 'dice': '0,5' is not a number; write it with a decimal point");
}

TEST(ReadWide, a_slip_is_an_error_and_not_a_group) {
  EXPECT_EQ(refusal_of("id,x\na,1\nb,2\nc,abc\n", "t.csv"),
            "t.csv: line 4, column 'x': 'abc' is not a number; leave the cell empty where there is "
            "no value");
  EXPECT_THAT(refusal_of("id\tx\na\t0,1\nb\t0,2\n", "t.tsv"), HasSubstr("'0,1' is not a number"));
  EXPECT_THAT(refusal_of("id,dice,y\na,high,1\nb,low,1\n", "t.csv"),
              HasSubstr("line 2, column 'dice': 'high' is not a number"));
  EXPECT_EQ(groups_of(parsed("id,dice,x\na,1,1\nb,2,abc\nc,1,d\n", "t.csv")), (Texts{"x"}));
}

TEST(ReadWide, faults_are_named_with_their_line) {
  EXPECT_EQ(refusal_of("id,dice\na,1\nb,1\na.nii.gz,1\n", "t.csv"),
            "t.csv: line 4: a second row for id 'a.nii.gz'; remove one");
  EXPECT_EQ(refusal_of("id,label,dice\na,1,1\na,1,1\n", "t.csv"),
            "t.csv: line 3: a second row for id 'a', label '1'; remove one");
  EXPECT_EQ(refusal_of("id,dice\n,1\n", "t.csv"), "t.csv: line 2 has no 'id'; give every row one");
  EXPECT_EQ(refusal_of("id,dice,dice\na,1,2\n", "t.csv"),
            "t.csv: two columns are called 'dice'; rename one");
  EXPECT_THAT(refusal_of("id,site\na,A\n", "t.csv"), HasSubstr("has no column of numbers"));
  EXPECT_THAT(refusal_of("id,dice\n", "t.csv"), HasSubstr("has a first line but no rows"));
  EXPECT_THAT(refusal_of("id,dice\nMean,1\n", "t.csv"), HasSubstr("t.csv: lists no case"));
}

TEST(Cell, numbers_missing_values_and_text) {
  for (const char* text : {"", " ", "nan", "NaN", "NA", "N/A", "None", "null", "#N/A", "<NA>"})
    EXPECT_EQ(Cell::of(text).kind, Cell::Kind::none) << text;
  const std::pair<const char*, double> numbers[] = {{"1", 1},
                                                    {"-0.5", -0.5},
                                                    {"+2", 2},
                                                    {".5", 0.5},
                                                    {"1.", 1},
                                                    {"1e3", 1e3},
                                                    {" 7 ", 7},
                                                    {"Inf", metrics::infinity},
                                                    {"-inf", -metrics::infinity},
                                                    {"1e999", metrics::infinity},
                                                    {"1e-999", 0}};
  for (const auto& [text, value] : numbers) EXPECT_EQ(Cell::of(text).number(), value) << text;
  for (const char* text : {"abc", "1,5", "0x1A", "nan(1)", "+-1", "--1", "1 2", "12%", "e5", "."})
    EXPECT_EQ(Cell::of(text).kind, Cell::Kind::text) << text;
}

}  // namespace results_wide_test
