// SPDX-License-Identifier: Apache-2.0
#include "assay/results/label_curves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json_reader.hpp"
#include "assay/error.hpp"

namespace label_curves_test {

using namespace assay;
using namespace assay::results;
using testing::IsEmpty;
using testing::SizeIs;

std::string bins(const std::string& first) {
  std::string out = "[" + first;
  for (std::size_t i = 1; i < metrics::calibration_bins; ++i)
    out += R"(,{"voxels":0,"mean_probability":null,"foreground":null})";
  return out + "]";
}

std::string file_with(const std::string& settings, const std::string& cases) {
  return R"({"settings":)" + settings +
         R"(,"labels":{"1":{"name":"core","threshold_sweep":{"best_threshold":0.5,"thresholds":[)"
         R"({"threshold":0.5,"dice":0.75,"precision":null,"recall":1}]}},"2":{"name":"rim"}},)"
         R"("cases":[)" +
         cases + "]}";
}

std::vector<LabelCurves> curves_in(const std::string& text) {
  return label_curves(JsonObject(text, "a.json"));
}

TEST(LabelCurves, sum_the_bins_of_cases_by_voxels) {
  const auto one = [](const std::string& bin) {
    return R"({"id":"a","label":{"1":{"dice":0.5,"probability":{"calibration":)" + bins(bin) +
           "}}}}";
  };
  const auto found =
      curves_in(file_with(R"({"probability":{}})",
                          one(R"({"voxels":10,"mean_probability":0.02,"foreground":0.1})") + "," +
                              one(R"({"voxels":30,"mean_probability":0.04,"foreground":0.2})")));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "core");
  EXPECT_EQ(found[0].maps, 2U);
  EXPECT_EQ(found[0].calibration[0].voxels, 40);
  EXPECT_EQ(found[0].calibration[0].positives, 7);
  EXPECT_DOUBLE_EQ(found[0].calibration[0].sum, 1.4);
  EXPECT_EQ(found[0].calibration[1].voxels, 0);
  ASSERT_THAT(found[0].sweep, SizeIs(1));
  EXPECT_EQ(found[0].sweep[0].dice, 0.75);
  EXPECT_FALSE(found[0].sweep[0].precision);
  EXPECT_THAT(found[1].sweep, IsEmpty());
}

TEST(LabelCurves, name_the_case_of_every_lesion_wherever_its_id_is_written) {
  const auto found = curves_in(file_with(
      R"({"lesions":{}})",
      R"({"label":{"2":{"lesions":{"reference":[{"lesion":1,"volume_ml":2.5,"detected": true},)"
      R"({"lesion":2,"volume_ml":null,"detected":false}],"prediction":[{"true":true}]}}},)"
      R"("id":"z"})"));
  ASSERT_THAT(found[1].lesions, SizeIs(2));
  EXPECT_EQ(found[1].lesions[0].id, "z");
  EXPECT_EQ(found[1].lesions[0].volume_ml, 2.5);
  EXPECT_TRUE(found[1].lesions[0].detected);
  EXPECT_EQ(found[1].lesions[1].volume_ml, 0);
}

TEST(LabelCurves, are_not_looked_for_where_nothing_was_scored_that_has_them) {
  EXPECT_THAT(curves_in(file_with("{}", "")), IsEmpty());
  EXPECT_THAT(curves_in("{}"), IsEmpty());
}

TEST(LabelCurves, refuse_bins_that_are_no_shares) {
  const auto text =
      file_with(R"({"probability":{}})",
                R"({"id":"a","label":{"1":{"probability":{"calibration":)" +
                    bins(R"({"voxels":10,"mean_probability":7,"foreground":0.1})") + "}}}}");
  EXPECT_THROW(curves_in(text), Error);
}

}  // namespace label_curves_test
