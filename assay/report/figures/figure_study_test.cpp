// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "assay/report/figures/distribution.hpp"
#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/figures/marks.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/report/figures/text_boxes_for_test.hpp"
#include "assay/report/figures/xml_for_test.hpp"
#include "assay/report/studies_for_test.hpp"
#include "assay/stats/agreement.hpp"

namespace figure_study_test {

using namespace assay;
using namespace assay::report;
using studies::figure;

std::size_t total_size(const std::vector<Figure>& figures) {
  std::size_t sum = 0;
  for (const Figure& each : figures) sum += each.svg.size();
  return sum;
}

std::size_t circles(const Figure& each) {
  return xml::of_class(each.svg, "mark").size();
}

/// Where the marks of a model are, by case.
std::map<std::size_t, double> places(const Figure& each, std::size_t model, const char* axis) {
  std::map<std::size_t, double> out;
  for (const xml::Element& mark : xml::of_class(each.svg, "mark"))
    if (mark.number("data-model") == double(model))
      out[static_cast<std::size_t>(mark.number("data-case"))] = mark.number(axis);
  return out;
}

/// The slope and the offset of places against values, from the outermost; all others must agree.
void expect_on_one_scale(const std::map<std::size_t, double>& marks,
                         const std::vector<std::optional<double>>& values) {
  ASSERT_GE(marks.size(), 2U);
  const auto by_place = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [low, high] = std::ranges::minmax_element(marks, by_place);
  const double slope = (high->second - low->second) / (*values[high->first] - *values[low->first]);
  EXPECT_GT(std::fabs(slope), 1);
  for (const auto& [place, at] : marks)
    EXPECT_NEAR(at, low->second + slope * (*values[place] - *values[low->first]), 0.02);
}

bool says(const Figure& each, std::string_view words) {
  return (each.caption + " " + each.reading).find(words) != std::string::npos;
}

Study with_first_value(const std::string& metric, std::optional<double> value) {
  Study study = studies::study();
  for (compare::ResultTable& table : study.models)
    for (compare::MetricColumn& column : table.averages)
      if (column.name == metric) column.values[0] = value;
  return studies::finished(std::move(study), {});
}

TEST(StudyFigures, come_in_reading_order_with_keys_of_their_own) {
  const auto figures = study_figures(studies::study({.models = 4, .labels = 2, .groups = true}));
  std::set<std::string> keys;
  std::string kinds;
  for (const Figure& each : figures) {
    EXPECT_TRUE(keys.insert(each.key).second) << each.key;
    EXPECT_FALSE(each.title.empty() || each.caption.empty());
    if (each.key.ends_with("dice")) kinds += each.key + " ";
  }
  EXPECT_EQ(kinds,
            "raincloud-dice forest-dice differences-dice ranks-dice critical-difference-dice "
            "significance-dice labels-dice subgroups-site-dice ");
  EXPECT_TRUE(keys.contains("bland-altman"));
  EXPECT_TRUE(keys.contains("dice-volume"));
}

TEST(StudyFigures, are_well_formed_and_the_same_each_time) {
  const Study study = studies::study({.models = 5, .labels = 3, .groups = true, .margin = 0.01});
  const auto first = study_figures(study), second = study_figures(study);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_NO_THROW(xml::elements(first[k].svg)) << first[k].key;
    EXPECT_NO_THROW(xml::elements(standalone(first[k]))) << first[k].key;
    EXPECT_EQ(first[k].svg, second[k].svg) << first[k].key;
    EXPECT_EQ(first[k].svg.find("nan"), std::string::npos) << first[k].key;
    EXPECT_EQ(first[k].svg.find("inf"), std::string::npos) << first[k].key;
  }
}

TEST(StudyFigures, texts_do_not_meet_at_any_width) {
  for (const std::size_t models : {1U, 2U, 4U, 7U, 12U}) {
    const studies::Request request = {
        .models = models, .cases = 20, .labels = 3, .groups = true, .margin = 0.01};
    Study study = studies::study(request);
    study.models.back().model_name = "nnU-Net_3d_fullres_ensemble";
    study = studies::finished(std::move(study), request);
    for (const double width : tested_widths)
      for (const Figure& each : study_figures(study, width)) expect_readable(each, width);
  }
}

TEST(StudyFigures, saved_files_have_plain_colours) {
  for (const Figure& each : study_figures(studies::study())) {
    EXPECT_NE(each.svg.find("var(--"), std::string::npos);
    const std::string saved = standalone(each);
    EXPECT_TRUE(saved.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "));
    EXPECT_EQ(saved.find("var("), std::string::npos) << each.key;
    EXPECT_NE(saved.find("fill=\"#1b1f24\""), std::string::npos) << each.key;
  }
}

TEST(StudyFigures, names_cannot_break_out) {
  const studies::Request request = {.models = 3, .labels = 2, .groups = true};
  Study study = studies::study(request);
  const std::string evil = "</text><script>alert(1)</script>\"'&\x01\xFF";
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    study.models[m].model_name += evil;
    study.models[m].labels[0].name = evil;
    for (auto& value : study.models[m].groups[0].second) value += evil;
    study.models[m].groups[0].first = evil;
  }
  study = studies::finished(std::move(study), request);
  const auto figures = study_figures(study);
  EXPECT_GT(figures.size(), 15U);
  for (const Figure& each : figures) {
    EXPECT_NO_THROW(xml::elements(each.svg)) << each.key;
    EXPECT_EQ(each.svg.find("<script"), std::string::npos) << each.key;
    EXPECT_TRUE(std::ranges::all_of(each.key, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    })) << each.key;
  }
}

TEST(StudyFigures, few_cases_and_few_values_are_drawn_too) {
  for (const std::size_t models : {1U, 2U, 3U})
    for (const std::size_t cases : {1U, 2U, 3U, 5U}) {
      const Study study = studies::study({.models = models, .cases = cases, .labels = 2});
      for (const Figure& each : study_figures(study))
        EXPECT_NO_THROW(xml::elements(each.svg)) << each.key << ' ' << models << ' ' << cases;
    }
  EXPECT_TRUE(study_figures({}).empty());
}

TEST(StudyFigures, a_study_without_any_case_still_has_its_rows) {
  Study study = {.title = "empty"};
  study.models.push_back(studies::table({.cases = 0}, 0));
  const Figure dice = figure(study_figures(study), "raincloud-dice");
  EXPECT_TRUE(says(dice, "n = 0 cases"));
  EXPECT_NE(dice.svg.find("no value"), std::string::npos);
}

TEST(StudyFigures, equal_undefined_and_endless_values) {
  const std::optional<double> all[] = {0.5, std::nullopt, metrics::infinity, -metrics::infinity,
                                       1e308};
  for (const auto& value : all) {
    Study study = studies::study();
    for (compare::ResultTable& table : study.models)
      for (compare::MetricColumn& column : table.averages) std::ranges::fill(column.values, value);
    study = studies::finished(std::move(study), {});
    for (const Figure& each : study_figures(study))
      EXPECT_NO_THROW(xml::elements(each.svg)) << each.key;
  }
}

TEST(Raincloud, has_a_mark_per_value_on_the_scale_of_its_axis) {
  const Study study = studies::study();
  const Figure dice = figure(study_figures(study), "raincloud-dice");
  EXPECT_EQ(circles(dice), 90U);
  EXPECT_TRUE(says(dice, "n = 30 cases per model."));
  for (std::size_t m = 0; m < 3; ++m)
    expect_on_one_scale(places(dice, m, "cx"), study.models[m].averages[0].values);
}

TEST(Raincloud, leaves_out_what_has_no_value_and_says_so) {
  const Figure undefined = figure(study_figures(with_first_value("dice", {})), "raincloud-dice");
  EXPECT_EQ(circles(undefined), 87U);
  EXPECT_TRUE(says(undefined, "n = 29 cases per model; 3 values are undefined and left out."));
  EXPECT_FALSE(places(undefined, 0, "cx").contains(0));
  const Figure endless =
      figure(study_figures(with_first_value("avd", metrics::infinity)), "raincloud-avd");
  EXPECT_TRUE(says(endless, "3 values are infinite and left out."));
}

TEST(Raincloud, shifted_values_keep_their_picture) {
  Study study = studies::study({.models = 1});
  for (compare::MetricColumn& column : study.models[0].averages) column.name = "own_" + column.name;
  const Figure before = figure(study_figures(study), "raincloud-own-dice");
  for (auto& value : study.models[0].averages[0].values) value = *value + 100;
  const auto old = places(before, 0, "cx");
  const auto now = places(figure(study_figures(study), "raincloud-own-dice"), 0, "cx");
  ASSERT_EQ(old.size(), 30U);
  for (const auto& [place, at] : old) EXPECT_NEAR(now.at(place), at, 0.02);
}

TEST(Raincloud, cases_that_only_some_models_have_keep_their_place_in_the_study) {
  Study study = studies::study({.models = 1, .cases = 4});
  study.ids.insert(study.ids.begin(), "another");
  const auto found = places(figure(study_figures(study), "raincloud-dice"), 0, "cx");
  EXPECT_EQ(found.begin()->first, 1U);
  EXPECT_EQ(std::prev(found.end())->first, 4U);
}

TEST(Raincloud, files_without_ids_have_marks_without_names) {
  Study study = studies::study({.models = 1, .cases = 4});
  study.models[0].ids.clear();
  study.ids.clear();
  const Figure dice = figure(study_figures(study), "raincloud-dice");
  EXPECT_EQ(circles(dice), 0U);
  EXPECT_NE(dice.svg.find("<circle"), std::string::npos);
}

TEST(Raincloud, many_marks_are_one_path_and_very_many_are_none) {
  const Figure many =
      figure(study_figures(studies::study({.models = 2, .cases = 1000})), "raincloud-dice");
  const auto paths = xml::of_class(many.svg, "marks");
  ASSERT_EQ(paths.size(), 2U);
  std::istringstream cases(paths[1].attributes.at("data-cases"));
  std::size_t count = 0;
  for (std::size_t k = 0; cases >> k; ++count) EXPECT_EQ(k, count);
  EXPECT_EQ(count, 1000U);
  EXPECT_EQ(std::ranges::count(paths[1].attributes.at("d"), 'M'), 1000);
  EXPECT_EQ(paths[1].attributes.at("data-model"), "1");
  const Figure crowd =
      figure(study_figures(studies::study({.models = 1, .cases = 20001})), "raincloud-dice");
  EXPECT_EQ(crowd.svg.find("class=\"mark"), std::string::npos);
  EXPECT_TRUE(says(crowd, "The 20,001 single values are not drawn"));
}

TEST(Differences, every_pair_is_where_its_difference_is) {
  const Study study = studies::study();
  const Figure dice = figure(study_figures(study), "differences-dice");
  EXPECT_EQ(circles(dice), 60U);
  std::vector<std::optional<double>> differences;
  for (std::size_t k = 0; k < 30; ++k)
    differences.emplace_back(*study.models[1].averages[0].values[k] -
                             *study.models[0].averages[0].values[k]);
  expect_on_one_scale(places(dice, 1, "cy"), differences);
  EXPECT_TRUE(places(dice, 0, "cy").empty());
  EXPECT_TRUE(says(dice, "n = 30 pairs per model."));
  const auto better = std::ranges::count_if(differences, [](const auto& d) { return *d > 0; });
  EXPECT_NE(dice.svg.find(std::to_string(better) + " better, "), std::string::npos);
}

TEST(BlandAltman, draws_the_difference_of_volumes) {
  const Study study = studies::study({.models = 1});
  const Figure drawn = figure(study_figures(study), "bland-altman");
  const auto& columns = study.models[0].averages;
  std::vector<std::optional<double>> differences;
  double sum = 0;
  for (std::size_t k = 0; k < 30; ++k) {
    differences.emplace_back(*columns[3].values[k] - *columns[4].values[k]);
    sum += *differences.back();
  }
  expect_on_one_scale(places(drawn, 0, "cy"), differences);
  EXPECT_NE(drawn.svg.find(sum > 0 ? ">+" : ">−"), std::string::npos);
  EXPECT_TRUE(says(drawn, "n = 30 cases."));
}

TEST(BlandAltman, says_bias_limits_and_correlation_with_their_intervals) {
  const Study study = studies::study({.models = 2});
  const Figure drawn = figure(study_figures(study), "bland-altman");
  std::vector<double> x, y;
  for (std::size_t k = 0; k < 30; ++k) {
    x.push_back(*study.models[1].averages[3].values[k]);
    y.push_back(*study.models[1].averages[4].values[k]);
  }
  const stats::BlandAltman limits = stats::bland_altman(x, y);
  const stats::Interval icc = stats::intraclass_correlation(std::vector{x, y}).agreement;
  const auto words = [](const stats::Interval& of) {
    return figure_number(of.estimate) + " [" + figure_number(of.lower) + ", " +
           figure_number(of.upper) + "]";
  };
  EXPECT_TRUE(says(drawn, "model_1: bias " + signed_number(limits.bias.estimate) + " mL ["));
  EXPECT_TRUE(says(drawn, ", limits " + words(limits.lower) + " and " + words(limits.upper)));
  EXPECT_TRUE(says(drawn, ", ICC(2,1) " + words(icc)));
  EXPECT_FALSE(says(drawn, "too narrow"));
}

TEST(BlandAltman, few_cases_have_no_intervals) {
  const Figure five =
      figure(study_figures(studies::study({.models = 1, .cases = 5})), "bland-altman");
  EXPECT_TRUE(says(five, "model_0: bias"));
  EXPECT_FALSE(says(five, " mL ["));
  EXPECT_TRUE(says(figure(study_figures(studies::study({.models = 1, .cases = 6})), "bland-altman"),
                   " mL ["));
  const Figure one =
      figure(study_figures(studies::study({.models = 1, .cases = 1})), "bland-altman");
  EXPECT_FALSE(says(one, "ICC"));
}

TEST(BlandAltman, says_when_cases_share_a_subject) {
  const auto note = "30 cases are from 10 subjects and are treated as independent here";
  Study by_column = studies::study({.models = 1});
  auto& group = by_column.models[0].groups.emplace_back();
  group.first = "Subject";
  for (std::size_t k = 0; k < 30; ++k) group.second.push_back(std::to_string(k % 10));
  EXPECT_TRUE(says(figure(study_figures(by_column), "bland-altman"), note));

  Study by_name = studies::study({.models = 1});
  for (std::size_t k = 0; k < 30; ++k)
    by_name.models[0].ids[k] = "sub-" + std::to_string(k % 10) + "_ses-" + std::to_string(k / 10);
  by_name.ids = by_name.models[0].ids;
  std::ranges::sort(by_name.ids);
  EXPECT_TRUE(says(figure(study_figures(by_name), "bland-altman"), note));
}

TEST(BlandAltman, says_when_a_case_is_a_mean_over_labels) {
  const auto note = "The value of a case is the unweighted mean over labels 1, 2.";
  EXPECT_TRUE(says(figure(study_figures(studies::study({.labels = 2})), "bland-altman"), note));
  EXPECT_FALSE(says(figure(study_figures(studies::study()), "bland-altman"), note));
  Study named = studies::study({.labels = 2});
  named.models[0].averaged[0].name = "core";
  EXPECT_TRUE(says(figure(study_figures(named), "bland-altman"), "mean over labels core, 2."));
}

TEST(BlandAltman, derived_volumes_serve_as_well) {
  for (const bool of_label : {false, true}) {
    Study study = studies::study({.labels = 2});
    if (of_label) study.comparison->settings.choice.labels = {"2"};
    const std::string asked = figure(study_figures(study), "bland-altman").svg;
    for (compare::ResultTable& table : study.models) {
      auto& columns = of_label ? table.labels[1].columns : table.averages;
      (of_label ? table.labels[1].derived : table.derived) = {columns[3], columns[4]};
      columns.resize(3);
    }
    EXPECT_EQ(figure(study_figures(study), "bland-altman").svg, asked);
    EXPECT_FALSE(figure(study_figures(study), "dice-volume").svg.empty());
  }
}

TEST(BlandAltman, needs_volumes) {
  Study study = studies::study({.models = 1});
  study.models[0].averages.resize(3);
  const auto figures = study_figures(study);
  EXPECT_TRUE(figure(figures, "bland-altman").svg.empty());
  EXPECT_TRUE(figure(figures, "dice-volume").svg.empty());
}

TEST(DiceVolume, is_logarithmic_in_volume_and_leaves_out_empty_references) {
  Study study = studies::study({.models = 1});
  study.models[0].averages[4].values[0] = 0;
  const Figure drawn = figure(study_figures(study), "dice-volume");
  std::vector<std::optional<double>> logarithms;
  for (const auto& value : study.models[0].averages[4].values)
    logarithms.emplace_back(std::log(*value));
  expect_on_one_scale(places(drawn, 0, "cx"), logarithms);
  EXPECT_TRUE(says(drawn, "n = 29 cases; 1 without Dice or with an empty reference are left out."));
}

TEST(Captions, put_units_in_brackets_and_keep_proper_names) {
  using metrics::Better;
  const auto in_sentence = [](const char* name) {
    return title_in_sentence(figure_metric(name, Better::higher));
  };
  EXPECT_EQ(caption_title(figure_metric("lesion_f1", Better::higher)), "Lesion-wise F1 score");
  EXPECT_EQ(in_sentence("lesion_f1"), "lesion-wise F1 score");
  EXPECT_EQ(in_sentence("hd95"), "Hausdorff distance at the 95th percentile (mm)");
  EXPECT_EQ(in_sentence("dice of WT"), "Dice similarity coefficient, WT");
  EXPECT_EQ(in_sentence("fbeta"), "F-beta score");
  EXPECT_EQ(in_sentence("Unknown"), "Unknown");
  EXPECT_EQ(axis_title(figure_metric("hd95", Better::lower)),
            "Hausdorff distance at the 95th percentile, mm (lower is better)");
}

TEST(Subgroups, an_endless_mean_does_not_squeeze_the_others) {
  const studies::Request request = {.groups = true};
  Study study = studies::study(request);
  for (compare::ResultTable& table : study.models) table.averages[1].values[0] = metrics::infinity;
  study = studies::finished(std::move(study), request);
  for (compare::Subgroup& group : study.comparison->subgroups)
    group.metrics[1].models[0].mean = group.cases == 10 ? metrics::infinity : 0.1;
  const Figure avd = figure(study_figures(study), "subgroups-site-avd");
  EXPECT_NE(avd.svg.find(">0.10</text>"), std::string::npos);
  EXPECT_EQ(avd.svg.find("e+1"), std::string::npos);
}

TEST(Forest, shows_estimates_intervals_and_the_margin) {
  const Study study = studies::study({.margin = 0.01});
  const Figure dice = figure(study_figures(study), "forest-dice");
  EXPECT_TRUE(says(dice, "margin of equivalence, ±0.010"));
  EXPECT_TRUE(says(dice, "n = 30 pairs."));
  std::size_t squares = 0;
  for (const xml::Element& each : xml::elements(dice.svg))
    squares += each.name == "rect" && each.has("width", "9") ? 1U : 0U;
  EXPECT_EQ(squares, 2U);
  const Figure without = figure(study_figures(studies::study()), "forest-dice");
  EXPECT_FALSE(says(without, "margin"));
}

TEST(Ranks, the_area_of_blobs_is_the_share_of_resamples) {
  const Study study = studies::study();
  const Figure dice = figure(study_figures(study), "ranks-dice");
  double area = 0;
  for (const xml::Element& each : xml::elements(dice.svg))
    if (each.name == "circle") area += std::pow(each.number("r") / 13, 2);
  EXPECT_NEAR(area, 3, 0.1);  // each of three models is somewhere in every resample
  EXPECT_TRUE(says(dice, "in 100 resamples of the cases (seed 42)"));
  EXPECT_TRUE(says(dice, "Kendall's τ"));
}

TEST(Ranks, are_not_drawn_where_nothing_is_known_of_their_stability) {
  const auto drawn = [](const studies::Request& request) {
    return figure(study_figures(studies::study(request)), "ranks-dice");
  };
  EXPECT_TRUE(drawn({.models = 2}).svg.empty());
  EXPECT_TRUE(drawn({.cases = 9}).svg.empty());
  EXPECT_FALSE(drawn({.cases = 10}).svg.empty());
}

TEST(Ranks, say_that_blocks_are_clusters) {
  Study study = studies::study();
  study.comparison->settings.cluster = "subject";
  for (compare::MetricComparison& metric : study.comparison->metrics) {
    metric.ranking.blocks = 12;
    metric.ranking.has_clusters = true;
  }
  const std::vector<Figure> figures = study_figures(study);
  const Figure ranks = figure(figures, "ranks-dice");
  EXPECT_TRUE(says(ranks, "in 100 resamples of the clusters (seed 42)"));
  EXPECT_TRUE(says(ranks, "every model has a value, in 12 clusters."));
  const Figure diagram = figure(figures, "critical-difference-dice");
  EXPECT_TRUE(says(diagram, "Mean rank of each model over the clusters"));
  EXPECT_TRUE(says(diagram, "blocks are the 12 clusters, each the mean of its cases."));
}

TEST(CriticalDifference, needs_three_models) {
  EXPECT_TRUE(
      figure(study_figures(studies::study({.models = 2})), "critical-difference-dice").svg.empty());
  const Figure dice = figure(study_figures(studies::study()), "critical-difference-dice");
  EXPECT_TRUE(says(dice, "n = 30 cases in which every model has a value."));
}

TEST(Significance, a_pair_is_blue_on_one_side_and_orange_on_the_other) {
  const Figure dice = figure(study_figures(studies::study({.models = 6})), "significance-dice");
  std::size_t better = 0, worse = 0;
  for (const xml::Element& each : xml::elements(dice.svg)) {
    if (each.name != "rect") continue;
    better += each.has("fill", "var(--better, #0072b2)") ? 1U : 0U;
    worse += each.has("fill", "var(--worse, #d55e00)") ? 1U : 0U;
  }
  EXPECT_EQ(better, worse);
  EXPECT_GT(better, 5U);
  EXPECT_TRUE(says(dice, "Holm correction for 15 pairs"));
}

TEST(Distribution, boxes_are_numpys_quartiles_with_tukeys_whiskers) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 100};
  const auto box = box_summary(values);
  ASSERT_TRUE(box);
  EXPECT_DOUBLE_EQ(box->q25, 3);
  EXPECT_DOUBLE_EQ(box->median, 5);
  EXPECT_DOUBLE_EQ(box->q75, 7);
  EXPECT_DOUBLE_EQ(box->low, 1);
  EXPECT_DOUBLE_EQ(box->high, 8);
  EXPECT_FALSE(box_summary({}));
}

TEST(Distribution, the_curve_follows_a_direct_sum_of_kernels) {
  studies::Numbers numbers(5);
  std::vector<double> values;
  for (int k = 0; k < 200; ++k) values.push_back(numbers.next() + numbers.next());
  const Density curve = density(values);
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / 200;
  for (const double value : values) squares += (value - mean) * (value - mean) / 199;
  std::ranges::sort(values);
  const double quartiles =
      (values[149] * 0.75 + values[150] * 0.25) - (values[49] * 0.25 + values[50] * 0.75);
  const double width = 0.9 * std::fmin(std::sqrt(squares), quartiles / 1.34) * std::pow(200, -0.2);
  std::vector<double> direct;
  for (int step = 0; step <= 80; ++step) {
    const double at = curve.low + (curve.high - curve.low) * step / 80;
    double sum = 0;
    for (const double value : values) sum += std::exp(-std::pow((at - value) / width, 2) / 2);
    direct.push_back(sum);
  }
  const double highest = *std::ranges::max_element(direct);
  ASSERT_EQ(curve.heights.size(), direct.size());
  for (std::size_t k = 0; k < direct.size(); ++k)
    EXPECT_NEAR(curve.heights[k], direct[k] / highest, 0.005);
  EXPECT_TRUE(density(std::vector<double>(9, 1.0)).heights.empty());
}

TEST(Marks, jitter_fills_the_interval_evenly) {
  std::array<int, 10> bins{};
  for (std::size_t k = 0; k < 1000; ++k) ++bins[static_cast<std::size_t>(jitter(k) * 10)];
  for (const int count : bins) EXPECT_NEAR(count, 100, 3);
}

TEST(StudyFigures, fourteen_models_of_a_thousand_cases_stay_below_three_megabytes) {
  const Study study = studies::study({.models = 14, .cases = 1000});
  const auto figures = study_figures(study);
  EXPECT_LT(total_size(figures), 3'000'000U);
  const Study large = studies::study({.models = 2, .cases = 30000});
  EXPECT_LT(total_size(study_figures(large)), 300'000U);
}

}  // namespace figure_study_test
