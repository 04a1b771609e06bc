// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/base/data_for_test.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::qa::scores_test {

/// One item: its answer as text, the truth, the slide.
ItemResult item(const std::string& id, OptionalLabel label, std::int64_t truth,
                const std::string& slide = "", Outcome failure = Outcome::unparsed) {
  Item question;
  question.id = id;
  question.truth = truth;
  question.image_path = slide;
  question.options = {"A", "B", "C"};
  Attempt attempt = {.outcome = label ? Outcome::scored : failure};
  attempt.answer = {label, label ? std::to_string(*label) : "?", "saved", {}};
  attempt.cost_usd = 0.25;
  return voted_result(question, {attempt});
}

QaResult run_of(std::vector<ItemResult> items, stats::ClassificationMetric metric) {
  QaResult out;
  out.benchmark_name = "x";
  out.run_id = "r";
  out.metric = metric;
  out.results = std::move(items);
  return out;
}

const QaResult six =
    run_of({item("1", 1, 1, "a"), item("2", 2, 1, "a"), item("3", {}, 2, "b"), item("4", 2, 2, "b"),
            item("5", {}, 3, "c", Outcome::errored), item("6", 1, 1, "d")},
           stats::ClassificationMetric::balanced_accuracy);

TEST(QaScores, both_policies_and_bounds) {
  const QaScores s = qa_scores(six);
  EXPECT_DOUBLE_EQ(s.wrong->items.point, (2.0 / 3 + 0.5 + 0) / 3);
  EXPECT_DOUBLE_EQ(s.scored->items.point, (2.0 / 3 + 1) / 2);
  EXPECT_DOUBLE_EQ(s.worst, s.wrong->items.point);
  EXPECT_DOUBLE_EQ(s.best, (2.0 / 3 + 1 + 1) / 3);
  EXPECT_EQ(s.scored->n, 4U);
  EXPECT_EQ(s.ledger.expected(), 6U);
  EXPECT_EQ(s.ledger.count(Outcome::unparsed), 1U);
  EXPECT_EQ(s.ledger.count(Outcome::errored), 1U);
  EXPECT_EQ(s.slides, 4U);
  EXPECT_TRUE(s.wrong->slides.has_value());
  EXPECT_FALSE(s.wrong->wilson.has_value());
  EXPECT_DOUBLE_EQ(*s.total_cost_usd, 1.5);
  EXPECT_EQ(s.total_tokens, std::nullopt);
  QaResult plain = six;
  plain.metric = stats::ClassificationMetric::accuracy;
  const QaScores accuracy = qa_scores(plain, {.policy = FailurePolicy::scored});
  EXPECT_DOUBLE_EQ(accuracy.headline()->items.point, 0.75);
  EXPECT_DOUBLE_EQ(accuracy.best, 5.0 / 6);
  EXPECT_TRUE(accuracy.wrong->wilson.has_value());
}

TEST(QaScores, classes_and_confusion) {
  const QaScores s = qa_scores(six);
  ASSERT_EQ(s.classes.size(), 3U);
  EXPECT_EQ(s.classes[0].name, "A");
  EXPECT_DOUBLE_EQ(*s.classes[0].recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*s.classes[0].precision(), 1);
  EXPECT_DOUBLE_EQ(*s.classes[1].precision(), 0.5);
  EXPECT_EQ(s.classes[2].precision(), std::nullopt);
  const std::vector<std::vector<std::size_t>> counts = {{2, 1, 0}, {0, 1, 0}, {0, 0, 0}};
  EXPECT_EQ(s.confusion.counts, counts);
  EXPECT_EQ(s.confusion.none, (std::vector<std::size_t>{0, 1, 1}));
}

TEST(QaScores, nothing_to_score) {
  const QaScores s = qa_scores(run_of({}, stats::ClassificationMetric::accuracy));
  EXPECT_FALSE(s.headline().has_value());
  const QaScores lost =
      qa_scores(run_of({item("1", {}, 1)}, stats::ClassificationMetric::accuracy));
  EXPECT_FALSE(lost.scored.has_value());
  EXPECT_DOUBLE_EQ(lost.wrong->items.point, 0);
}

TEST(QaScores, headline_intervals) {
  QaResult plain = six;
  plain.metric = stats::ClassificationMetric::accuracy;
  const QaScores by_slide = qa_scores(plain);
  EXPECT_EQ(by_slide.wrong->interval.clusters, 4U);
  EXPECT_FALSE(by_slide.one_slide);
  for (ItemResult& each : plain.results) each.slide = "";
  const QaScores alone = qa_scores(plain);
  EXPECT_EQ(alone.wrong->interval.clusters, 0U);
  EXPECT_NEAR(alone.wrong->interval.interval.lower, alone.wrong->wilson->lower, 1e-12);
  EXPECT_NEAR(alone.wrong->interval.interval.upper, alone.wrong->wilson->upper, 1e-12);
  for (ItemResult& each : plain.results) each.slide = "s";
  const QaScores one = qa_scores(plain);
  EXPECT_TRUE(one.one_slide);
  EXPECT_FALSE(one.wrong->slides.has_value());
  EXPECT_EQ(one.wrong->interval.clusters, 0U);
}

TEST(QaScores, metrics_of_the_original_project) {
  const auto all = vectors::file("specification-cases.json");
  for (const auto& c : all.at("cases")) {
    if (c.at("id") != "compute_metrics/errors_count_incorrect") continue;
    const QaScores s = qa_scores(run_of({item("1", 1, 1), item("2", {}, 2, "", Outcome::errored)},
                                        stats::ClassificationMetric::accuracy));
    const auto& want = c.at("original_output");
    EXPECT_EQ(s.wrong->items.point, want.at("point_estimate"));
    EXPECT_EQ(s.wrong->items.mean, want.at("bootstrap_mean"));
    EXPECT_EQ(s.wrong->items.std, want.at("bootstrap_std"));
    EXPECT_EQ(s.wrong->items.ci_lower, want.at("bootstrap_ci_lower"));
    EXPECT_EQ(s.wrong->items.ci_upper, want.at("bootstrap_ci_upper"));
  }
}

TEST(QaScores, published_values_are_those_of_the_paper) {
  const auto [path, absence] = test::real_data("paper_reference_values.json");
  if (!absence.empty()) GTEST_SKIP() << absence;
  std::ifstream in(path);
  const auto paper = vectors::Json::parse(in).at("giant_paper_table1_percent_mean_std");
  for (const auto& [benchmark, row] : paper.items()) {
    const PublishedBenchmark* ours = find_published_giant(benchmark);
    ASSERT_NE(ours, nullptr) << benchmark;
    EXPECT_EQ(ours->systems.size(), row.size() - 2) << benchmark;
    for (const PublishedSystem& system : ours->systems) {
      std::string key(system.name);
      if (key.starts_with("GIANT x")) key = "giant_x" + key.substr(7);
      EXPECT_EQ(system.score.mean, row.at(key)[0]) << benchmark << key;
      EXPECT_EQ(system.score.std.has_value(), !row.at(key)[1].is_null());
      if (system.score.std) EXPECT_EQ(*system.score.std, row.at(key)[1]) << benchmark << key;
    }
  }
  EXPECT_EQ(find_published_giant("x"), nullptr);
}

TEST(QaCompare, pairs_and_flips) {
  QaResult other = six;
  other.run_id = "s";
  std::swap(other.results[0], other.results[5]);  // order does not matter
  other.results[1] = item("2", 1, 1, "a");
  other.results[3] = item("4", {}, 2, "b");
  const QaComparison c = qa_compare(six, other);
  EXPECT_EQ(c.all.n, 6U);
  EXPECT_EQ(c.all.both_right, 2U);
  EXPECT_EQ(c.all.only_first, 1U);
  EXPECT_EQ(c.all.only_second, 1U);
  EXPECT_EQ(c.all.both_wrong, 2U);
  EXPECT_DOUBLE_EQ(c.all.exact.pvalue, 1);
  EXPECT_DOUBLE_EQ(c.all.difference.point, c.all.second - c.all.first);
  EXPECT_DOUBLE_EQ(c.all.first, qa_scores(six).wrong->items.point);
  ASSERT_EQ(c.won.size(), 1U);
  EXPECT_EQ(c.won[0].item_id, "2");
  ASSERT_EQ(c.lost.size(), 1U);
  EXPECT_EQ(c.lost[0].second_label, std::nullopt);
  EXPECT_EQ(c.scored_by_both->n, 3U);
  EXPECT_EQ(c.first_run, "r");
}

TEST(QaCompare, tests_the_metric) {
  QaResult first = six, second = six;
  for (ItemResult& each : first.results) each.slide = "";
  second.results[1] = item("2", 1, 1);
  second.results[2] = item("3", 2, 2);
  second.results[4] = item("5", 3, 3);
  for (ItemResult& each : second.results) each.slide = "";
  const QaComparison balanced = qa_compare(first, second);
  EXPECT_EQ(test_name(balanced.metric, balanced.all), "stratified sign-flip test");
  EXPECT_EQ(balanced.all.tested.test.pvalue, 0.25);  // three questions, all for the second
  EXPECT_EQ(balanced.all.corrected_p, 0.25);
  EXPECT_EQ(balanced.all.clusters, 0U);
  second.results[0].slide = first.results[0].slide = "a";
  second.results[1].slide = first.results[1].slide = "a";
  first.metric = second.metric = stats::ClassificationMetric::accuracy;
  const QaComparison clustered = qa_compare(first, second);
  EXPECT_EQ(test_name(clustered.metric, clustered.all), "clustered McNemar test");
  EXPECT_EQ(clustered.all.clusters, 5U);
}

TEST(QaCompare, corrected_over_benchmarks) {
  std::vector<QaComparison> all = {qa_compare(six, six), qa_compare(six, six)};
  all[0].all.tested.test.pvalue = 0.02;
  all[1].all.tested.test.pvalue = 0.03;
  correct_over_benchmarks(all, 0.05);
  EXPECT_DOUBLE_EQ(all[0].all.corrected_p, 0.04);
  EXPECT_DOUBLE_EQ(all[1].all.corrected_p, 0.04);
  EXPECT_TRUE(all[1].all.is_significant);
  EXPECT_EQ(all[1].benchmarks, 2U);
}

TEST(QaCompare, runs_of_one_model_have_different_names) {
  const auto names = [](QaResult first, QaResult second, const QaComparisonSettings& settings) {
    const QaComparison c = qa_compare(first, second, settings);
    return std::pair(c.first_run, c.second_run);
  };
  using Names = std::pair<std::string, std::string>;
  QaComparisonSettings files;
  files.first_name = "run_a";
  files.second_name = "run_b";
  QaResult first = six, second = six;
  first.model_name = second.model_name = "gpt-5";
  EXPECT_EQ(names(first, second, files), Names("gpt-5 (run_a)", "gpt-5 (run_b)"));
  EXPECT_EQ(names(first, second, {}), Names("gpt-5 (first)", "gpt-5 (second)"));
  second.run_id = "thumbnail";
  EXPECT_EQ(names(first, second, files), Names("r", "thumbnail"));
  second.model_name = "other";
  EXPECT_EQ(names(first, second, files), Names("gpt-5", "other"));
  first.model_name = second.model_name = first.run_id = "";
  EXPECT_EQ(names(first, second, files), Names("run_a", "run_b"));
}

TEST(QaCompare, refusals) {
  QaResult other = six;
  other.results.pop_back();
  EXPECT_THROW(qa_compare(six, other), Error);
  EXPECT_EQ(qa_compare(six, other, {.intersect = true}).only_first,
            (std::vector<std::string>{"6"}));
  other.results[0].truth_label = 3;
  EXPECT_THROW(qa_compare(six, other, {.intersect = true}), Error);
  other = six;
  other.results.push_back(other.results[0]);
  EXPECT_THROW(qa_compare(six, other), Error);
  EXPECT_THROW(qa_compare(six, run_of({}, six.metric), {.intersect = true}), Error);
}

TEST(QaRescore, answers_are_read_again) {
  QaResult saved = six;
  saved.results[2].votes[0].answer.raw = "The answer is B.";
  const QaResult again = rescored(saved, ExtractionRules::assay);
  EXPECT_EQ(again.results[2].predicted_label, 2);
  EXPECT_EQ(again.results[2].rule, "answer");
  EXPECT_EQ(again.results[4].outcome, Outcome::errored);
}

TEST(QaRescore, the_table_completes_results) {
  ItemTable table;
  for (const char* id : {"9", "1"}) {
    Item one;
    one.benchmark = "x";
    one.id = id;
    one.image_path = std::string(id) + ".svs";
    one.truth = 1;
    table.items.push_back(one);
  }
  table.benchmarks = {{"x", stats::ClassificationMetric::balanced_accuracy}};
  const QaResult found =
      completed(run_of({item("1", 1, 1)}, stats::ClassificationMetric::accuracy), table);
  ASSERT_EQ(found.results.size(), 2U);
  EXPECT_EQ(found.results[0].outcome, Outcome::skipped);
  EXPECT_EQ(found.results[1].slide, "1.svs");
  EXPECT_EQ(found.metric, stats::ClassificationMetric::balanced_accuracy);
  EXPECT_THROW(completed(run_of({item("2", 1, 1)}, found.metric), table), Error);
  EXPECT_THROW(completed(run_of({item("1", 1, 2)}, found.metric), table), Error);
}

}  // namespace assay::qa::scores_test
