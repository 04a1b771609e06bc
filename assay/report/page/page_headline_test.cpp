// SPDX-License-Identifier: Apache-2.0
/// The first screen: what its sentences say, and what its table has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/report/page/page_parts.hpp"
#include "assay/report/studies_for_test.hpp"

namespace page_headline_test {

using namespace assay;
using namespace assay::report;
using testing::HasSubstr;
using testing::Not;

using Shifts = std::vector<std::pair<std::string, double>>;  ///< of each metric, 0: none

constexpr std::size_t cases = 10;

/// A model that differs from the baseline by the shift in every case, or is as often above as below
/// it.
compare::ResultTable model(const std::string& name, const Shifts& shifts) {
  compare::ResultTable out;
  out.model_name = name;
  out.cases = cases;
  for (std::size_t i = 0; i < cases; ++i) out.ids.push_back(studies::id_of(i));
  for (const auto& [metric, shift] : shifts) {
    compare::MetricColumn& column = out.averages.emplace_back(compare::MetricColumn{metric, {}});
    for (std::size_t i = 0; i < cases; ++i) {
      const double sign = shift == 0 ? (i % 4 < 2 ? 0.001 : -0.001) : shift;
      column.values.emplace_back(0.5 + 0.02 * double(i) + sign * (1 + 0.01 * double(i)));
    }
  }
  return out;
}

Study study_of(std::vector<compare::ResultTable> models) {
  Study out = {.title = "a study", .models = std::move(models)};
  out.ids = out.models.front().ids;
  compare::CompareSettings settings = {.baseline = "base", .replicates = 1};
  for (const compare::MetricColumn& column : out.models.front().averages)
    settings.choice.asked.push_back(column.name);
  compare_models(out, settings);
  return out;
}

constexpr double up = 0.1, down = -0.1, equal = 0;

TEST(ResultSentence, says_where_another_metric_disagrees) {
  const Study study =
      study_of({model("base", {{"dice", equal}, {"lesion_f1", equal}, {"nsd", equal}}),
                model("a", {{"dice", up}, {"lesion_f1", down}, {"nsd", up}}),
                model("b", {{"dice", down}, {"lesion_f1", down}, {"nsd", down}})});
  EXPECT_EQ(models_sentence(study, "dice"),
            "Judged by Dice on 10 cases, <b>a</b> is better than <b>base</b>, but its lesion F1 is "
            "worse; <b>b</b> is worse on all 3 metrics.");
  EXPECT_EQ(models_sentence(study, "lesion_f1"),
            "Judged by lesion F1 on 10 cases, <b>a</b> is worse than <b>base</b>, but its Dice and "
            "NSD are better; <b>b</b> is worse on all 3 metrics.");
}

TEST(ResultSentence, adds_nothing_where_nothing_disagrees) {
  const Study study = study_of({model("base", {{"dice", equal}, {"nsd", equal}}),
                                model("a", {{"dice", up}, {"nsd", equal}}),
                                model("b", {{"dice", down}, {"nsd", down}})});
  EXPECT_EQ(models_sentence(study, "dice"),
            "Judged by Dice on 10 cases, <b>a</b> is better than <b>base</b>; <b>b</b> is worse.");
}

TEST(ResultSentence, names_a_decision_where_its_own_metric_has_none) {
  const Study study = study_of({model("base", {{"dice", equal}, {"nsd", equal}, {"mcc", equal}}),
                                model("a", {{"dice", equal}, {"nsd", up}, {"mcc", down}}),
                                model("b", {{"dice", down}, {"nsd", down}, {"mcc", equal}})});
  EXPECT_EQ(models_sentence(study, "dice"),
            "Judged by Dice on 10 cases, <b>b</b> is worse than <b>base</b>; <b>a</b> cannot be "
            "told apart from <b>base</b>, but its MCC is worse and its NSD is better.");
}

TEST(ResultSentence, tells_models_that_are_alike_together_and_others_apart) {
  const Study study = study_of(
      {model("base", {{"dice", equal}, {"nsd", equal}}), model("a", {{"dice", up}, {"nsd", down}}),
       model("b", {{"dice", up}, {"nsd", up}}), model("c", {{"dice", up}, {"nsd", down}})});
  EXPECT_EQ(models_sentence(study, "dice"),
            "Judged by Dice on 10 cases, <b>a</b> and <b>c</b> are better than <b>base</b>, but "
            "their NSD is worse; <b>b</b> is better on both metrics.");
}

TEST(ResultSentence, counts_many_models_and_many_metrics) {
  std::vector<compare::ResultTable> models = {model("base", {{"dice", equal}, {"nsd", equal}})};
  for (int m = 0; m < 5; ++m)
    models.push_back(model("m" + std::to_string(m), {{"dice", up}, {"nsd", m < 2 ? down : up}}));
  models.push_back(model("last", {{"dice", down}, {"nsd", down}}));
  EXPECT_EQ(models_sentence(study_of(models), "dice"),
            "Judged by Dice on 10 cases, <b>5 models</b> are better than <b>base</b>, but 2 of "
            "them are worse on another metric; <b>last</b> is worse on both metrics.");
  Shifts none, mixed;
  for (const char* metric : {"dice", "nsd", "mcc", "iou", "recall"}) {
    none.emplace_back(metric, equal);
    mixed.emplace_back(metric, mixed.empty() ? up : down);
  }
  const Study many = study_of({model("base", none), model("a", mixed)});
  EXPECT_EQ(models_sentence(many, "dice"),
            "Judged by Dice on 10 cases, <b>a</b> is better than <b>base</b>, but it is worse on 4 "
            "other metrics.");
}

/// Twelve cases, two of which the baseline lost. Without them the signed-rank test has W = 10 and p
/// = 0.084, with them W = 10 of more pairs and p = 0.021.
std::vector<compare::ResultTable> models_with_losses(double shift_of_last_two) {
  compare::ResultTable base = model("base", {{"dice", equal}}), other = base;
  other.model_name = "a";
  for (std::size_t i = 0; i < cases; ++i) {
    const double size = 0.01 * double(i + 1);
    const bool below = i == 0 || i == 3 || i == 4;
    base.averages[0].values[i] = 0.5;
    other.averages[0].values[i] = 0.5 + (below ? -size : size);
  }
  for (const char* id : {"case-000010", "case-000011"}) {
    base.unscored.push_back({.id = id, .reason = "no prediction", .failed = true});
    other.ids.emplace_back(id);
    other.averages[0].values.emplace_back(shift_of_last_two);
    ++other.cases;
  }
  return {base, other};
}

Study with_losses(std::vector<compare::ResultTable> models) {
  Study out = {.title = "", .models = std::move(models), .ids = {}};
  out.ids = out.models[1].ids;
  compare_models(out, {.baseline = "base", .matching = {.intersect = true}, .replicates = 1});
  return out;
}

TEST(Failures, that_decide_are_under_the_headline_and_in_the_table) {
  const Study study = with_losses(models_with_losses(0.7));
  const std::string lead = lead_html(study);
  EXPECT_THAT(lead, HasSubstr("<b>a</b> is better than <b>base</b>.</p>"));
  EXPECT_THAT(
      lead,
      HasSubstr(
          "<p class=\"failures\" data-metric=\"dice\"><b>base</b> failed on 2 "
          "of 12 cases; each failure counts as the worst score (Dice 0). Without these 2 cases, "
          "<b>a</b> cannot be told apart from <b>base</b>.</p>"));
  EXPECT_THAT(means_html(study), HasSubstr("0.500 without 2\u00A0failures"));
  EXPECT_THAT(ledger(study),
              HasSubstr("All 12 cases were compared; base has no score for 2 cases. <span "
                        "class=\"why\">Why?</span></summary>"));
}

TEST(Failures, that_decide_nothing_are_said_to) {
  Study study = with_losses(models_with_losses(0.7));
  for (std::size_t i = 0; i < cases; ++i)
    study.models[1].averages[0].values[i] = 0.6 + 0.001 * double(i);
  study = with_losses(study.models);
  EXPECT_THAT(lead_html(study), HasSubstr("The verdict is the same without these 2 cases.</p>"));
}

TEST(Failures, of_distances_count_as_the_diagonal) {
  std::vector<compare::ResultTable> models = models_with_losses(0.7);
  for (compare::ResultTable& table : models) {
    table.averages[0].name = "hd95";
    for (compare::UnscoredCase& lost : table.unscored) lost.diagonal_mm = 100;
  }
  EXPECT_THAT(lead_html(with_losses(models)),
              HasSubstr("each failure counts as the worst score (the diagonal of the image)."));
}

TEST(Failures, that_leave_nothing_to_compare_are_still_told) {
  std::vector<compare::ResultTable> models = models_with_losses(0.7);
  compare::ResultTable &base = models[0], &other = models[1];
  for (std::size_t i = 1; i < cases; ++i)
    base.unscored.push_back({.id = base.ids[i], .reason = "no prediction", .failed = true});
  base.ids.resize(1);
  base.averages[0].values.resize(1);
  base.cases = 1;
  other.ids.erase(other.ids.begin());
  other.averages[0].values.erase(other.averages[0].values.begin());
  --other.cases;
  const Study study = with_losses(models);
  EXPECT_FALSE(study.without_failures);
  EXPECT_THAT(lead_html(study), HasSubstr("<b>base</b> failed on 11 of 11 cases; each failure "
                                          "counts as the worst score (Dice 0).</p>"));
}

TEST(Failures, of_one_model_are_left_out_of_its_mean_and_named) {
  Study study = {.title = "", .models = {models_with_losses(0.7).front()}, .ids = {}};
  study.ids = study.models[0].ids;
  EXPECT_THAT(lead_html(study),
              HasSubstr("<p class=\"failures\" data-metric=\"dice\">The mean leaves out <b>2 "
                        "failures</b>. With them counted as the worst value, it is "
                        "<b>0.417</b>.</p>"));
  EXPECT_THAT(means_html(study), HasSubstr("0.417 with 2\u00A0failures"));
}

TEST(Failures, that_only_compared_means_count_are_marked_in_the_table_of_all_metrics) {
  const std::string note = "not comparable with the other rows.";
  std::vector<compare::ResultTable> models = models_with_losses(0.7);
  EXPECT_THAT(panels_html(with_losses(models), {}), Not(HasSubstr(note)));
  for (compare::ResultTable& table : models)  // a metric that is not compared
    table.averages.push_back({"volume_reference_ml",
                              std::vector<std::optional<double>>(table.cases, std::optional(2.0))});
  const std::string panel = panels_html(with_losses(models), {});
  EXPECT_THAT(panel, HasSubstr("<td class=\"number soft\">2.000 *</td><td class=\"number soft\">"
                               "2.000</td>"));
  EXPECT_THAT(panel, HasSubstr("* without the model"));
  EXPECT_THAT(panel, HasSubstr(note));
}

TEST(Failures, of_nobody_are_not_mentioned) {
  const std::string lead = lead_html(studies::study({.models = 2, .cases = 9}));
  EXPECT_THAT(lead, Not(HasSubstr("class=\"failures\"")));
  const Study one = studies::study({.models = 1, .cases = 9});
  EXPECT_THAT(lead_html(one), Not(HasSubstr("class=\"failures\"")));
  EXPECT_THAT(ledger(one), HasSubstr("<summary>All 9 cases were scored.</summary>"));
}

TEST(HeadlineTable, says_once_what_its_numbers_are) {
  Study study = studies::study({.models = 2, .cases = 9, .labels = 2});
  const std::string table = means_html(study);
  EXPECT_THAT(table, HasSubstr("Mean over cases and its 95\u00A0% confidence interval. Each "
                               "case contributes its mean of labels 1 and 2. Badges compare each "
                               "model with the baseline, case by case.</span></caption>"));
  EXPECT_THAT(table, Not(HasSubstr("best")));
  for (compare::ResultTable& model : study.models) {
    model.averaged[0].name = "core";
    model.averaged[1].name = "oedema";
  }
  EXPECT_EQ(label_words(study).text, "mean of core and oedema");
  EXPECT_EQ(label_words(studies::study({.models = 1, .cases = 9, .labels = 14})).text,
            "mean over 14 labels");
}

}  // namespace page_headline_test
