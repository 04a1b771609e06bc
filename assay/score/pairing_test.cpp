// SPDX-License-Identifier: Apache-2.0
#include "assay/score/pairing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace pairing_test {

using namespace assay;
using namespace assay::score;
using testing::HasSubstr;

using Names = std::vector<std::string>;

/// "prediction=reference" for each pair.
Names pairs(const Names& predictions, const Names& references) {
  Names out;
  for (const Pair& pair : paired(named_files(predictions), named_files(references)).pairs)
    out.push_back(pair.prediction.path + "=" + pair.reference.path);
  return out;
}

std::string message(const Names& predictions, const Names& references) {
  return test::refusal([&] { paired(named_files(predictions), named_files(references)); });
}

struct Row {
  const char* why;
  Names predictions, references, expected;
};

const Row rows[] = {
    {"the same name",
     {"a.nii.gz", "b.nii.gz"},
     {"a.nii.gz", "b.nii"},
     {"a.nii.gz=a.nii.gz", "b.nii.gz=b.nii"}},
    {"the same name in the same folder", {"x/a.nii"}, {"x/a.mha"}, {"x/a.nii=x/a.mha"}},
    {"a missing prediction does not shift the rest",
     {"case2.nii", "case3.nii"},
     {"case1.nii", "case2.nii", "case3.nii"},
     {"case2.nii=case2.nii", "case3.nii=case3.nii"}},
    {"BIDS: subject and session, another suffix",
     {"sub-1_ses-a_desc-net_mask.nii.gz", "sub-1_ses-b_desc-net_mask.nii.gz"},
     {"sub-1/ses-a/sub-1_ses-a_desc-manual_mask.nii.gz",
      "sub-1/ses-b/sub-1_ses-b_desc-manual_mask.nii.gz"},
     {"sub-1_ses-a_desc-net_mask.nii.gz=sub-1/ses-a/sub-1_ses-a_desc-manual_mask.nii.gz",
      "sub-1_ses-b_desc-net_mask.nii.gz=sub-1/ses-b/sub-1_ses-b_desc-manual_mask.nii.gz"}},
    {"BIDS: the space decides between two derivatives",
     {"sub-1_space-T1w_mask.nii", "sub-1_space-MNI_mask.nii"},
     {"sub-1_space-MNI_label-lesion.nii"},
     {"sub-1_space-MNI_mask.nii=sub-1_space-MNI_label-lesion.nii"}},
    {"another prefix",
     {"pred_001.nii", "pred_002.nii"},
     {"gt_001.nii", "gt_002.nii"},
     {"pred_001.nii=gt_001.nii", "pred_002.nii=gt_002.nii"}},
    {"numbers keep their common digits",
     {"seg10.nii", "seg11.nii"},
     {"label10.nii", "label11.nii", "label20.nii"},
     {"seg10.nii=label10.nii", "seg11.nii=label11.nii"}},
    {"another suffix, in folders",
     {"p1/out.nii", "p2/out.nii"},
     {"p1/gt.nii", "p2/gt.nii"},
     {"p1/out.nii=p1/gt.nii", "p2/out.nii=p2/gt.nii"}},
    {"one name extends the other", {"case1_seg.nii"}, {"case1.nii"}, {"case1_seg.nii=case1.nii"}},
    {"BIDS: another structure is another thing",
     {"sub-1_label-wm_mask.nii", "sub-2_label-wm_mask.nii"},
     {"sub-1_label-lesion_mask.nii", "sub-2_label-lesion_mask.nii"},
     {}},
    {"unrelated names do not pair", {"a.nii"}, {"b.nii"}, {}},
    {"case1 is not case10", {"case10.nii"}, {"case1.nii"}, {}},
};

TEST(Pairing, by_name) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(pairs(row.predictions, row.references), row.expected);
  }
}

TEST(Pairing, every_file_is_accounted_for) {
  const Pairing p = paired(named_files({"b.nii", "c.nii"}), named_files({"a.nii", "b.nii"}));
  ASSERT_EQ(p.without_prediction.size(), 1U);
  ASSERT_EQ(p.without_reference.size(), 1U);
  EXPECT_EQ(p.without_prediction[0].path, "a.nii");
  EXPECT_EQ(p.without_reference[0].path, "c.nii");
}

TEST(Pairing, ambiguity_is_an_error_that_proposes_a_pattern) {
  EXPECT_THAT(message({"sub-1_run-1_mask.nii", "sub-1_run-2_mask.nii"}, {"sub-1_lesion.nii"}),
              HasSubstr("several predictions fit"));
  EXPECT_THAT(message({"case1_a.nii", "case1_b.nii"}, {"case1.nii"}),
              HasSubstr("--pred-pattern '{id}_a.nii'"));
}

TEST(Pairing, two_files_for_one_case_are_an_error) {
  EXPECT_EQ(message({"a.nii", "a.nii.gz"}, {"a.nii"}),
            "case a has two prediction files, a.nii and a.nii.gz; remove one, or choose with a "
            "pattern");
}

TEST(Patterns, name_the_case_and_the_structure) {
  const auto files = matching_files({"s1/liver.nii.gz", "s1/left kidney.nii.gz", "readme.nii"},
                                    "{id}/{label}.nii.gz");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].stem, "s1");
  EXPECT_EQ(files[1].label, "left kidney");
  EXPECT_EQ(matching_files({"x_t1_mask.nii.gz"}, "{id}_*_mask.nii.gz")[0].stem, "x");
}

TEST(Patterns, are_taken_literally_but_for_star_and_braces) {
  EXPECT_EQ(matching_files({"a+(1).nii", "a1.nii"}, "{id}(1).nii").size(), 1U);
  EXPECT_THROW(matching_files({"a.nii"}, "{id}.mha"), Error);
  EXPECT_THROW(matching_files({"a.nii"}, "*.nii"), Error);
}

}  // namespace pairing_test
