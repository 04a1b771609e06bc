// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "assay/base/test_files.hpp"
#include "assay/qa.hpp"

namespace assay::qa::qa_results_test {

using test::refusal;
using ::testing::HasSubstr;

QaResult example() {
  QaResult out;
  out.run_id = "r";
  out.benchmark_name = "tcga_slidebench";
  out.model_name = "m";
  out.config = {{"mode", "\"giant\""}, {"runs", "2"}, {"x", "[1,{\"y\":null}]"}};
  out.timestamp = "2026";
  Item question;
  question.id = "ü \"1\"";
  question.truth = 2;
  question.image_path = "a.svs";
  question.options = {"A", "", "C"};
  Attempt good = {.run = 0, .outcome = Outcome::scored};
  good.answer = {2, "{\"answer\": 2}", "json", {11, 12}};
  good.cost_usd = 0.1;
  good.total_tokens = 12;
  good.calls = 3;
  good.trajectory_file = "t/1.json";
  Attempt bad = {.run = 1, .outcome = Outcome::errored};
  bad.error = "late";
  out.results.push_back(voted_result(question, {good, bad}));
  question.id = "2";
  out.results.push_back(voted_result(question, {}));
  return out;
}

TEST(QaResults, written_and_read_again) {
  const QaResult once = example();
  const std::string text = qa_results_text(once, qa_scores(once), {});
  const auto found = parse_qa_results(text, "again.json");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].layout, QaLayout::assay);
  EXPECT_EQ(qa_results_text(found[0].result, qa_scores(found[0].result), {}), text);
  const ItemResult& item = found[0].result.results[0];
  EXPECT_EQ(item.votes[0].trajectory_file, "t/1.json");
  EXPECT_EQ(item.votes[1].error, "late");
  EXPECT_EQ(item.cost_usd, std::nullopt);
  EXPECT_EQ(item.options, (std::vector<std::string>{"A", "", "C"}));
  EXPECT_EQ(found[0].result.results[1].outcome, Outcome::skipped);
}

const std::string spec_file = R"({"run_id": "r", "benchmark_name": "tcga", "model_name": "m",
 "config": {}, "results": [
 {"item_id": "1", "prediction": "2", "predicted_label": 2, "truth_label": 2, "correct": true,
  "cost_usd": 0.0, "total_tokens": 5, "trajectory_file": "t", "error": null},
 {"item_id": "2", "prediction": "", "predicted_label": null, "truth_label": 1, "correct": false,
  "cost_usd": 0.0, "total_tokens": 5, "trajectory_file": "t", "error": "boom"},
 {"item_id": "3", "prediction": "?", "predicted_label": null, "truth_label": 1, "correct": false}],
 "metrics": {"point_estimate": NaN}, "total_cost_usd": 0.0})";

TEST(QaResults, the_specification_s_file) {
  const auto found = parse_qa_results(spec_file, "r.json");
  EXPECT_EQ(found[0].layout, QaLayout::specification);
  const QaScores s = qa_scores(found[0].result);
  EXPECT_EQ(s.metric, stats::ClassificationMetric::balanced_accuracy);
  EXPECT_EQ(s.ledger.count(Outcome::scored), 1U);
  EXPECT_EQ(s.ledger.count(Outcome::errored), 1U);
  EXPECT_EQ(s.ledger.count(Outcome::unparsed), 1U);
}

TEST(QaResults, the_authors_lines) {
  const ItemTable table = parse_items(
      "benchmark_name,benchmark_id,image_path,answer,options,file_id\n"
      "tcga,1,a.svs,2,A1|B2,fa\ntcga,2,b.svs,1,A1|B2,fb\ntcga,3,c.svs,1,A1|B2,fc\n",
      "t.csv");
  const std::string lines =
      R"({"benchmark": "tcga", "conv_id": "2", "status": "ok", "prediction": "{\"answer\": 1}"})"
      "\n"
      R"({"benchmark": "tcga", "file_id": "fa", "status": "timeout", "error": "late"})"
      "\n"
      R"({"benchmark": "tcga", "file_name": "a.svs", "status": "ok", "prediction": "B2"})"
      "\n";
  const auto found = parse_qa_results(lines, "run.jsonl", &table);
  ASSERT_EQ(found.size(), 1U);
  const QaResult result = rescored(found[0].result, ExtractionRules::assay);
  ASSERT_EQ(result.results.size(), 3U);
  EXPECT_EQ(result.results[0].predicted_label, 2);
  EXPECT_EQ(result.results[0].votes.size(), 2U);
  EXPECT_TRUE(result.results[1].correct);
  EXPECT_EQ(result.results[2].outcome, Outcome::skipped);
  EXPECT_THAT(refusal([&] { parse_qa_results(lines, "run.jsonl"); }), HasSubstr("--table"));
}

TEST(QaResults, faults) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "not a results file"},
      {"[]", "not a results file"},
      {"{\n\"schema\": \"assay.folds/1\"}", "holds 'assay.folds/1'"},
      {"{\n\"results\": [{\"item_id\": \"1\"}]}", "no 'item_id' or no 'truth_label'"},
      {"{\n\"results\": [{\"item_id\": \"1\", \"truth_label\": 1.5}]}", "not a whole number"},
      {"{\n\"x\": 1}", "has no 'results'"},
      {spec_file.substr(0, 300), "not valid JSON"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT(refusal([&, file = text] { parse_qa_results(file, "f.json"); }), HasSubstr(message))
        << text;
}

}  // namespace assay::qa::qa_results_test
