// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/text_boxes_for_test.hpp"
#include "assay/report/figures/xml_for_test.hpp"
#include "assay/report/page/guidelines.hpp"
#include "assay/report/page/methods.hpp"
#include "assay/report/studies_for_test.hpp"

namespace figure_qa_test {

using namespace assay;
using namespace assay::report;
using studies::figure;

qa::Attempt vote(std::optional<std::int64_t> label) {
  qa::Attempt attempt = {.outcome = label ? qa::Outcome::scored : qa::Outcome::unparsed};
  attempt.answer.label = label;
  return attempt;
}

/// Three runs over an item; the label is that of the first.
qa::ItemResult item(std::string id, std::int64_t truth, std::optional<std::int64_t> label,
                    std::size_t agreeing) {
  qa::ItemResult out = {.item_id = std::move(id)};
  out.truth_label = truth;
  out.predicted_label = label;
  out.outcome = label ? qa::Outcome::scored : qa::Outcome::unparsed;
  out.correct = label == truth;
  out.cost_usd = 0.25;
  out.options = {"benign", "<script>malignant"};
  for (std::size_t run = 0; run < 3; ++run)
    out.votes.push_back(
        vote(run < agreeing ? label : std::optional<std::int64_t>(label == 1 ? 2 : 1)));
  return out;
}

QaStudyPart part(const std::string& model = "a model") {
  qa::QaResult result = {.run_id = "r", .benchmark_name = "tcga", .model_name = model};
  result.results = {item("i1", 1, 1, 3), item("i2", 1, 1, 2), item("i3", 1, 2, 2),
                    item("i4", 2, 2, 3), item("i5", 2, 1, 3), item("i6", 2, {}, 0)};
  result.results[0].cost_usd.reset();
  for (qa::Attempt& attempt : result.results[5].votes) attempt = vote({});
  const qa::QaScores scores = qa::qa_scores(result, {.replicates = 50});
  return {"run.json", std::move(result), scores};
}

std::vector<std::string> texts(const Figure& each) {
  std::vector<std::string> out;
  for (const xml::Element& element : xml::elements(each.svg))
    if (element.name == "text" || element.name == "title") out.push_back(element.text);
  return out;
}

bool has_text(const Figure& each, std::string_view words) {
  for (const std::string& text : texts(each))
    if (text.find(words) != std::string::npos) return true;
  return false;
}

bool says(const Figure& each, std::string_view words) {
  return each.caption.find(words) != std::string::npos;
}

parity::Achieved achieved(std::optional<double> avd) {
  parity::Achieved out = {.source = "summary.json", .origin = "summary"};
  out.dice.value = 0.87;
  out.avd.value = avd;
  out.mcc.value = 0.75;
  out.dice_std.std.value = 0.02;
  return out;
}

FoldsStudyPart folds() {
  std::vector<compare::FoldRun> runs;
  for (std::size_t fold = 0; fold < 3; ++fold)
    for (std::size_t restart = 0; restart < 2; ++restart) {
      compare::FoldRun run = {.file = "run", .outer_fold = fold, .restart = restart};
      run.ids = {"s" + std::to_string(2 * fold), "s" + std::to_string(2 * fold + 1)};
      run.columns = {{"dice", {0.8 + 0.01 * double(fold), 0.9 + 0.01 * double(restart)}}};
      runs.push_back(std::move(run));
    }
  return {"meshnet", "runs", compare::cross_validated(std::move(runs), compare::Restarts::mean)};
}

TEST(QaFigures, of_nothing_are_none) {
  EXPECT_TRUE(qa_figures({}).empty());
}

TEST(QaFigures, are_well_formed_and_harmless) {
  const std::vector<QaStudyPart> parts = {part("<script>alert(1)</script>"), part()};
  const auto figures = qa_figures(parts);
  EXPECT_EQ(figures.size(), 6U);  // accuracy, two of confusion and votes, cost
  for (const Figure& each : figures) {
    EXPECT_NO_THROW(xml::elements(each.svg)) << each.key;
    EXPECT_EQ(each.svg.find("<script"), std::string::npos) << each.key;
    EXPECT_EQ(each.svg, figure(qa_figures(parts), each.key).svg);
  }
}

TEST(QaFigures, texts_do_not_meet_at_any_width) {
  const std::vector<QaStudyPart> parts = {part("a-model-with-a-long-name-2026-01"), part()};
  Study study;
  study.folds.push_back(folds());
  study.parity.push_back(
      parity::parity_report(achieved(0.25), parity::built_in_paper(), "meshnet_26"));
  for (const double width : tested_widths) {
    for (const Figure& each : qa_figures(parts, width)) expect_readable(each, width);
    for (const Figure& each : study_figures(study, width)) expect_readable(each, width);
  }
}

TEST(QaAccuracy, stands_beside_published_values) {
  const std::vector<QaStudyPart> parts = {part()};
  const Figure drawn = figure(qa_figures(parts), "qa-accuracy-tcga");
  EXPECT_TRUE(has_text(drawn, "50.0 %"));  // 3 of 6, the one without a label counts as wrong
  EXPECT_TRUE(says(drawn, "1 of 6 items of a model have no label and count as wrong."));
  ASSERT_NE(qa::find_published_giant("tcga"), nullptr);
  for (const qa::PublishedSystem& system : qa::find_published_giant("tcga")->systems)
    EXPECT_TRUE(has_text(drawn, system.name)) << system.name;
}

TEST(QaConfusion, counts_truths_by_answers) {
  const std::vector<QaStudyPart> parts = {part()};
  const Figure drawn = figure(qa_figures(parts), "qa-confusion-tcga-a-model");
  EXPECT_TRUE(has_text(drawn, "truth benign, answer benign: 2 of 3"));
  EXPECT_TRUE(has_text(drawn, "truth benign, answer <script>malignant: 1 of 3"));
  EXPECT_TRUE(has_text(drawn, "truth <script>malignant, answer none: 1 of 3"));
  EXPECT_TRUE(says(drawn, "n = 6 items, 1 of them without a label"));
}

TEST(QaVotes, counts_items_by_votes_for_the_winner) {
  const std::vector<QaStudyPart> parts = {part()};
  const Figure drawn = figure(qa_figures(parts), "qa-votes-tcga-a-model");
  EXPECT_TRUE(has_text(drawn, "1 votes for the winner: 0 right, 0 wrong"));
  EXPECT_TRUE(has_text(drawn, "2 votes for the winner: 1 right, 1 wrong"));
  EXPECT_TRUE(has_text(drawn, "3 votes for the winner: 2 right, 1 wrong"));
  EXPECT_TRUE(says(drawn, "1 without a label are left out"));
}

TEST(QaCost, has_a_mark_per_item_with_a_known_price) {
  const std::vector<QaStudyPart> parts = {part()};
  const Figure drawn = figure(qa_figures(parts), "qa-cost");
  const auto marks = xml::of_class(drawn.svg, "mark");
  ASSERT_EQ(marks.size(), 5U);
  EXPECT_EQ(marks.front().attributes.at("data-item"), "1");
  EXPECT_EQ(marks.front().attributes.at("data-part"), "0");
  EXPECT_TRUE(has_text(drawn, "1.25"));
  EXPECT_TRUE(says(drawn, "n = 5 items; it is not known for 1 item."));
  EXPECT_TRUE(figure(qa_figures(parts), "qa-tokens").svg.empty());
}

TEST(ParityFigure, shows_what_was_reached_and_what_is_missing) {
  Study study;
  study.parity.push_back(
      parity::parity_report(achieved(0.25), parity::built_in_paper(), "meshnet_26"));
  study.parity.push_back(
      parity::parity_report(achieved({}), parity::built_in_paper(), "meshnet_26"));
  const auto figures = study_figures(study);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_TRUE(says(figures[0], "Level reached: strict."));
  for (const char* value : {"0.876", "0.870", "0.245", "0.250", "0.760", "0.750"})
    EXPECT_TRUE(has_text(figures[0], value)) << value;
  EXPECT_EQ(figures[1].key, "parity-meshnet-26-2");
  EXPECT_TRUE(says(figures[1], "1 of 3 values are missing."));
  EXPECT_TRUE(has_text(figures[1], "no value"));
}

TEST(FoldsFigure, has_a_dot_per_training) {
  Study study;
  study.folds.push_back(folds());
  const auto figures = study_figures(study);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].key, "folds-meshnet-dice");
  std::size_t dots = 0;
  for (const xml::Element& element : xml::elements(figures[0].svg))
    dots += element.name == "circle" ? 1U : 0U;
  EXPECT_EQ(dots, 6U);
  EXPECT_TRUE(says(figures[0], "n = 6 subjects in 3 folds."));
}

TEST(Methods, say_what_was_measured_and_how_it_was_tested) {
  Study study = studies::study({.margin = 0.02});
  const ResultSettings ours = {.convention = "metrics-reloaded", .is_scored_here = true};
  study.settings = {ours, ours, ours};
  study.models[0].averages[0].values[3].reset();
  const std::string text = methods_paragraph(study, "9.8.7");
  for (const char* words :
       {"Segmentations of 30 cases by 3 models (model_0, model_1 and model_2) were scored with "
        "assay 9.8.7 under the convention metrics-reloaded.",
        "Dice similarity coefficient (dice = 2 TP / (2 TP + FP + FN); Dice 1945",
        "left out of the means of single models: 1 of dice.",
        "compared with model_0 on the 30 cases",
        "policy exact) at a level of 0.05, with Holm correction over 2 models per metric.",
        "confidence intervals. Effect sizes are matched-pairs rank-biserial correlations.",
        "count as the metric declares: 0 for dice", "±0.020 for dice", "100 bootstrap resamples"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST(Methods, claim_no_correction_for_a_single_model) {
  const std::string text = methods_paragraph(studies::study({.models = 2, .margin = 0.02}), "1");
  EXPECT_NE(text.find(" at a level of 0.05; no correction was needed for a single model. "),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Holm"), std::string::npos) << text;
  EXPECT_EQ(text.find("corrected like"), std::string::npos) << text;
}

TEST(Methods, say_that_tests_over_folds_are_about_trained_models) {
  const char* about = "about these trained models, not about the algorithms that trained them.";
  Study study = studies::study();
  EXPECT_EQ(methods_paragraph(study, "1").find(about), std::string::npos);
  study.models[0].groups.push_back({"outer_fold", std::vector<std::string>(30, "0")});
  EXPECT_NE(methods_paragraph(study, "1").find(about), std::string::npos);
}

TEST(Methods, claim_no_test_where_there_was_none) {
  const std::string text = methods_paragraph(studies::study({.models = 1}), "1");
  EXPECT_TRUE(text.starts_with("Values of model_0 on 30 cases were read")) << text;
  EXPECT_EQ(text.find("Wilcoxon"), std::string::npos);
  EXPECT_EQ(methods_paragraph({}, "1"), "");
}

TEST(Methods, claim_only_the_scores_that_are_ours) {
  Study study = studies::study({.models = 2});
  study.settings = {{.version = "0.0.9", .is_scored_here = true}, {}};
  const std::string text = methods_paragraph(study, "1");
  for (const char* words :
       {"Segmentations of 30 cases by model_0 were scored with assay 0.0.9",
        "Values of model_1 on 30 cases were read from model_1.json and used unchanged."})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST(Methods, cover_question_answering_folds_and_parity) {
  Study study;
  study.qa.push_back(part());
  study.folds.push_back(folds());
  study.parity.push_back(
      parity::parity_report(achieved(0.25), parity::built_in_paper(), "meshnet_26"));
  const std::string text = methods_paragraph(study, "1");
  for (const char* words :
       {"a model on tcga (accuracy, 6 items)", "count as wrong", "Intervals of 95 % are Wilson's",
        "cross-validated in 3 outer folds with 6 "
        "trainings",
        "published for MeshNet-26"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST(Methods, tables_have_a_row_for_everything) {
  Study study = studies::study();
  study.models[1].averages[0].values[2].reset();
  study.qa.push_back(part("a|b"));
  study.folds.push_back(folds());
  const auto tables = tables_to_paste(study);
  ASSERT_EQ(tables.size(), 4U);
  EXPECT_EQ(tables[0].key, "comparison");
  EXPECT_EQ(tables[1].table.rows.size(), 9U);
  EXPECT_EQ(tables[1].table.rows[1][2], "29");
  EXPECT_EQ(tables[1].table.rows[1][6], "1");  // left out
  EXPECT_EQ(tables[2].table.rows[0][4], "50.0");
  EXPECT_NE(markdown_table(tables[2].table).find("a\\|b"), std::string::npos);
  for (const NamedTable& each : tables)
    for (const auto& row : each.table.rows) EXPECT_EQ(row.size(), each.table.header.size());
}

TEST(Guidelines, answer_only_what_the_files_can_answer) {
  const auto answer = [](const Study& study, std::string_view item) {
    for (const GuidelineItem& each : guideline_checklist(study))
      if (each.item.starts_with(item)) return std::string(name(each.answer));
    return std::string("no such item");
  };
  const Study one = studies::study({.models = 1}), several = studies::study({.groups = true});
  EXPECT_EQ(answer({}, "Metrics of model performance"), "not in these files");
  EXPECT_EQ(answer(one, "Metrics of model performance"), "yes");
  EXPECT_EQ(answer(one, "Measures of significance"), "not in these files");
  EXPECT_EQ(answer(several, "Measures of significance"), "yes");
  EXPECT_EQ(answer(one, "Performance in clinically relevant subgroups"), "not in these files");
  EXPECT_EQ(answer(several, "Performance in clinically relevant subgroups"), "yes");
  EXPECT_EQ(answer(several, "Complementary metrics"), "not in these files");
  EXPECT_EQ(answer(several, "Source of the data"), "not in these files");
  Study boundary = one;
  boundary.models[0].averages[1].name = "hd95";
  EXPECT_EQ(answer(boundary, "Complementary metrics"), "yes");
}

}  // namespace figure_qa_test
