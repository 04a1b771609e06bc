// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_lists.hpp"

#include <gmock/gmock.h>

#include "assay/base/data_for_test.hpp"
#include "assay/base/test_files.hpp"

namespace assay::qa::slide_lists_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(SlideLists, each_slide_once_by_the_archive_that_holds_it) {
  const TemporaryFolder folder;
  write_atomically(folder / "t.csv",
                   "benchmark_name,image_path,file_id,is_valid\n"
                   "tcga,A.svs,uuid-a,True\n"
                   "tcga_expert_vqa,A.svs,uuid-a,\n"
                   "tcga_slidebench,B.svs,uuid-b, true \n"
                   "tcga,C.svs,uuid-c,False\n"
                   "panda,p1.tiff,p1.tiff,True\n"
                   "mine,x.svs,x,True\n");
  const auto lists = slide_lists(folder / "t.csv");
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].file, "gdc_manifest.txt");
  EXPECT_EQ(lists[0].text, "id\nuuid-a\nuuid-b\n");
  EXPECT_EQ(lists[1].file, "panda_ids.txt");
  EXPECT_EQ(lists[1].text, "p1\n");
}

TEST(SlideLists, a_table_of_something_else_is_refused) {
  const TemporaryFolder folder;
  write_atomically(folder / "t.csv", "id,prediction\na,b\n");
  EXPECT_THAT(refusal([&] { slide_lists(folder / "t.csv"); }),
              HasSubstr("has no column 'benchmark_name'; is it the table of questions?"));
}

TEST(SlideLists, the_published_table) {
  const auto [table, absence] = test::real_data("multipathqa/MultiPathQA.csv");
  if (!absence.empty()) GTEST_SKIP() << absence;
  const auto lists = slide_lists(table);
  ASSERT_EQ(lists.size(), 3U);
  EXPECT_EQ(lists[1].ids.size(), 191U);
  EXPECT_EQ(lists[2].ids.size(), 197U);
  for (const std::string& id : lists[0].ids) EXPECT_EQ(id.size(), 36U) << id;
}

}  // namespace assay::qa::slide_lists_test
