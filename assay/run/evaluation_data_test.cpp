// SPDX-License-Identifier: Apache-2.0
#include "assay/run/evaluation_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/core/error.hpp"
#include "assay/io/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string trouble(const fs::path& data, const fs::path& images = {},
                    const fs::path& references = {}) {
  try {
    evaluation_data(data, images, references);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(EvaluationData, FindsTheFoldersThatPeopleUse) {
  const TemporaryFolder folder;
  for (const auto& [images, references] :
       {std::pair{"imagesTs", "labelsTs"}, {"images", "labels"}, {"images", "masks"}}) {
    const fs::path data = folder.path() / references;
    fs::create_directories(data / images);
    fs::create_directories(data / references);
    const EvaluationData found = evaluation_data(data, {}, {});
    EXPECT_EQ(found.images, data / images);
    EXPECT_EQ(found.references, data / references);
    EXPECT_TRUE(found.manifest.empty());
  }
}

TEST(EvaluationData, AFileIsATable) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "cases.csv") << "id,image,reference\n";
  const EvaluationData found = evaluation_data(folder.path() / "cases.csv", "a", "b");
  EXPECT_EQ(found.manifest, folder.path() / "cases.csv");
  EXPECT_EQ(found.images, "a");
  EXPECT_EQ(found.references, "b");
}

TEST(EvaluationData, SaysWhatItLookedFor) {
  const TemporaryFolder folder;
  EXPECT_THAT(trouble(folder.path()), testing::HasSubstr("imagesTs/ and labelsTs/"));
  for (const char* name : {"imagesTs", "labelsTs", "imagesTr", "labelsTr"})
    fs::create_directories(folder.path() / name);
  EXPECT_THAT(trouble(folder.path()), testing::HasSubstr("as well as imagesTr/"));
  EXPECT_THAT(trouble(folder.path(), "a"), testing::HasSubstr("go together"));
  EXPECT_THAT(trouble("", "a"), testing::HasSubstr("go together"));
  EXPECT_THAT(trouble(folder.path() / "absent"), testing::HasSubstr("no such file or folder"));
}

}  // namespace
}  // namespace assay
