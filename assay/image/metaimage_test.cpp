// SPDX-License-Identifier: Apache-2.0
#include "assay/image/metaimage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::metaimage_test {

using test::append;
using test::bytes_of;
using test::FileBytes;
using test::refusal;
using test::TemporaryFolder;
using test::with_voxels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string start = "ObjectType = Image\n";
const std::string shape = "NDims = 3\nDimSize = 2 2 1\n";
const std::string local = "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n";

Image decoded(const std::string& header, const std::string& voxels = "abcd") {
  return decode_image(with_voxels(header, bytes_of(voxels)), "x.mha");
}

std::string message(const std::string& header, const std::string& voxels = "abcd") {
  return refusal([&] { decoded(header, voxels); });
}

TEST(MetaImage, voxels_follow_the_header) {
  EXPECT_THAT(values(decoded(start + shape + local)), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(values(decoded("NDims=3\r\n  DimSize =  2 2  1 \r\n"
                             "ElementType = MET_UCHAR\r\nElementDataFile = LOCAL\r\n")),
              ElementsAre('a', 'b', 'c', 'd'));
}

struct TypeCase {
  std::string name;
  VoxelType type;
  std::size_t size;
};

TEST(MetaImage, every_type_and_byte_order) {
  for (const TypeCase& c :
       {TypeCase{"MET_UCHAR", VoxelType::u8, 1}, TypeCase{"MET_CHAR", VoxelType::i8, 1},
        TypeCase{"MET_USHORT", VoxelType::u16, 2}, TypeCase{"MET_SHORT", VoxelType::i16, 2},
        TypeCase{"MET_UINT", VoxelType::u32, 4}, TypeCase{"MET_INT", VoxelType::i32, 4},
        TypeCase{"MET_ULONG", VoxelType::u32, 4}, TypeCase{"MET_LONG", VoxelType::i32, 4},
        TypeCase{"MET_ULONG_LONG", VoxelType::u64, 8},
        TypeCase{"MET_LONG_LONG", VoxelType::i64, 8}})
    for (const std::string key : {"BinaryDataByteOrderMSB", "ElementByteOrderMSB"})
      for (const bool big_endian : {false, true}) {
        SCOPED_TRACE(c.name);
        std::string voxels(4 * c.size, '\0');
        voxels[c.size * 3 + (big_endian ? c.size - 1 : 0)] = 7;
        const Image image =
            decoded(start + shape + key + (big_endian ? " = True\n" : " = False\n") +
                        "ElementType = " + c.name + "\nElementDataFile = LOCAL\n",
                    voxels);
        EXPECT_EQ(image.header().type, c.type);
        EXPECT_THAT(values(image), ElementsAre(0, 0, 0, 7));
      }
  FileBytes reals;
  for (const double x : {0.5, -1.0, 2.0, 1e300}) append(reals, x, false);
  const auto header = start + shape + "ElementType = MET_DOUBLE\nElementDataFile = LOCAL\n";
  EXPECT_THAT(values(decode_image(with_voxels(header, reals), "x")),
              ElementsAre(0.5, -1, 2, 1e300));
  reals.clear();
  for (const float x : {0.5F, -1.0F, 2.0F, 3.0F}) append(reals, x, true);
  const auto floats = start + shape +
                      "BinaryDataByteOrderMSB = True\nElementType = MET_FLOAT\n"
                      "ElementDataFile = LOCAL\n";
  EXPECT_THAT(values(decode_image(with_voxels(floats, reals), "x")), ElementsAre(0.5, -1, 2, 3));
}

TEST(MetaImage, affine_is_turned_from_lps_to_ras) {
  const Affine expected = {{{0, 0, -4, -10}, {-2, 0, 0, -20}, {0, 3, 0, 30}}};
  for (const std::string matrix : {"TransformMatrix", "Rotation", "Orientation"})
    for (const std::string offset : {"Offset", "Position", "Origin"})
      for (const std::string spacing : {"ElementSpacing", "ElementSize"})
        EXPECT_EQ(decoded(start + shape + matrix + " = 0 1 0 0 0 1 1 0 0\n" + offset +
                          " = 10 20 30\n" + spacing + " = 2 3 4\n" + local)
                      .grid()
                      .affine,
                  expected);
}

TEST(MetaImage, defaults_and_units) {
  EXPECT_EQ(decoded(start + shape + local).grid().affine,
            (Affine{{{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}}}));
  EXPECT_EQ(spacing_mm(decoded(start + shape + "ElementSize = 9 9 9\nElementSpacing = 1 2 3\n" +
                               "DistanceUnits = cm\n" + local)
                           .grid()),
            (Point{10, 20, 30}));
}

TEST(MetaImage, two_and_four_axes) {
  const Image flat = decoded(start + "NDims = 2\nDimSize = 2 2\nElementSpacing = 2 3\n" + local);
  EXPECT_EQ(flat.grid().shape, (Shape{2, 2, 1}));
  EXPECT_EQ(spacing_mm(flat.grid()), (Point{2, 3, 1}));
  EXPECT_EQ(decoded(start + "NDims = 4\nDimSize = 2 2 1 1\n" + local).grid().shape,
            (Shape{2, 2, 1}));
}

TEST(MetaImage, compressed_voxels) {
  const FileBytes zlib = deflate_zlib(bytes_of("abcd"));
  const std::string size = "CompressedDataSize = " + std::to_string(zlib.size()) + "\n";
  for (const std::string& extra : {std::string(), size})
    EXPECT_THAT(
        values(decode_image(
            with_voxels(start + shape + "CompressedData = True\n" + extra + local, zlib), "x")),
        ElementsAre('a', 'b', 'c', 'd'));
  const auto cut = FileBytes(zlib.begin(), zlib.end() - 5);
  EXPECT_THAT(refusal([&] {
                decode_image(with_voxels(start + shape + "CompressedData = True\n" + local, cut),
                             "x");
              }),
              HasSubstr("the compressed data are cut short"));
}

TEST(MetaImage, voxels_in_a_file_of_their_own) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  write_atomically(folder / "x.raw", "abcd");
  write_atomically(folder / "y.raw", "HEADabcd");
  write_atomically(folder / "z.zraw", deflate_zlib(bytes_of("abcd")));
  write_atomically(folder / "sub/w.raw", "abcd");
  const std::string type = "ElementType = MET_UCHAR\n";
  for (const std::string& rest :
       {std::string("ElementDataFile = x.raw\n"), std::string("ElementDataFile = sub/w.raw\n"),
        std::string("HeaderSize = 4\nElementDataFile = y.raw\n"),
        std::string("HeaderSize = -1\nElementDataFile = y.raw\n"),
        std::string("CompressedData = True\nElementDataFile = z.zraw\n")}) {
    write_atomically(folder / "x.mhd", start + shape + type + rest);
    EXPECT_THAT(values(read_image(folder / "x.mhd")), ElementsAre('a', 'b', 'c', 'd')) << rest;
  }
}

TEST(MetaImage, refusals_say_what_and_how_to_go_on) {
  struct Case {
    std::string header, sentence;
  };
  const std::string type = "ElementType = MET_UCHAR\n";
  for (const Case& c : {
           Case{start + "NDims = 5\n", "its header counts 5 axes; assay reads 2 to 4"},
           Case{start + "NDims = three\n",
                "its header says 'NDims = three', which is not a number"},
           Case{start + "NDims = 3\nDimSize = 2 2\n" + local,
                "its DimSize has 2 numbers instead of 3"},
           Case{start + "NDims = 3\nDimSize = 2 -2 1\n" + local, "its size is 2x-2x1"},
           Case{start + "NDims = 4\nDimSize = 2 2 1 3\n" + local, "holds 3 volumes (2x2x1x3)"},
           Case{start + "NDims = 3\nDimSize = 4000000000 4000000000 4000000000\n" + local,
                "is impossible"},
           Case{start + "NDims = 3\nDimSize = 2 2 9\n" + local, "is cut short: its header states"},
           Case{start + shape + "ElementType = MET_FLOAT_ARRAY\n",
                "its ElementType 'MET_FLOAT_ARRAY'"},
           Case{start + shape + "ElementNumberOfChannels = 3\n", "has 3 channels per voxel"},
           Case{start + shape + "BinaryData = False\n", "written as text"},
           Case{start + shape + type + "ElementDataFile = LIST\n", "spread over several files"},
           Case{start + shape + type + "ElementDataFile = x%03d.raw 1 9 1\n",
                "spread over several files"},
           Case{start + shape + type + "ElementDataFile = ../truth.raw\n",
                "'../truth.raw', outside the header's folder"},
           Case{start + shape + type + "ElementDataFile = /etc/passwd\n", "outside the header's"},
           Case{start + shape + type + "ElementDataFile = x.raw\n",
                "has its voxels in another file"},
           Case{start + shape + "ElementSpacing = 1 0 1\n" + local, "is singular"},
           Case{start + shape + "ElementSpacing = 1 nan 1\n" + local, "holds NaN or infinity"},
           Case{start + shape + "ElementSpacing = 1 1\n" + local,
                "its ElementSpacing has 2 numbers instead of 3"},
           Case{start + shape + "TransformMatrix = 1 0 0 1\n" + local,
                "its TransformMatrix has 4 numbers instead of 9"},
           Case{start + shape + "DistanceUnits = mile\n", "which is not mm, um or cm"},
           Case{start + shape + "HeaderSize = -2\n", "'HeaderSize = -2'"},
           Case{start + shape + "CompressedData = True\nHeaderSize = 4\n" + local,
                "has compressed voxels and a HeaderSize"},
           Case{start + "DimSize = 2 2 1\n" + local, "its header has no 'NDims = ...'"},
           Case{start + "NDims = 3\n" + local, "its header has no 'DimSize = ...'"},
           Case{start + shape + "ElementDataFile = LOCAL\n",
                "its header has no 'ElementType = ...'"},
           Case{"ObjectType = Mesh\n", "of type 'Mesh', not an image"},
           Case{start + shape, "does not end with 'ElementDataFile"},
       })
    EXPECT_THAT(message(c.header), HasSubstr(c.sentence));
}

TEST(MetaImage, impossible_sizes_are_refused_before_memory_is_taken) {
  const auto header = start + "NDims = 3\nDimSize = 100000 100000 100\nCompressedData = True\n";
  EXPECT_THAT(message(header + local), HasSubstr("compressed bytes can hold"));
}

}  // namespace assay::metaimage_test
