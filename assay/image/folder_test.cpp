// SPDX-License-Identifier: Apache-2.0
#include "assay/image/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::folder_test {

using ::testing::ElementsAre;

TEST(Folder, pictures_among_volumes_are_passed_over) {
  EXPECT_THAT(without_illustrations({"a.nii.gz", "a.npz", "a.png", "progress.png", "x.ome.tif"}),
              ElementsAre("a.nii.gz", "a.npz"));
  EXPECT_THAT(without_illustrations({"a.npz", "a.png", "b.tiff"}),
              ElementsAre("a.npz", "a.png", "b.tiff"));
}

}  // namespace assay::folder_test
