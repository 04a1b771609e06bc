// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/text_boxes_for_test.hpp"
#include "assay/report/figures/xml_for_test.hpp"
#include "assay/report/studies_for_test.hpp"

namespace figure_curves_test {

using namespace assay;
using namespace assay::report;
using studies::figure;
using testing::HasSubstr;
using testing::Not;

/// Two models of one label: 100 voxels with the probability 0.25, of which 10 are foreground.
Study study_with_curves() {
  Study study = studies::study({.models = 2, .cases = 9});
  results::LabelCurves curves = {.key = "1", .name = "core"};
  curves.calibration[3] = {.voxels = 100, .positives = 10, .sum = 25};
  curves.maps = 9;
  curves.sweep = {{0.25, 0.5, 0.4, 0.8}, {0.5, 0.75, 0.8, 0.7}, {0.75, 0.6, 0.9, std::nullopt}};
  curves.lesions = {
      {study.ids[2], 0.05, false}, {study.ids[4], 0.5, true}, {study.ids[4], 5, true}};
  study.curves = {{curves}, {curves}};
  return study;
}

TEST(Reliability, says_how_far_promises_are_off) {
  const Figure found = figure(study_figures(study_with_curves()), "reliability");
  ASSERT_FALSE(found.svg.empty());
  EXPECT_THAT(found.svg, HasSubstr("error 0.15"));  // |10 - 25| of 100 voxels
  EXPECT_THAT(found.caption, HasSubstr("of 9 cases"));
  EXPECT_EQ(found.topic, "Probability");
  const auto is_circle = [](const xml::Element& each) { return each.name == "circle"; };
  EXPECT_EQ(std::ranges::count_if(xml::elements(found.svg), is_circle), 2);  // a bin of each model
}

TEST(ThresholdSweep, rings_the_best_threshold) {
  const Figure found = figure(study_figures(study_with_curves()), "threshold-sweep");
  EXPECT_THAT(found.svg, HasSubstr("best at 0.5"));
  EXPECT_THAT(found.reading, HasSubstr("Do not choose the threshold on the cases"));
}

TEST(LesionSize, has_a_mark_per_lesion_that_names_its_case) {
  const Figure found = figure(study_figures(study_with_curves()), "lesion-size");
  EXPECT_THAT(found.svg, HasSubstr(">2/3<"));
  const auto marks = xml::of_class(found.svg, "mark");
  ASSERT_EQ(marks.size(), 6U);
  EXPECT_EQ(marks[0].number("data-case"), 2);
  EXPECT_EQ(marks[1].number("data-case"), 4);
  EXPECT_GT(marks[0].number("cy"), marks[1].number("cy"));  // missed ones are below
  EXPECT_LT(marks[0].number("cx"), marks[1].number("cx"));
  EXPECT_THAT(found.caption, HasSubstr("n = 6 lesions"));
}

TEST(LesionSize, says_which_cases_are_not_in_it) {
  Study study = study_with_curves();
  const std::string words = "Lesions of cases without a score are not included";
  EXPECT_THAT(figure(study_figures(study), "lesion-size").caption, Not(HasSubstr(words)));
  for (const char* id : {"lost-1", "lost-2"})
    study.models[1].unscored.push_back({.id = id, .reason = "no prediction", .failed = true});
  EXPECT_THAT(figure(study_figures(study), "lesion-size").caption,
              HasSubstr("n = 6 lesions. " + words + " (2 cases of model_1)."));
}

TEST(CurvePanels, name_labels_only_where_there_are_several) {
  Study study = study_with_curves();
  EXPECT_THAT(figure(study_figures(study), "reliability").svg, Not(HasSubstr("core")));
  study.curves[0].push_back(study.curves[0][0]);
  study.curves[0][1].name = "rim";
  EXPECT_THAT(figure(study_figures(study), "reliability").svg, HasSubstr("model_0, rim"));
}

TEST(CurvePanels, texts_do_not_meet_at_any_width) {
  const Study study = study_with_curves();
  for (const double width : tested_widths)
    for (const Figure& each : study_figures(study, width))
      if (each.topic == "Probability" || each.topic == "Lesions") expect_readable(each, width);
}

TEST(CurvePanels, are_absent_without_maps_and_lesions) {
  const auto figures = study_figures(studies::study({.models = 2, .cases = 9}));
  for (const char* key : {"reliability", "threshold-sweep", "lesion-size"})
    EXPECT_TRUE(figure(figures, key).svg.empty()) << key;
}

}  // namespace figure_curves_test
