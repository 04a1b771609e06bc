// SPDX-License-Identifier: Apache-2.0
#include "assay/image/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assay/base/crc32.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::npy_test {

using test::append;
using test::bytes_of;
using test::FileBytes;
using test::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Array {
  std::string type = "|u1", shape = "(3, 2, 1)", order = "False";
  FileBytes voxels = bytes_of("abcdef");
  int version = 1;

  FileBytes bytes() const {
    std::string text =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    text += std::string(117 - text.size() % 64, ' ') + "\n";
    FileBytes out = bytes_of("\x93NUMPY");
    append(out, static_cast<std::uint8_t>(version), false);
    append(out, std::uint8_t{0}, false);
    if (version == 1)
      append(out, static_cast<std::uint16_t>(text.size()), false);
    else
      append(out, static_cast<std::uint32_t>(text.size()), false);
    for (const FileBytes& part : {bytes_of(text), voxels})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }
};

/// One array in an archive, as zipfile writes it.
struct Member {
  std::string name;
  FileBytes content;
  bool deflated = false;
};

FileBytes zipped(const std::vector<Member>& members) {
  FileBytes file, directory;
  const auto put = [](FileBytes& out, std::initializer_list<std::uint64_t> numbers, bool wide) {
    for (const std::uint64_t n : numbers)
      wide ? append(out, static_cast<std::uint32_t>(n), false)
           : append(out, static_cast<std::uint16_t>(n), false);
  };
  for (const Member& m : members) {
    FileBytes packed = m.content;
    if (m.deflated) {  // a gzip member without its wrapping
      packed = deflate_gzip(m.content);
      packed = FileBytes(packed.begin() + 10, packed.end() - 8);
    }
    const std::uint64_t method = m.deflated ? 8 : 0, at = file.size();
    put(file, {0x04034b50}, true);
    put(file, {20, 0, method, 0, 0}, false);
    put(file, {crc32(m.content), packed.size(), m.content.size()}, true);
    put(file, {m.name.size(), 0}, false);
    for (const FileBytes& part : {bytes_of(m.name), packed})
      file.insert(file.end(), part.begin(), part.end());
    put(directory, {0x02014b50}, true);
    put(directory, {20, 20, 0, method, 0, 0}, false);
    put(directory, {crc32(m.content), packed.size(), m.content.size()}, true);
    put(directory, {m.name.size(), 0, 0, 0, 0}, false);
    put(directory, {0, at}, true);
    const FileBytes name = bytes_of(m.name);
    directory.insert(directory.end(), name.begin(), name.end());
  }
  const std::size_t start = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  put(file, {0x06054b50}, true);
  put(file, {0, 0, members.size(), members.size()}, false);
  put(file, {directory.size(), start}, true);
  put(file, {0}, false);
  return file;
}

Image decoded(const FileBytes& file) {
  return decode_image(file, "x.npy", Volumes::classes);
}

std::string message(const FileBytes& file) {
  return refusal([&] { decoded(file); });
}

TEST(Npy, axes_are_indexed_x_y_z_whatever_the_order_in_memory) {
  const Image fortran = decoded(Array{.order = "True"}.bytes());
  EXPECT_EQ(fortran.grid().shape, (Shape{3, 2, 1}));
  EXPECT_FALSE(fortran.grid().in_space);
  EXPECT_THAT(values(fortran), ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  const Image c = decoded(Array{}.bytes());  // a(0,0) b(0,1) c(1,0) d(1,1) e(2,0) f(2,1)
  EXPECT_EQ(c.grid().shape, (Shape{1, 2, 3}));
  const AxisMap map = axis_map(c.grid(), Grid{.shape = {3, 2, 1}});
  EXPECT_EQ(reoriented(c.grid(), map).shape, (Shape{3, 2, 1}));
  EXPECT_EQ(reoriented(c.grid(), map).affine, identity_affine);
  const auto stored = values(c);
  const std::vector<std::uint8_t> voxels(stored.begin(), stored.end());
  std::vector<std::uint8_t> walked(6);
  reorient(View<std::uint8_t>{c.grid(), voxels}, map, std::span(walked));
  EXPECT_THAT(walked, ElementsAre('a', 'c', 'e', 'b', 'd', 'f'));
  EXPECT_EQ(decoded(Array{.shape = "(3, 2)"}.bytes()).grid().shape, (Shape{1, 2, 3}));
}

TEST(Npy, every_type_and_byte_order) {
  struct Case {
    std::string name;
    VoxelType type;
    std::size_t size;
  };
  for (const Case& c :
       {Case{"b1", VoxelType::u8, 1}, Case{"u1", VoxelType::u8, 1}, Case{"i1", VoxelType::i8, 1},
        Case{"u2", VoxelType::u16, 2}, Case{"i2", VoxelType::i16, 2}, Case{"u4", VoxelType::u32, 4},
        Case{"i4", VoxelType::i32, 4}, Case{"u8", VoxelType::u64, 8},
        Case{"i8", VoxelType::i64, 8}})
    for (const bool big_endian : {false, true})
      for (const int version : {1, 2, 3}) {
        FileBytes voxels(4 * c.size);
        voxels[c.size + (big_endian ? c.size - 1 : 0)] = std::byte{7};
        const Array array = {.type = (big_endian ? ">" : "<") + c.name,
                             .shape = "(4, 1)",
                             .voxels = voxels,
                             .version = version};
        const Image image = decoded(array.bytes());
        EXPECT_EQ(image.header().type, c.type) << c.name;
        EXPECT_THAT(values(image), ElementsAre(0, 7, 0, 0)) << c.name;
      }
  FileBytes halves, floats;
  for (const std::uint16_t bits : {0x3800, 0x3c00, 0x0000, 0x7800}) append(halves, bits, true);
  for (const float x : {0.5F, 1.0F, 0.0F, 0.25F}) append(floats, x, false);
  EXPECT_THAT(values(decoded(Array{.type = ">f2", .shape = "(4, 1)", .voxels = halves}.bytes())),
              ElementsAre(0.5, 1, 0, 32768));
  EXPECT_THAT(values(decoded(Array{.type = "<f4", .shape = "(4, 1)", .voxels = floats}.bytes())),
              ElementsAre(0.5, 1, 0, 0.25));
}

TEST(Npy, the_first_of_four_axes_counts_classes) {
  const Array array = {.type = "<f4", .shape = "(2, 4, 3, 1)", .voxels = FileBytes(96)};
  const Image c = decoded(array.bytes());
  EXPECT_EQ(c.header().channels, 2U);
  EXPECT_FALSE(c.header().interleaved);
  EXPECT_EQ(c.grid().shape, (Shape{1, 3, 4}));
  Array fortran = array;
  fortran.order = "True";
  EXPECT_TRUE(decoded(fortran.bytes()).header().interleaved);
  EXPECT_EQ(decoded(fortran.bytes()).grid().shape, (Shape{4, 3, 1}));
}

TEST(Npz, the_only_array_or_the_one_of_a_known_name) {
  const FileBytes array = Array{.order = "True"}.bytes();
  const FileBytes other = Array{.shape = "(1, 1)", .voxels = bytes_of("z")}.bytes();
  for (const bool deflated : {false, true}) {
    EXPECT_THAT(values(decoded(zipped({{"anything.npy", array, deflated}}))),
                ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
    for (const std::string name : {"arr_0", "mask", "labels"})
      EXPECT_EQ(decoded(zipped({{"a.npy", other, deflated}, {name + ".npy", array, deflated}}))
                    .grid()
                    .size(),
                6U)
          << name;
  }
  EXPECT_THAT(message(zipped({{"a.npy", array}, {"b.npy", array}})),
              HasSubstr("holds several arrays (a.npy, b.npy); save one, or name it mask"));
  EXPECT_THAT(message(zipped({{"a.txt", array}})), HasSubstr("without any NumPy array"));
}

TEST(Npz, probabilities_of_nnunet_are_indexed_class_z_y_x) {
  const Array array = {.type = "<f4", .shape = "(2, 4, 3, 1)", .voxels = FileBytes(96)};
  for (const std::string name : {"probabilities", "softmax"}) {
    const Image image = decoded(zipped({{name + ".npy", array.bytes(), true}}));
    EXPECT_EQ(image.header().channels, 2U);
    EXPECT_EQ(image.grid().shape, (Shape{1, 3, 4}));
    EXPECT_EQ(image.grid().affine, identity_affine);
  }
}

TEST(Npz, a_damaged_archive_is_refused) {
  FileBytes file = zipped({{"mask.npy", Array{}.bytes(), true}});
  FileBytes checksum = file;
  checksum[file.size() - 22 - 8 - 46 + 16] ^= std::byte{1};  // in the directory
  EXPECT_THAT(message(checksum), HasSubstr("checksum does not match"));
  EXPECT_THAT(message(FileBytes(file.begin(), file.end() - 30)), HasSubstr("cut off"));
  const Array shorter = {.shape = "(9, 9, 9)"};
  EXPECT_THAT(message(zipped({{"mask.npy", shorter.bytes(), false}})),
              HasSubstr("is shorter than"));
  EXPECT_THAT(message(zipped({{"mask.npy", shorter.bytes(), true}})), HasSubstr("hold only"));
}

TEST(Npy, what_cannot_be_read_is_refused_in_words) {
  struct Case {
    Array array;
    std::string expected;
  };
  for (const Case& c :
       {Case{{.type = "|O"}, "Python objects, which assay never unpickles"},
        Case{{.type = "<c8"}, "'<c8' is not a scalar type"},
        Case{{.type = "<U3"}, "'<U3' is not a scalar type"},
        Case{{.type = ""}, "is not a scalar type"}, Case{{.shape = "(6,)"}, "has 1 axes (6)"},
        Case{{.shape = "()"}, "has 0 axes"}, Case{{.shape = "(1, 1, 1, 1, 6)"}, "has 5 axes"},
        Case{{.shape = "(-3, 2)"}, "every axis needs at least one voxel"},
        Case{{.shape = "(3, x)"}, "its NumPy header is damaged"},
        Case{{.shape = "(300, 2, 1)"}, "is cut short"},
        Case{{.shape = "(2, 3, 1, 1)"}, "holds 2 volumes (1x1x3x2)"}})
    EXPECT_THAT(message(c.array.bytes()), HasSubstr(c.expected)) << c.array.type << c.array.shape;
  FileBytes record = Array{}.bytes();
  EXPECT_THAT(message(FileBytes(record.begin(), record.begin() + 40)), HasSubstr("damaged"));
}

}  // namespace assay::npy_test
