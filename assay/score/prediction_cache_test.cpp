// SPDX-License-Identifier: Apache-2.0
#include "assay/score/prediction_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/temporary_folder.hpp"
#include "assay/base/test_files.hpp"

namespace assay::score::prediction_cache_test {

namespace fs = std::filesystem;

const Grid grid = {.shape = {2, 3, 2}};
const PredictionKey key = {"model", "recipe", "image"};

Volume<std::uint8_t> some_labels() {
  return {grid, {0, 1, 2, 3, 0, 0, 1, 1, 255, 0, 4, 5}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

TEST(PredictionCache, gives_back_what_was_kept) {
  const TemporaryFolder folder;
  const PredictionCache cache(folder.path());
  EXPECT_FALSE(cache.find(key, grid));
  const auto labels = some_labels();
  cache.keep(key, labels.view());
  const auto found = cache.find(key, grid);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->view().voxels, testing::ElementsAreArray(labels.view().voxels));
  EXPECT_EQ(found->grid(), grid);
}

TEST(PredictionCache, every_part_of_the_key_matters) {
  const TemporaryFolder folder;
  const PredictionCache cache(folder.path());
  const auto labels = some_labels();
  cache.keep(key, labels.view());
  EXPECT_FALSE(cache.find({"other", "recipe", "image"}, grid));
  EXPECT_FALSE(cache.find({"model", "other", "image"}, grid));
  EXPECT_FALSE(cache.find({"model", "recipe", "other"}, grid));
  EXPECT_FALSE(cache.find({"modelrecipe", "", "image"}, grid));
  EXPECT_FALSE(cache.find(key, {.shape = {3, 2, 2}}));
}

TEST(PredictionCache, does_not_believe_damaged_files) {
  const TemporaryFolder folder;
  const PredictionCache cache(folder / "cache");
  const auto labels = some_labels();
  cache.keep(key, labels.view());
  const auto files = files_in(folder / "cache");
  ASSERT_EQ(files.size(), 1U);
  std::ofstream(files[0]) << "no image";
  EXPECT_FALSE(cache.find(key, grid));
  cache.keep(key, labels.view());
  EXPECT_TRUE(cache.find(key, grid));
}

TEST(PredictionCache, without_a_folder_keeps_nothing) {
  const PredictionCache cache("");
  const auto labels = some_labels();
  cache.keep(key, labels.view());
  EXPECT_FALSE(cache.find(key, grid));
}

TEST(PredictionCache, a_folder_that_cannot_be_made_is_named) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const auto labels = some_labels();
  EXPECT_THAT(test::refusal(
                  [&] { PredictionCache(folder.path() / "file/below").keep(key, labels.view()); }),
              testing::HasSubstr("cannot be created"));
}

}  // namespace assay::score::prediction_cache_test
