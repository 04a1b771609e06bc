// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/results/test_results.hpp"

namespace results_long_test {

using namespace assay;
using namespace assay::results;
using namespace assay::test;
using testing::HasSubstr;

TEST(ReadLong, ours_with_two_models_and_lost_cases) {
  const auto tables = parse_results(
      "model,case,label,metric,value,status\n"
      "m,a,1,dice,0.5,ok\nm,a,2,dice,1.0,ok\nm,a,1,avd,,reference_empty\nm,a,2,avd,,both_empty\n"
      "m,b,,,,failed\nm,d,,,,scored\n"
      "n,a,1,dice,0.25,ok\nn,c,1,dice,0.0,missing_prediction\nn,c,1,avd,,missing_prediction\n",
      "t.csv");
  ASSERT_EQ(tables.size(), 2U);
  const compare::ResultTable &m = tables[0], &n = tables[1];
  EXPECT_EQ(m.model_name, "m");
  EXPECT_EQ(m.ids, (Texts{"a", "d"}));
  EXPECT_EQ(values_of(m.averages, "dice"), (Values{0.75, none}));
  EXPECT_EQ(values_of(m.averages, "avd"), (Values{none, none}));
  EXPECT_EQ(values_of(compare::columns_of(m, "2"), "dice"), (Values{1.0, none}));
  ASSERT_EQ(m.unscored.size(), 1U);
  EXPECT_EQ(m.unscored[0].id, "b");
  EXPECT_EQ(m.unscored[0].reason, "failed");
  EXPECT_EQ(n.model_name, "n");
  EXPECT_EQ(n.ids, (Texts{"a", "c"}));  // counted as worst
  EXPECT_EQ(values_of(n.averages, "dice"), (Values{0.25, 0.0}));
  EXPECT_TRUE(n.unscored.empty());
}

TEST(ReadLong, reads_back_what_we_write) {
  for (const int labels : {1, 9})
    for (const metrics::Missing missing : {metrics::Missing::exclude, metrics::Missing::worst}) {
      metrics::ScoreSettings settings = settings_for("dice,avd,mcc");
      settings.missing = missing;
      const metrics::SegmentationResult result = cohort_of(settings, labels);
      const compare::ResultTable table = parsed(long_csv(result), "t.csv");
      EXPECT_EQ(table.model_name, "net");
      EXPECT_EQ(table.unscored.size(), missing == metrics::Missing::worst ? 1U : 3U);
      for (std::size_t m = 0; m < settings.metrics.size(); ++m) {
        const std::string_view key = settings.metrics[m]->name;
        EXPECT_EQ(values_of(table.averages, key), values_of(metrics::case_averages(result, m)))
            << key;
        for (std::size_t r = 0; r < result.regions.size(); ++r)
          EXPECT_EQ(values_of(table.labels[r].columns, key),
                    values_of(metrics::region_scores(result, m, r)));
      }
    }
}

TEST(ReadLong, what_others_call_the_columns) {
  const auto tables = parse_results(
      "team\tsubject\tscore name\tscore\ttask\tsite\nA\ts1.nii.gz\tDSC\t0.5\tliver\tX\n"
      "A\ts1.nii.gz\tHD95\tinf\tliver\tX\nB\ts1.nii.gz\tDSC\tNaN\tliver\tY\n",
      "t.tsv");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].model_name, "A");
  EXPECT_EQ(tables[0].ids, (Texts{"s1"}));
  EXPECT_EQ(values_of(tables[0].averages, "hd95"), (Values{metrics::infinity}));
  EXPECT_EQ(values_of(compare::columns_of(tables[0], "liver"), "dice"), (Values{0.5}));
  EXPECT_EQ(tables[0].groups.front().second, (Texts{"X"}));
  EXPECT_EQ(values_of(tables[1].averages, "dice"), (Values{none}));
}

TEST(ReadLong, without_labels_and_models) {
  const compare::ResultTable t =
      parsed("metric,case,value\ndice,a,1\ndice,b,0\nF1,a,0.5\n", "x/unet.csv");
  EXPECT_EQ(t.model_name, "unet");
  EXPECT_TRUE(t.labels.empty());
  EXPECT_EQ(values_of(t.averages, "dice"), (Values{1.0, 0.0}));
  EXPECT_EQ(values_of(t.averages, "F1"), (Values{0.5, none}));  // two names for one metric
}

TEST(ReadLong, a_value_without_label_is_the_case_s_own) {
  const compare::ResultTable t = parsed(
      "case,label,metric,value\na,1,dice,0\na,2,dice,1\na,,dice,0.9\nb,1,dice,0\nb,2,dice,1\n"
      "c,1,dice,0\nc,Mean,dice,0.1\n",
      "t.csv");
  EXPECT_EQ(values_of(t.averages, "dice"), (Values{0.9, 0.5, 0.1}));
  EXPECT_EQ(t.labels.size(), 2U);
}

TEST(ReadLong, a_group_that_contradicts_itself_is_dropped) {
  const compare::ResultTable t =
      parsed("case,metric,value,site,reader\na,dice,1,X,1\na,avd,1,X,2\n", "t.csv");
  ASSERT_EQ(t.groups.size(), 1U);
  EXPECT_EQ(t.groups[0].first, "site");
}

TEST(ReadLong, faults_are_named_with_their_line) {
  const std::string start = "model,case,label,metric,value,status\nm,a,1,dice,0.5,ok\n";
  EXPECT_EQ(refusal_of(start + "\nm,a,1,dice,0.5,ok\n", "t.csv"),
            "t.csv: line 4: a second row for model 'm', case 'a', label '1', metric 'dice'; remove "
            "one");
  EXPECT_EQ(
      refusal_of(start + "m,b,1,dice,abc,ok\n", "t.csv"),
      "t.csv: line 3, column 'value': 'abc' is not a number; leave the cell empty where there "
      "is no value");
  EXPECT_EQ(refusal_of(start + "m,b,1,dice,\"0,85\",ok\n", "t.csv"),
            "t.csv: line 3, column 'value': '0,85' is not a number; write it with a decimal point");
  EXPECT_EQ(refusal_of(start + ",b,1,dice,1,ok\n", "t.csv"),
            "t.csv: line 3 has no 'model'; give every row one");
  EXPECT_EQ(refusal_of(start + "m,,1,dice,1,ok\n", "t.csv"),
            "t.csv: line 3 has no 'case'; give every row one");
  EXPECT_EQ(refusal_of(start + "m,b,1,,1,ok\n", "t.csv"),
            "t.csv: line 3 has no 'metric'; give every row one");
  EXPECT_THAT(refusal_of("metric,value\ndice,1\n", "t.csv"), HasSubstr("no column 'case'"));
  EXPECT_THAT(refusal_of("model,case,metric,value,status\nm,a,,,failed\n", "t.csv"),
              HasSubstr("none of the 1 cases of model m was scored; the first: a: failed"));
}

TEST(ReadLong, texts_that_a_spreadsheet_would_run_come_back_from_our_own_files) {
  const std::string row = "'=m,''=a,'+1b,dice,0.5,ok,'-x\n", title = ",'@site\n";
  const compare::ResultTable ours =
      parsed("model,case,label,metric,value,status" + title + row, "t.csv");
  EXPECT_EQ(ours.model_name, "=m");
  EXPECT_EQ(ours.ids, std::vector<std::string>{"'=a"});
  EXPECT_EQ(ours.labels.front().key, "+1b");
  EXPECT_EQ(ours.groups.front().first, "@site");
  EXPECT_EQ(ours.groups.front().second.front(), "-x");
  const compare::ResultTable theirs =
      parsed("model,case,region,metric,value,status" + title + row, "t.csv");
  EXPECT_EQ(theirs.model_name, "'=m");
  EXPECT_EQ(theirs.ids, std::vector<std::string>{"''=a"});
}

}  // namespace results_long_test
