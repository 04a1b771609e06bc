// SPDX-License-Identifier: Apache-2.0
#include "assay/score/dataset_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"

namespace dataset_json_test {

using namespace assay;
using namespace assay::score;

DatasetLabels read(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "dataset.json";
  write_atomically(path, text);
  return read_dataset_json(path);
}

TEST(DatasetJson, version_2_with_regions_and_ignore_label) {
  const auto labels =
      read(R"({"labels": {"background": 0, "whole": [2, 1], "core": 2, "ignore": 3}})");
  ASSERT_EQ(labels.regions.size(), 2U);
  EXPECT_EQ(labels.regions[0], (metrics::Region{"whole", "whole", {1, 2}, true}));
  EXPECT_EQ(labels.regions[1], (metrics::Region{"2", "core", {2}, true}));
  EXPECT_EQ(labels.ignored, 3);
}

TEST(DatasetJson, version_1_has_numbers_as_keys) {
  const auto labels = read(R"({"labels": {"0": "background", "1": "lesion"}})");
  EXPECT_EQ(labels.regions, (std::vector<metrics::Region>{{"1", "lesion", {1}}}));
  EXPECT_EQ(labels.ignored, std::nullopt);
}

TEST(DatasetJson, channels_are_counted_in_both_versions) {
  const std::string labels = R"("labels": {"background": 0, "a": 1})";
  EXPECT_EQ(read(R"({"channel_names": {"0": "T1", "1": "T2"}, )" + labels + "}").channels, 2U);
  EXPECT_EQ(read(R"({"modality": {"0": "CT"}, )" + labels + "}").channels, 1U);
  EXPECT_EQ(read("{" + labels + "}").channels, 0U);
}

TEST(DatasetJson, what_is_wrong_is_said) {
  const auto message = [](const std::string& text) { return test::refusal([&] { read(text); }); };
  EXPECT_THAT(message("{}"), testing::HasSubstr("has no \"labels\""));
  EXPECT_THAT(message(R"({"labels": {"a": 1.5}})"),
              testing::HasSubstr("named 'a' has a value that is not a whole number"));
  EXPECT_THAT(message(R"({"labels": {"background": 0}})"), testing::HasSubstr("names no label"));
}

}  // namespace dataset_json_test
