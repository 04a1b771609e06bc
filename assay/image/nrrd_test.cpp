// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nrrd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::nrrd_test {

using test::append;
using test::bytes_of;
using test::FileBytes;
using test::refusal;
using test::TemporaryFolder;
using test::with_voxels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string start = "NRRD0004\n# by hand\n";
const std::string shape = "dimension: 3\nsizes: 2 2 1\n";
const std::string bytes_raw = "type: unsigned char\nencoding: raw\n";

Image decoded(const std::string& header, const std::string& voxels = "abcd") {
  return decode_image(with_voxels(header + "\n", bytes_of(voxels)), "x.nrrd", Volumes::classes);
}

std::string message(const std::string& header, const std::string& voxels = "abcd") {
  return refusal([&] { decoded(header, voxels); });
}

/// What Python's bz2 makes of "abcd" and of "xabcd".
const std::string packed_by_bzip2(
    "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x3d\x4c\x33\x4b\x00\x00\x00\x01\x00\x3c\x00\x20\x00"
    "\x21\x9a\x68\x33\x4d\x13\x3c\x5d\xc9\x14\xe1\x42\x40\xf5\x30\xcd\x2c",
    40);
const std::string packed_with_a_byte_more(
    "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x7a\xcc\x5e\x57\x00\x00\x02\x01\x80\x3c\x00\x00\x40"
    "\x20\x00\x21\x83\x41\x9a\x02\x5c\x71\x77\x24\x53\x85\x09\x07\xac\xc5\xe5\x70",
    42);

TEST(Nrrd, bzip2_is_unpacked) {
  const std::string header = start + shape + "type: uint8\nencoding: bzip2\n";
  EXPECT_THAT(values(decoded(header, packed_by_bzip2)), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(values(decoded(header + "byte skip: 1\n", packed_with_a_byte_more)),
              ElementsAre('a', 'b', 'c', 'd'));
  for (const std::string& wrong : {packed_with_a_byte_more, packed_by_bzip2.substr(0, 20)})
    EXPECT_THAT(message(header, wrong), HasSubstr("damaged or cut short"));
}

TEST(Nrrd, numbers_as_text) {
  const std::string header = start + shape + "encoding: ascii\ntype: ";
  EXPECT_THAT(values(decoded(header + "short\n", "1 -2,\t3\r\n40\n")), ElementsAre(1, -2, 3, 40));
  EXPECT_THAT(values(decoded(header + "float\n", "0.5 1e-3 0 1")),
              ElementsAre(0.5, float{1e-3F}, 0, 1));
  for (const std::string wrong : {"1 2 3", "1 2 3 4 5", "1 2 3 x", "1 2 3 4000"})
    EXPECT_THAT(message(header + "uchar\n", wrong), HasSubstr("more or fewer numbers")) << wrong;
}

TEST(Nrrd, lines_before_the_voxels_are_skipped) {
  const std::string lines = "line skip: 2\n", raw = start + shape + bytes_raw + lines;
  EXPECT_THAT(values(decoded(raw, "one\ntwo\nabcd")), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(values(decoded(raw + "byte skip: 1\n", "one\ntwo\nxabcd")),
              ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(
      values(decoded(start + shape + "type: uchar\nencoding: text\n" + lines, "one\ntwo\n1 2 3 4")),
      ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(message(raw, "one\n"), HasSubstr("fewer lines than its header skips"));
  EXPECT_THAT(message(raw, "one\ntwo\nabc"), HasSubstr("cut short"));
}

TEST(Nrrd, voxels_follow_the_empty_line) {
  EXPECT_THAT(values(decoded(start + shape + bytes_raw)), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(values(decoded("NRRD0001\r\nTYPE: uchar\r\nencoding: RAW\r\n"
                             "dimension: 3\r\nsizes: 2 2  1 \r\nkey:=type: float\r\n\r")),
              ElementsAre('a', 'b', 'c', 'd'));
}

struct TypeCase {
  std::string name;
  VoxelType type;
  std::size_t size;
};

TEST(Nrrd, every_type_and_byte_order) {
  for (const TypeCase& c :
       {TypeCase{"uint8", VoxelType::u8, 1}, TypeCase{"signed char", VoxelType::i8, 1},
        TypeCase{"ushort", VoxelType::u16, 2}, TypeCase{"short", VoxelType::i16, 2},
        TypeCase{"unsigned int", VoxelType::u32, 4}, TypeCase{"int32_t", VoxelType::i32, 4},
        TypeCase{"ulonglong", VoxelType::u64, 8}, TypeCase{"long long int", VoxelType::i64, 8}})
    for (const bool big_endian : {false, true}) {
      SCOPED_TRACE(c.name);
      std::string voxels(4 * c.size, '\0');
      voxels[c.size * 3 + (big_endian ? c.size - 1 : 0)] = 7;
      const Image image = decoded(start + shape + "encoding: raw\ntype: " + c.name +
                                      (big_endian ? "\nendian: big\n" : "\nendian: little\n"),
                                  voxels);
      EXPECT_EQ(image.header().type, c.type);
      EXPECT_THAT(values(image), ElementsAre(0, 0, 0, 7));
    }
  for (const bool big_endian : {false, true}) {
    FileBytes reals, wide;
    for (const float x : {0.5F, -1.0F, 2.0F, 3.0F}) append(reals, x, big_endian);
    for (const double x : {0.5, -1.0, 2.0, 1e300}) append(wide, x, big_endian);
    const std::string order = big_endian ? "endian: big\n" : "endian: little\n";
    const std::string head = start + shape + order + "encoding: raw\ntype: ";
    EXPECT_THAT(values(decode_image(with_voxels(head + "float\n\n", reals), "x")),
                ElementsAre(0.5, -1, 2, 3));
    EXPECT_THAT(values(decode_image(with_voxels(head + "double\n\n", wide), "x")),
                ElementsAre(0.5, -1, 2, 1e300));
  }
}

TEST(Nrrd, gzip_is_inflated_and_its_checksum_is_checked) {
  const std::string header = start + shape + "type: uint8\nencoding: gzip\n";
  const FileBytes packed = deflate_gzip(bytes_of("abcd"));
  EXPECT_THAT(values(decode_image(with_voxels(header + "\n", packed), "x")),
              ElementsAre('a', 'b', 'c', 'd'));
  const FileBytes skipped = deflate_gzip(bytes_of("..abcd"));
  EXPECT_THAT(values(decode_image(with_voxels(header + "byte skip: 2\n\n", skipped), "x")),
              ElementsAre('a', 'b', 'c', 'd'));
  FileBytes damaged = packed;
  damaged[damaged.size() - 8] ^= std::byte{1};
  EXPECT_THAT(refusal([&] { decode_image(with_voxels(header + "\n", damaged), "x"); }),
              HasSubstr("checksum does not match"));
}

TEST(Nrrd, affine_is_turned_to_ras) {
  const std::string turned =
      "space directions: (0,2,0) (0,0,3) (4,0,0)\nspace origin: (10,20,30)\n";
  struct Case {
    std::string space;
    Affine affine;
  };
  const Affine lps = {{{0, 0, -4, -10}, {-2, 0, 0, -20}, {0, 3, 0, 30}}};
  for (const Case& c :
       {Case{"left-posterior-superior", lps}, Case{"LPS", lps}, Case{"3D-right-handed", lps},
        Case{"right-anterior-superior", {{{0, 0, 4, 10}, {2, 0, 0, 20}, {0, 3, 0, 30}}}},
        Case{"LAS", {{{0, 0, -4, -10}, {2, 0, 0, 20}, {0, 3, 0, 30}}}}})
    EXPECT_EQ(
        decoded(start + shape + bytes_raw + "space: " + c.space + "\n" + turned).grid().affine,
        c.affine)
        << c.space;
  const auto micrometres = decoded(start + shape + bytes_raw + "space: RAS\n" + turned +
                                   "space units: \"um\" \"um\" \"um\"\n");
  EXPECT_EQ(micrometres.grid().affine[1][0], 0.002);
}

TEST(Nrrd, spacings_alone_are_enough) {
  EXPECT_EQ(decoded(start + shape + bytes_raw + "spacings: 2 3 4\n").grid().affine,
            (Affine{{{-2, 0, 0, 0}, {0, -3, 0, 0}, {0, 0, 4, 0}}}));
  EXPECT_EQ(decoded(start + shape + bytes_raw).grid().affine,
            (Affine{{{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}}}));
}

TEST(Nrrd, a_slice_has_two_axes) {
  const Image image = decoded(start + "dimension: 2\nsizes: 2 2\n" + bytes_raw +
                              "space dimension: 2\nspace directions: (2,0) (0,3)\n"
                              "space origin: (1,2)\n");
  EXPECT_EQ(image.grid().shape, (Shape{2, 2, 1}));
  EXPECT_EQ(image.grid().affine, (Affine{{{-2, 0, 0, -1}, {0, -3, 0, -2}, {0, 0, 1, 0}}}));
}

TEST(Nrrd, an_axis_that_is_not_space_counts_volumes) {
  const std::string real = "type: float\nendian: little\nencoding: raw\ndimension: 4\n";
  const std::string directions = "(1,0,0) (0,1,0) (0,0,1)";
  const Image first = decoded(
      start + real + "sizes: 3 2 2 1\nspace: RAS\nspace directions: none " + directions + "\n",
      std::string(48, '\0'));
  EXPECT_EQ(first.grid().shape, (Shape{2, 2, 1}));
  EXPECT_EQ(first.header().channels, 3U);
  EXPECT_TRUE(first.header().interleaved);
  const Image last = decoded(start + real + "sizes: 2 2 1 3\nkinds: domain domain domain list\n",
                             std::string(48, '\0'));
  EXPECT_EQ(last.header().channels, 3U);
  EXPECT_FALSE(last.header().interleaved);
  EXPECT_THAT(refusal([&] {
                decode_image(with_voxels(start + real + "sizes: 2 2 1 3\n\n", FileBytes(48)), "x");
              }),
              HasSubstr("holds 3 volumes (2x2x1x3)"));
  const Image one = decoded(
      start + "dimension: 4\nsizes: 1 2 2 1\nkinds: vector space space space\n" + bytes_raw);
  EXPECT_EQ(one.grid().shape, (Shape{2, 2, 1}));
  EXPECT_EQ(one.header().channels, 1U);
}

TEST(Nrrd, voxels_may_be_beside_the_header) {
  const TemporaryFolder folder;
  const std::string header = start + shape + bytes_raw;
  write_atomically(folder / "x.nhdr", header + "data file: x.raw\n");
  write_atomically(folder / "x.raw", std::string_view("abcd"));
  EXPECT_THAT(values(read_image(folder / "x.nhdr")), ElementsAre('a', 'b', 'c', 'd'));
  write_atomically(folder / "end.nhdr", header + "byte skip: -1\ndatafile: end.raw\n");
  write_atomically(folder / "end.raw", std::string_view("a longer start abcd"));
  EXPECT_THAT(values(read_image(folder / "end.nhdr")), ElementsAre('a', 'b', 'c', 'd'));
  write_atomically(folder / "gz.nhdr",
                   start + shape + "type: uint8\nencoding: gz\n" + "data file: gz.raw.gz\n");
  write_atomically(folder / "gz.raw.gz", deflate_gzip(bytes_of("abcd")));
  EXPECT_THAT(values(read_image(folder / "gz.nhdr")), ElementsAre('a', 'b', 'c', 'd'));
}

TEST(Nrrd, what_cannot_be_read_is_refused_in_words) {
  struct Case {
    std::string header, expected;
  };
  for (const Case& c :
       {Case{start + shape + "type: uint8\nencoding: hex\n", "encoded as 'hex'; save it as raw"},
        Case{start + shape + "encoding: raw\ntype: block\n", "'block' is not a scalar type"},
        Case{start + shape + "encoding: raw\ntype: short\n", "has no 'endian: ...'"},
        Case{start + bytes_raw + "dimension: 3\n", "has no 'sizes: ...'"},
        Case{start + bytes_raw + "dimension: 3\nsizes: 2 2\n",
             "'sizes' has 2 entries instead of 3"},
        Case{start + bytes_raw + "dimension: 3\nsizes: 2 0 2\n", "every axis needs at least one"},
        Case{start + bytes_raw + "dimension: 9\n", "counts 9 axes"},
        Case{start + shape + bytes_raw + "space: LPST\n", "its space 'lpst'"},
        Case{start + shape + bytes_raw + "space directions: (1,0,0) (0,1) x\n", "vectors such as"},
        Case{start + shape + bytes_raw + "space directions: (1,0,0) (2,0,0) (0,0,1)\n", "singular"},
        Case{start + shape + bytes_raw + "spacings: 1 1 0\n", "singular"},
        Case{start + shape + bytes_raw + "space origin: (nan,0,0)\n", "NaN or infinity"},
        Case{start + shape + bytes_raw + "line skip: 2\n", "fewer lines than its header skips"},
        Case{start + shape + bytes_raw + "byte skip: -2\n", "a number of bytes, or -1"},
        Case{start + shape + bytes_raw + "data file: /etc/passwd\n", "outside the header's"},
        Case{start + shape + bytes_raw + "data file: a/../../b\n", "outside the header's"},
        Case{start + shape + bytes_raw + "data file: LIST\n", "spread over several files"},
        Case{start + bytes_raw + "dimension: 3\nsizes: 9 9 9\n", "is cut short"},
        Case{start + bytes_raw + "dimension: 4\nsizes: 2 2 2 1\nkinds: space list space space\n",
             "at most one axis of volumes before or after them"}})
    EXPECT_THAT(message(c.header), HasSubstr(c.expected)) << c.header;
  EXPECT_THAT(refusal([] { decode_image(bytes_of("NRRD0004\ntype: uint8\n"), "x"); }),
              HasSubstr("no empty line ends it"));
}

}  // namespace assay::nrrd_test
