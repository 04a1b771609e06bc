// SPDX-License-Identifier: Apache-2.0
#include "assay/report/label_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/report/page/page_parts.hpp"
#include "assay/report/studies_for_test.hpp"

namespace label_views_test {

using namespace assay;
using namespace assay::report;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> keys_of(const LabelViews& found) {
  std::vector<std::string> out;
  for (const StudyView& view : found.views) out.push_back(view.key);
  return out;
}

TEST(LabelViews, have_the_numbers_of_a_comparison_of_that_label) {
  const Study study = studies::study({.models = 3, .cases = 20, .labels = 2});
  const LabelViews found = label_views(study, {});
  ASSERT_THAT(keys_of(found), ElementsAre("1", "2"));
  EXPECT_EQ(found.views[1].name, "organ 2");
  compare::CompareSettings settings = study.comparison->settings;
  settings.choice.labels = {"2"};
  const compare::Comparison alone = compare::compare(study.models, settings);
  const compare::Comparison& viewed = *found.views[1].study.comparison;
  ASSERT_EQ(viewed.metrics.size(), alone.metrics.size());
  for (std::size_t m = 0; m < alone.metrics.size(); ++m) {
    EXPECT_EQ(viewed.metrics[m].models[1].mean, alone.metrics[m].models[1].mean);
    EXPECT_EQ(viewed.metrics[m].pairs[0].result.p_value, alone.metrics[m].pairs[0].result.p_value);
  }
  EXPECT_THAT(found.views[1].figures, Not(IsEmpty()));
  EXPECT_TRUE(studies::figure(found.views[1].figures, "labels-dice").svg.empty());
}

TEST(LabelViews, of_one_model_show_its_columns) {
  const Study study = studies::study({.models = 1, .cases = 9, .labels = 2});
  const LabelViews found = label_views(study, {});
  ASSERT_THAT(found.views, SizeIs(2));
  EXPECT_EQ(found.views[0].study.models[0].averages[0].values,
            study.models[0].labels[0].columns[0].values);
  EXPECT_THAT(lead_html(found.views[0].study), HasSubstr("organ 1"));
}

TEST(LabelViews, are_none_where_there_is_nothing_to_choose) {
  EXPECT_THAT(label_views({}, {}).views, IsEmpty());
  EXPECT_THAT(label_views(studies::study({.models = 2, .cases = 9, .labels = 1}), {}).views,
              IsEmpty());
  Study asked = studies::study({.models = 2, .cases = 9, .labels = 2});
  asked.comparison->settings.choice.labels = {"1"};
  EXPECT_THAT(label_views(asked, {}).views, IsEmpty());
}

TEST(LabelViews, leave_out_labels_that_a_model_lacks) {
  Study study = studies::study({.models = 2, .cases = 9, .labels = 3});
  study.models[1].labels.pop_back();
  EXPECT_THAT(keys_of(label_views(study, {})), ElementsAre("1", "2"));
}

TEST(LabelViews, of_many_labels_are_the_first_and_say_so) {
  const LabelViews found = label_views(studies::study({.models = 1, .cases = 9, .labels = 14}), {});
  EXPECT_THAT(found.views, SizeIs(12));
  ASSERT_THAT(found.notes, SizeIs(1));
  EXPECT_THAT(found.notes[0], HasSubstr("12 of 14 labels"));
  EXPECT_THAT(found.notes[0], HasSubstr("--label 13"));
}

TEST(LabelViews, make_blocks_of_the_page_that_cannot_be_markup) {
  PageContent content;
  content.study = studies::study({.models = 2, .cases = 9, .labels = 2});
  for (compare::ResultTable& table : content.study.models) table.labels[0].name = "</script><b>";
  content.views = label_views(content.study, {}).views;
  const PageText page = report_page(content);
  EXPECT_THAT(page.html, HasSubstr("id=\"view-1\""));
  EXPECT_THAT(page.html, HasSubstr("\"name\":\"\\u003c/script>"));
  EXPECT_THAT(page.html, Not(HasSubstr("</script><b>")));
  content.budget_bytes = 1000;
  const PageText small = report_page(content);
  EXPECT_THAT(small.html, Not(HasSubstr("id=\"view-1\"")));
  ASSERT_THAT(small.dropped, SizeIs(1));
  EXPECT_THAT(small.dropped[0], HasSubstr("the choice of 2 labels left out"));
}

}  // namespace label_views_test
