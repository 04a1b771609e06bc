// SPDX-License-Identifier: Apache-2.0
#include "assay/image/nifti.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "assay/base/gzip.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::nifti_test {

using test::append;
using test::FileBytes;
using test::NiftiFile;
using test::refusal;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Image decoded(const NiftiFile& file) {
  return decode_image(file.bytes(), "x.nii");
}

std::string message(const NiftiFile& file) {
  return refusal([&] { decoded(file); });
}

/// 1.5 or 3 as a 128-bit number.
void append_f128(FileBytes& out, std::uint64_t high, bool big_endian) {
  if (big_endian) append(out, high, true);
  append(out, std::uint64_t{0}, big_endian);
  if (!big_endian) append(out, high, false);
}

struct TypeCase {
  int code;
  VoxelType type;
  std::function<FileBytes(bool big_endian)> stored;
  std::vector<double> values;
};

std::vector<TypeCase> type_cases() {
  const auto of = []<class T>(std::initializer_list<T> list) {
    return [values = std::vector<T>(list)](bool big) {
      FileBytes out;
      for (const T v : values) append(out, v, big);
      return out;
    };
  };
  return {
      {2,
       VoxelType::u8,
       of({std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{128}, std::uint8_t{255}}),
       {0, 1, 128, 255}},
      {256,
       VoxelType::i8,
       of({std::int8_t{0}, std::int8_t{1}, std::int8_t{-128}, std::int8_t{127}}),
       {0, 1, -128, 127}},
      {512,
       VoxelType::u16,
       of({std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{256}, std::uint16_t{65535}}),
       {0, 1, 256, 65535}},
      {4,
       VoxelType::i16,
       of({std::int16_t{0}, std::int16_t{1}, std::int16_t{-32768}, std::int16_t{32767}}),
       {0, 1, -32768, 32767}},
      {768, VoxelType::u32, of({0U, 1U, 65536U, 4294967295U}), {0, 1, 65536, 4294967295.0}},
      {8, VoxelType::i32, of({0, 1, -65536, 2147483647}), {0, 1, -65536, 2147483647}},
      {1280, VoxelType::u64, of({0UL, 1UL, 1UL << 40, 1UL << 63}), {0, 1, 0x1p40, 0x1p63}},
      {1024, VoxelType::i64, of({0L, 1L, -(1L << 40), 1L << 62}), {0, 1, -0x1p40, 0x1p62}},
      {16, VoxelType::f32, of({0.0F, 1.5F, -0.25F, 1e30F}), {0, 1.5, -0.25, double{1e30F}}},
      {64, VoxelType::f64, of({0.0, 1.5, -0.25, 1e300}), {0, 1.5, -0.25, 1e300}},
      {1536,
       VoxelType::f128,
       [](bool big) {
         FileBytes out;
         for (const std::uint64_t high :
              {0x0ULL, 0x3fff800000000000ULL, 0xbffd000000000000ULL, 0x4000800000000000ULL})
           append_f128(out, high, big);
         return out;
       },
       {0, 1.5, -0.25, 3}},
  };
}

TEST(Nifti, every_type_byte_order_version_and_compression) {
  for (const TypeCase& c : type_cases())
    for (const bool big_endian : {false, true})
      for (const int version : {1, 2})
        for (const bool compressed : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << "type " << c.code << (big_endian ? " big" : " little") << " NIfTI-"
                       << version << (compressed ? " gz" : ""));
          const NiftiFile file{.version = version,
                               .big_endian = big_endian,
                               .datatype = c.code,
                               .voxels = c.stored(big_endian)};
          const Image image =
              decode_image(compressed ? deflate_gzip(file.bytes()) : file.bytes(), "x");
          EXPECT_EQ(image.header().type, c.type);
          EXPECT_EQ(image.grid().shape, (Shape{2, 2, 1}));
          EXPECT_EQ(values(image), c.values);
        }
}

TEST(Nifti, scaling_is_nibabels) {
  struct Case {
    double slope, intercept;
    Scaling expected;
  };
  for (const Case& c : {Case{2, 3, {2, 3}}, Case{1, 0, {1, 0}}, Case{0, 7, {1, 0}},
                        Case{nan, 7, {1, 0}}, Case{inf, nan, {1, 0}}, Case{-1, 5, {-1, 5}}}) {
    const auto scaling = decoded({.slope = c.slope, .intercept = c.intercept}).header().scaling;
    EXPECT_EQ(scaling.slope, c.expected.slope);
    EXPECT_EQ(scaling.intercept, c.expected.intercept);
  }
  EXPECT_THAT(message({.slope = 2, .intercept = nan}), HasSubstr("scl_inter is NaN"));
}

TEST(Nifti, several_volumes_and_a_slope_are_written) {
  constexpr std::uint8_t stored[] = {128, 0, 0, 32, 0, 96};
  const auto files = encode_nifti("x.nii.gz", {.grid = {.shape = {2, 1, 1}},
                                               .voxels = std::as_bytes(std::span(stored)),
                                               .volumes = 3,
                                               .slope = 1.0 / 128});
  const Image read = decode_image(files.at(0).bytes, "x.nii.gz", Volumes::classes);
  EXPECT_EQ(read.header().channels, 3U);
  EXPECT_EQ(values(read), (std::vector<double>{1, 0, 0, 0.25, 0, 0.75}));
}

TEST(Nifti, sform_is_preferred_then_qform_then_the_base_affine) {
  NiftiFile file{.pixdim = {-1, 2, 3, 4, 0, 0, 0, 0},
                 .qform_code = 1,
                 .sform_code = 2,
                 .quatern = {0, 0, 1},
                 .qoffset = {10, 20, 30},
                 .srow = {5, 0, 0, 1, 0, 6, 0, 2, 0, 0, 7, 3}};
  EXPECT_EQ(decoded(file).grid().affine, (Affine{{{5, 0, 0, 1}, {0, 6, 0, 2}, {0, 0, 7, 3}}}));
  file.sform_code = 0;
  EXPECT_EQ(decoded(file).grid().affine,
            (Affine{{{-2, 0, 0, 10}, {0, -3, 0, 20}, {0, 0, -4, 30}}}));
  file.qform_code = 0;
  EXPECT_EQ(decoded(file).grid().affine,
            (Affine{{{-2, 0, 0, 1}, {0, 3, 0, -1.5}, {0, 0, 4, -0.0}}}));
}

TEST(Nifti, voxel_sizes_are_repaired_as_nibabel_does) {
  const NiftiFile file{.pixdim = {1, -2, 0, 4, 0, 0, 0, 0}, .sform_code = 0};
  EXPECT_EQ(spacing_mm(decoded(file).grid()), (Point{2, 1, 4}));
}

TEST(Nifti, units_become_millimetres) {
  struct Case {
    int code;
    double mm;
  };
  for (const Case& c :
       {Case{0, 1}, Case{1, 1000}, Case{2, 1}, Case{3, 0.001}, Case{10, 1}, Case{4, 1}})
    EXPECT_EQ(decoded({.units = c.code}).grid().affine[0][0], c.mm) << c.code;
}

TEST(Nifti, trailing_ones_are_dropped_and_two_axes_are_enough) {
  EXPECT_EQ(decoded({.dim = {5, 2, 2, 1, 1, 1, 1, 1}}).grid().shape, (Shape{2, 2, 1}));
  EXPECT_EQ(decoded({.dim = {2, 4, 1, 9, 9, 9, 9, 9}}).grid().shape, (Shape{4, 1, 1}));
  EXPECT_EQ(decoded({.dim = {7, 1, 2, 2, 1, 1, 1, 1}}).grid().shape, (Shape{1, 2, 2}));
}

TEST(Nifti, extensions_before_the_voxels_are_skipped) {
  NiftiFile file{.vox_offset = 400};
  file.voxels[3] = std::byte{9};
  EXPECT_THAT(values(decoded(file)), ElementsAre(0, 0, 0, 9));
}

TEST(Nifti, refusals_say_what_and_how_to_go_on) {
  struct Case {
    NiftiFile file;
    std::string sentence;
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<Case> cases = {
      {{.dim = {4, 2, 2, 1, 3, 1, 1, 1}}, "holds 3 volumes (2x2x1x3); assay takes one volume"},
      {{.dim = {5, 2, 2, 1, 1, 3, 1, 1}}, "holds 3 volumes (2x2x1x3)"},
      {{.dim = {3, 2, -2, 1, 1, 1, 1, 1}}, "its size is 2x-2x1: every axis needs"},
      {{.dim = {3, 2, 0, 1, 1, 1, 1, 1}}, "its size is 2x0x1: every axis needs"},
      {{.dim = {1, 4, 1, 1, 1, 1, 1, 1}}, "its header counts 1 axes; an image has 2 to 7"},
      {{.dim = {8, 4, 1, 1, 1, 1, 1, 1}}, "its header counts 8 axes; an image has 2 to 7"},
      {{.version = 2, .dim = {3, huge, huge, 2, 1, 1, 1, 1}}, "is impossible"},
      {{.version = 2, .dim = {5, 1, 1, 1, huge, huge, 1, 1}}, "is impossible"},
      {{.dim = {3, 32767, 32767, 32767, 1, 1, 1, 1}}, "is cut short: its header states 3518115"},
      {{.datatype = 77}, "its data type has the code 77, which NIfTI does not define"},
      {{.datatype = 32}, "its data type is complex64; assay reads scalar voxels only"},
      {{.datatype = 128}, "its data type is RGB;"},
      {{.datatype = 2304}, "its data type is RGBA;"},
      {{.magic = std::string(3, '\0')}, "is an Analyze 7.5 header"},
      {{.version = 2, .magic = "n+3"}, "transferred as text"},
      {{.vox_offset = 348}, "its vox_offset is 348, not a whole number of 352 or more"},
      {{.vox_offset = 352.5}, "its vox_offset is 352.5"},
      {{.vox_offset = 1e30}, "its vox_offset is"},
      {{.vox_offset = nan}, "its vox_offset is nan"},
      {{.srow = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}},
       "its sform is singular: voxels would coincide"},
      {{.srow = {}}, "its sform is singular"},
      {{.srow = {1, 0, 0, nan, 0, 1, 0, 0, 0, 0, 1, 0}}, "its sform holds NaN or infinity; repair"},
      {{.qform_code = 1, .sform_code = 0, .quatern = {1, 1, 0}}, "its qform is not a rotation"},
      {{.qform_code = 1, .sform_code = 0, .quatern = {nan, 0, 0}}, "its qform is not a rotation"},
      {{.pixdim = {1, nan, 1, 1, 0, 0, 0, 0}, .sform_code = 0}, "its voxel size holds NaN"},
      {{.magic = "ni1"}, "is the header of a pair, but is not named .hdr"},
      {{.voxels = FileBytes(3)}, "is cut short: its header states 356 bytes, but the file has 355"},
  };
  for (const Case& c : cases) EXPECT_THAT(message(c.file), HasSubstr("x.nii: ")) << c.sentence;
  for (const Case& c : cases) EXPECT_THAT(message(c.file), HasSubstr(c.sentence));
}

TEST(Nifti, header_cut_short_is_refused_at_every_length) {
  const FileBytes whole = NiftiFile{}.bytes();
  for (std::size_t size = 4; size < 348; ++size)
    EXPECT_THAT(refusal([&] { decode_image(std::span(whole).first(size), "x"); }),
                HasSubstr("header is cut short"));
}

TEST(Nifti, bytes_behind_plain_voxels_are_ignored_but_compressed_ones_must_fit) {
  NiftiFile file;
  file.voxels.resize(10);
  EXPECT_EQ(values(decoded(file)).size(), 4U);
  EXPECT_THAT(refusal([&] { decode_image(deflate_gzip(file.bytes()), "x"); }),
              HasSubstr("hold more than the 356 bytes that the header states"));
}

TEST(Nifti, bomb_is_refused_before_memory_is_taken) {
  const NiftiFile file{.dim = {3, 32767, 32767, 32767, 1, 1, 1, 1}};
  EXPECT_THAT(refusal([&] { decode_image(deflate_gzip(file.bytes()), "x"); }),
              HasSubstr("compressed bytes can hold"));
}

TEST(Nifti, pairs_are_read_by_either_name) {
  const TemporaryFolder folder;
  NiftiFile file{.magic = "ni1"};
  file.voxels[1] = std::byte{5};
  const FileBytes header = file.header();
  write_atomically(folder / "a.hdr", header);
  write_atomically(folder / "a.img", file.voxels);
  write_atomically(folder / "b.hdr.gz", deflate_gzip(header));
  write_atomically(folder / "b.img.gz", deflate_gzip(file.voxels));
  write_atomically(folder / "c.hdr", header);
  write_atomically(folder / "c.img.gz", deflate_gzip(file.voxels));
  for (const char* name : {"a.hdr", "a.img", "b.hdr.gz", "b.img.gz", "c.hdr", "c.img.gz"})
    EXPECT_THAT(values(read_image(folder / name)), ElementsAre(0, 5, 0, 0)) << name;
}

TEST(Nifti, image_that_was_asked_for_is_the_one_that_is_read) {
  const TemporaryFolder folder;
  NiftiFile file{.magic = "ni1"};
  write_atomically(folder / "a.hdr", file.header());
  for (const auto& [name, value] : {std::pair("a.img", 1), std::pair("a.img.gz", 2)}) {
    file.voxels.assign(4, static_cast<std::byte>(value));
    write_atomically(folder / name, value == 2 ? deflate_gzip(file.voxels) : file.voxels);
  }
  EXPECT_EQ(values(read_image(folder / "a.img"))[0], 1);
  EXPECT_EQ(values(read_image(folder / "a.img.gz"))[0], 2);
}

TEST(Nifti, voxels_that_look_like_gzip_are_voxels) {
  const TemporaryFolder folder;
  NiftiFile file{.magic = "ni1"};
  file.voxels = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}, std::byte{0}};
  write_atomically(folder / "a.hdr", file.header());
  write_atomically(folder / "a.img", file.voxels);
  EXPECT_THAT(values(read_image(folder / "a.img")), ElementsAre(0x1f, 0x8b, 8, 0));
}

TEST(Nifti, broken_pairs_are_explained) {
  const TemporaryFolder folder;
  write_atomically(folder / "a.hdr", NiftiFile{.magic = "ni1"}.header());
  EXPECT_THAT(refusal([&] { read_image(folder / "a.hdr"); }),
              HasSubstr("should be in a.img or a.img.gz next to it, which does not exist"));
  write_atomically(folder / "b.hdr", NiftiFile{}.bytes());
  write_atomically(folder / "b.img", "1234");
  EXPECT_THAT(refusal([&] { read_image(folder / "b.img"); }),
              HasSubstr("b.hdr, contains its own voxels; give that file instead"));
  write_atomically(folder / "c.img", "1234");
  EXPECT_THAT(refusal([&] { read_image(folder / "c.img"); }),
              HasSubstr("its header should be in c.hdr next to it, which does not exist"));
}

// A reader in wide use takes the voxels of x.nii when asked for x.nii.gz: a silent wrong result.
TEST(Nifti, sibling_of_another_compression_is_never_read) {
  const TemporaryFolder folder;
  NiftiFile file;
  file.voxels.assign(4, std::byte{1});
  write_atomically(folder / "x.nii", file.bytes());
  file.voxels.assign(4, std::byte{2});
  write_atomically(folder / "x.nii.gz", deflate_gzip(file.bytes()));
  EXPECT_EQ(values(read_image(folder / "x.nii"))[0], 1);
  EXPECT_EQ(values(read_image(folder / "x.nii.gz"))[0], 2);
  std::filesystem::remove(folder / "x.nii.gz");
  EXPECT_THAT(refusal([&] { read_image(folder / "x.nii.gz"); }), HasSubstr("does not exist"));
}

}  // namespace assay::nifti_test
