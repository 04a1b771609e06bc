// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace slide_check_test {

using namespace assay;
using namespace assay::qa;
using testing::ElementsAre;
using testing::HasSubstr;

ItemTable table() {
  ItemTable out;
  const auto add = [&](const std::string& benchmark, const std::string& id,
                       const std::string& slide) {
    out.items.push_back(
        {.benchmark = benchmark, .id = id, .image_path = slide, .file_id = "", .prompt = ""});
  };
  add("tcga", "1", "a.svs");
  add("tcga_expert_vqa", "1", "a.svs");
  add("tcga_expert_vqa", "2", "b.svs");
  add("tcga_expert_vqa", "3", "a.svs");
  add("mine", "1", "c.svs");
  for (const char* name : {"tcga", "tcga_expert_vqa", "mine"})
    out.benchmarks.push_back({.name = name});
  return out;
}

TEST(SlideCheck, counts_slides_once_per_benchmark) {
  const SlideCheck check = expected_slides(table(), {});
  ASSERT_EQ(check.benchmarks.size(), 3U);
  EXPECT_EQ(check.benchmarks[1].questions, 3U);
  ASSERT_EQ(check.benchmarks[1].slides.size(), 2U);
  EXPECT_EQ(check.benchmarks[1].slides[0].image_path, "a.svs");
  EXPECT_EQ(check.benchmarks[1].slides[0].questions, 2U);
  EXPECT_EQ(check.benchmarks[1].count(SlideState::missing), 2U);
  EXPECT_FALSE(check.complete());
}

TEST(SlideCheck, slides_that_benchmarks_share_are_distinct_by_name_and_file) {
  SlideCheck check = expected_slides(table(), {});
  const auto names = [&] {
    std::vector<std::string> out;
    for (const CheckedSlide* slide : check.distinct_slides()) out.push_back(slide->image_path);
    return out;
  };
  EXPECT_THAT(names(), ElementsAre("a.svs", "b.svs", "c.svs"));
  check.benchmarks[0].slides[0].file = "tcga/a.svs";  // another file than the other benchmark's
  EXPECT_THAT(names(), ElementsAre("a.svs", "a.svs", "b.svs", "c.svs"));
}

TEST(SlideCheck, says_what_the_published_table_has_more) {
  EXPECT_THAT(expected_slides(table(), {}).notes,
              ElementsAre("tcga: 1 of 221 published questions",
                          "tcga_expert_vqa: 3 of 128 published questions",
                          "the benchmark mine is not one of the published ones"));
}

TEST(SlideCheck, takes_only_benchmarks_that_are_named) {
  const std::vector<std::string> one = {"mine"}, wrong = {"tcgaa"};
  SlideCheck check = expected_slides(table(), one);
  ASSERT_EQ(check.benchmarks.size(), 1U);
  EXPECT_EQ(check.benchmarks[0].questions, 1U);
  check.benchmarks[0].slides[0].state = SlideState::found;
  EXPECT_TRUE(check.complete());
  EXPECT_THAT(test::refusal([&] { expected_slides(table(), wrong); }),
              HasSubstr("did you mean 'tcga'?"));
}

}  // namespace slide_check_test
