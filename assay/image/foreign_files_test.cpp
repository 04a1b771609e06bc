// SPDX-License-Identifier: Apache-2.0
#include "assay/image/foreign_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/temporary_folder.hpp"

namespace foreign_files_test {

using namespace assay;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string kind(std::string_view bytes) {
  const auto found = foreign_kind(std::as_bytes(std::span(bytes)));
  return found ? std::string(found->name) : "";
}

const std::string jpeg = "\xff\xd8\xff\xe0", dicom = std::string(128, '\0') + "DICM";

TEST(ForeignFiles, are_told_by_their_first_bytes) {
  EXPECT_EQ(kind(dicom), "DICOM");
  EXPECT_EQ(kind(jpeg), "JPEG");
  EXPECT_EQ(kind("NRRD0005"), "");
  EXPECT_EQ(kind(""), "");
  EXPECT_EQ(kind(std::string(127, '\0')), "");
}

TEST(ForeignFiles, a_folder_is_described_by_what_it_holds_most) {
  const TemporaryFolder folder;
  create_directories(folder.path() / "series");
  EXPECT_EQ(foreign_content(folder.path()), "");
  std::ofstream(folder.path() / "notes.txt") << "x";
  EXPECT_EQ(foreign_content(folder.path()), "");
  std::ofstream(folder.path() / "a.jpg") << jpeg;
  for (const char* name : {"IM1", "IM2", "IM3"})
    std::ofstream(folder.path() / "series" / name) << dicom;
  EXPECT_THAT(
      foreign_content(folder.path()),
      StartsWith("holds 3 DICOM files and 1 JPEG file, which assay does not read; convert"));
  EXPECT_THAT(foreign_content(folder.path()), HasSubstr("dcm2niix"));
}

}  // namespace foreign_files_test
