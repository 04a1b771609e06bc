// SPDX-License-Identifier: Apache-2.0
#include "assay/image/label_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"

namespace assay::label_table_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<LabelRow> parsed(std::string_view text) {
  return parse_label_table(text, "table");
}

std::string label_table_message(std::string_view text) {
  return refusal([&] { parsed(text); });
}

constexpr Color red = {255, 0, 0}, green = {0, 255, 0};

TEST(LabelTable, tables_with_a_header_go_by_the_names_of_columns) {
  const LabelRow lesion = {1, "lesion", red};
  EXPECT_THAT(parsed("value,name,r,g,b\n1,lesion,255,0,0\n"), ElementsAre(lesion));
  EXPECT_THAT(parsed("Index\tName\tColor\n1\tlesion\t#FF0000\n"), ElementsAre(lesion));
  EXPECT_THAT(parsed("name;label;red;green;blue\nlesion;1;255;0;0\n"), ElementsAre(lesion));
  EXPECT_THAT(parsed("index\tname\tcolor\n7\tthalamus\tn/a\n"),
              ElementsAre(LabelRow{7, "thalamus", std::nullopt}));
  EXPECT_THAT(parsed("value\n3\n"), ElementsAre(LabelRow{3, "", std::nullopt}));
}

TEST(LabelTable, freesurfer_and_slicer_write_index_name_and_colour) {
  EXPECT_THAT(parsed("#$Id: FreeSurferColorLUT.txt\n\n#No. Label Name: R G B A\n"
                     "0   Unknown        0   0   0   0\n17  Left-Hippocampus  255 0 0 0\n"),
              ElementsAre(LabelRow{0, "Unknown", Color{}}, LabelRow{17, "Left-Hippocampus", red}));
}

TEST(LabelTable, itk_snap_writes_the_name_last) {
  EXPECT_THAT(parsed("################\n# ITK-SnAP Label Description File\n"
                     "    0     0    0    0        0  0  0    \"Clear Label\"\n"
                     "    2     0  255    0        1  1  1    \"Label 2\"\r\n"),
              ElementsAre(LabelRow{0, "Clear Label", Color{}}, LabelRow{2, "Label 2", green}));
}

TEST(LabelTable, errors_name_the_line) {
  EXPECT_THAT(label_table_message("value,name\n1,a\nx,b\n"),
              HasSubstr("table: line 3 has the label 'x', which is not a whole number"));
  EXPECT_THAT(label_table_message("value,r,g,b\n1,1,2,256\n"), HasSubstr("from 0 to 255"));
  EXPECT_THAT(label_table_message("value,color\n1,red\n"), HasSubstr("#RRGGBB"));
  EXPECT_THAT(label_table_message("0 a 1 2 3 0\n1 b 1 2\n"),
              HasSubstr("line 2 is not 'index name"));
  EXPECT_THAT(label_table_message("1 255 0 0 \"a\n"), HasSubstr("line 1 is not 'index red"));
  EXPECT_THAT(label_table_message("value\n1\n1\n"), HasSubstr("names label 1 twice"));
  EXPECT_THAT(label_table_message("name\na\n"), HasSubstr("has no column of label values"));
  EXPECT_THAT(label_table_message("value,name\n"), HasSubstr("names no label"));
}

TEST(LabelTable, colours_must_be_there_and_differ) {
  const TemporaryFolder folder;
  const auto message = [&](std::string_view text) {
    write_atomically(folder / "colors.csv", text);
    return refusal([&] { read_color_table(folder / "colors.csv"); });
  };
  EXPECT_EQ(message("value,r,g,b\n1,255,0,0\n2,0,255,0\n"), "");
  EXPECT_THAT(message("value,name\n1,a\n"), HasSubstr("label 1 has no colour"));
  EXPECT_THAT(message("value,r,g,b\n1,9,9,9\n2,9,9,9\n"), HasSubstr("label 2 has the colour of"));
  EXPECT_THAT(message("value,r,g,b\n-1,9,9,9\n"), HasSubstr("label -1 is out of range"));
}

}  // namespace assay::label_table_test
