// SPDX-License-Identifier: Apache-2.0
#include "assay/score/evaluation_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/temporary_folder.hpp"
#include "assay/base/test_files.hpp"

namespace assay::score::evaluation_data_test {

namespace fs = std::filesystem;

std::string trouble(const fs::path& data, const fs::path& images = {},
                    const fs::path& references = {}) {
  return test::refusal([&] { evaluation_data({data, images, references}); });
}

TEST(EvaluationData, finds_the_folders_that_people_use) {
  const TemporaryFolder folder;
  for (const auto& [images, references] :
       {std::pair{"imagesTs", "labelsTs"}, {"images", "labels"}, {"images", "masks"}}) {
    const fs::path data = folder.path() / references;
    fs::create_directories(data / images);
    fs::create_directories(data / references);
    const EvaluationData found = evaluation_data({data});
    EXPECT_EQ(found.images, data / images);
    EXPECT_EQ(found.references, data / references);
    EXPECT_TRUE(found.manifest.empty());
  }
}

TEST(EvaluationData, a_file_is_a_table) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "cases.csv") << "id,image,reference\n";
  const EvaluationData found = evaluation_data({folder.path() / "cases.csv", "a", "b"});
  EXPECT_EQ(found.manifest, folder.path() / "cases.csv");
  EXPECT_EQ(found.images, "a");
  EXPECT_EQ(found.references, "b");
}

/// A data set with one image in each of these folders.
fs::path dataset(const TemporaryFolder& folder, const char* name,
                 const std::vector<const char*>& filled) {
  const fs::path data = folder.path() / name;
  for (const char* each : filled) {
    fs::create_directories(data / each);
    std::ofstream(data / each / "a.nii") << "";
  }
  return data;
}

TEST(EvaluationData, takes_test_cases_if_they_have_references) {
  const TemporaryFolder folder;
  const fs::path both = dataset(folder, "both", {"imagesTr", "labelsTr", "imagesTs", "labelsTs"});
  EXPECT_EQ(evaluation_data({both}).images, both / "imagesTs");
  EXPECT_EQ(evaluation_data({both}).note,
            "evaluated on imagesTs/ and labelsTs/; --split Tr takes imagesTr/ and labelsTr/");
  EXPECT_EQ(evaluation_data({.data = both, .split = "Tr"}).references, both / "labelsTr");
  EXPECT_EQ(evaluation_data({.data = both, .split = "Tr"}).note, "");
}

TEST(EvaluationData, takes_training_cases_if_test_cases_have_no_references) {
  const TemporaryFolder folder;
  const fs::path usual = dataset(folder, "usual", {"imagesTr", "labelsTr", "imagesTs"});
  for (const bool has_empty_folder : {false, true}) {
    if (has_empty_folder) fs::create_directories(usual / "labelsTs");
    EXPECT_EQ(evaluation_data({usual}).images, usual / "imagesTr");
    EXPECT_EQ(evaluation_data({usual}).note,
              "evaluated on imagesTr/ and labelsTr/; imagesTs/ has no references");
  }
  fs::remove(usual / "labelsTs");
  EXPECT_EQ(evaluation_data({dataset(folder, "one", {"imagesTr", "labelsTr"})}).note, "");
  EXPECT_THAT(test::refusal([&] { evaluation_data({.data = usual, .split = "Ts"}); }),
              testing::HasSubstr("(looked for imagesTs/ and labelsTs/)"));
}

TEST(EvaluationData, says_what_it_looked_for) {
  const TemporaryFolder folder;
  EXPECT_THAT(trouble(folder.path()), testing::HasSubstr("imagesTs/ and labelsTs/"));
  for (const char* name : {"images", "labels", "masks"})
    fs::create_directories(folder.path() / name);
  EXPECT_THAT(trouble(folder.path()), testing::HasSubstr("as well as images/ and masks/"));
  EXPECT_THAT(trouble(folder.path(), "a"), testing::HasSubstr("go together"));
  EXPECT_THAT(trouble("", "a"), testing::HasSubstr("go together"));
  EXPECT_THAT(trouble(folder.path() / "absent"), testing::HasSubstr("no such file or folder"));
}

}  // namespace assay::score::evaluation_data_test
