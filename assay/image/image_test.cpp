// SPDX-License-Identifier: Apache-2.0
#include "assay/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "assay/base/data_for_test.hpp"
#include "assay/base/file.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/sanitizer_for_test.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image/layout.hpp"

namespace assay::image_test {

using test::bytes_of;
using test::FileBytes;
using test::NiftiFile;
using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

const Grid oblique = {
    .shape = {3, 4, 5},
    .affine = {{{-0.75, 0.5, 0, 10}, {1, 0.375, 0, -20}, {0, 0, 3, 30.5}}},  // perpendicular axes
};
const Grid sheared = {.shape = {3, 4, 5},
                      .affine = {{{1, 0.25, 0, 0}, {0, 1, 0.5, 0}, {0, 0, 2, 0}}}};

template <class T>
Volume<T> ramp(const Grid& grid) {
  Volume<T> volume(grid);
  std::iota(volume.voxels().begin(), volume.voxels().end(), T{0});
  return volume;
}

template <class T>
void write_ramp(const std::filesystem::path& path, const Grid& grid) {
  const Volume<T> volume = ramp<T>(grid);
  write_image(path, volume.view());
}

template <class T>
void expect_round_trip(const std::filesystem::path& path, const Grid& grid) {
  SCOPED_TRACE(path.string());
  const Volume<T> volume = ramp<T>(grid);
  write_image(path, volume.view());
  const Image image = read_image(path);
  EXPECT_EQ(image.grid().shape, grid.shape);
  EXPECT_LT(greatest_corner_shift_mm(image.grid(), grid), 1e-5);
  const auto read = values(image);
  ASSERT_EQ(read.size(), grid.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    ASSERT_EQ(read[i], static_cast<double>(volume.view().voxels[i]));
}

std::vector<std::string> writable_endings() {
  return {".nii", ".nii.gz", ".hdr", ".mha", ".mhd"};
}

TEST(Image, writing_and_reading_gives_the_same_volume) {
  const TemporaryFolder folder;
  for (const std::string& ending : writable_endings())
    for (const Grid& grid : {oblique, sheared, Grid{.shape = {1, 1, 1}}}) {
      expect_round_trip<std::uint8_t>(folder / ("u8" + ending), grid);
      expect_round_trip<std::int16_t>(folder / ("i16" + ending), grid);
      expect_round_trip<float>(folder / ("f32" + ending), grid);
    }
}

TEST(Image, long_axes_are_written_too) {
  const TemporaryFolder folder;
  for (const std::string& ending : writable_endings())
    expect_round_trip<std::uint8_t>(folder / ("long" + ending), {.shape = {40000, 1, 2}});
}

TEST(Image, written_bytes_are_the_same_every_time) {
  const TemporaryFolder folder;
  for (const std::string& ending : writable_endings()) {
    const auto path = folder / ("a" + ending);
    write_ramp<float>(path, oblique);
    const std::string first = read_text(path);
    write_ramp<float>(path, oblique);
    EXPECT_EQ(read_text(path), first);
  }
}

/// The qform must say the same as the sform: other tools prefer it.
TEST(Image, qform_agrees_with_the_sform) {
  const TemporaryFolder folder;
  for (const auto& signs : {Point{1, 1, 1}, Point{-1, 1, 1}, Point{-1, -1, 1}, Point{1, -1, -1},
                            Point{-1, 1, -1}, Point{-1, -1, -1}}) {
    Grid grid = oblique;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 3; ++column) grid.affine[row][column] *= signs[column];
    write_ramp<std::uint8_t>(folder / "a.nii", grid);
    std::string bytes = read_text(folder / "a.nii");
    bytes[254] = 0;  // no sform
    write_atomically(folder / "b.nii", bytes);
    // Near half a turn three floats fix the quaternion's fourth part to four digits only.
    EXPECT_LT(greatest_corner_shift_mm(read_image(folder / "b.nii").grid(), grid), 0.01);
  }
  write_ramp<std::uint8_t>(folder / "c.nii", sheared);
  EXPECT_EQ(read_text(folder / "c.nii")[252], 0) << "a sheared grid has no qform";
}

TEST(Image, unknown_endings_are_not_written) {
  const TemporaryFolder folder;
  for (const char* name : {"a.png", "a.img", "a", "a.gz"})
    EXPECT_THAT(
        refusal([&] { write_ramp<float>(folder / name, oblique); }),
        HasSubstr(std::string(name) + ": images are written as .nii.gz, .nii, .mha, .mhd, .hdr"));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Image, singular_grids_are_not_written) {
  const TemporaryFolder folder;
  const Volume<float> volume({.shape = {1, 1, 1}, .affine = {}});
  EXPECT_THAT(refusal([&] { write_image(folder / "a.nii", volume.view()); }),
              HasSubstr("its affine is singular"));
}

TEST(Image, files_that_are_no_images_are_refused) {
  const TemporaryFolder folder;
  FileBytes cut = deflate_gzip(NiftiFile{}.bytes()), damaged = cut, garbage = cut;
  cut.resize(cut.size() / 2);
  damaged[damaged.size() - 8] ^= std::byte{1};
  garbage.push_back(std::byte{1});
  struct Case {
    FileBytes bytes;
    std::string sentence;
  };
  for (const Case& c :
       {Case{{}, "is empty (0 bytes); copy it again"},
        Case{bytes_of("just some text\n"), "is not a supported image format"},
        Case{bytes_of("x"), "is not a supported image format"},
        Case{bytes_of("\x1f\x8b\x08"), "the compressed data are damaged or cut"},
        Case{deflate_gzip(bytes_of("text")), "is not a supported image format"},
        Case{cut, "cut short"}, Case{damaged, "checksum does not match"},
        Case{garbage, "1 bytes after the compressed data are not compressed data"}}) {
    write_atomically(folder / "x.nii.gz", c.bytes);
    const std::string said = refusal([&] { read_image(folder / "x.nii.gz"); });
    EXPECT_THAT(said, HasSubstr(c.sentence));
    EXPECT_TRUE(said.starts_with((folder / "x.nii.gz").string() + ": ")) << said;
  }
  EXPECT_EQ(refusal([&] { read_image(folder.path()); }),
            folder.path().string() + ": is a folder; give a file");
}

TEST(Image, endings_are_found_longest_first) {
  EXPECT_EQ(image_ending("a.nii.gz"), ".nii.gz");
  EXPECT_EQ(image_ending("a.b.nii"), ".nii");
  EXPECT_EQ(image_ending("a.gz"), "");
  EXPECT_EQ(image_ending(".nii.gz"), "");
  EXPECT_TRUE(std::ranges::is_sorted(image_endings(), std::greater{}, &std::string_view::size));
}

TEST(Image, buffer_is_given_back_for_the_next_image) {
  const TemporaryFolder folder;
  write_ramp<std::uint8_t>(folder / "a.nii.gz", oblique);
  Image first = read_image(folder / "a.nii.gz");
  const auto* bytes = first.voxels().data();
  const Image second = read_image(folder / "a.nii.gz", std::move(first).release());
  EXPECT_EQ(second.voxels().data(), bytes);
}

TEST(Image, hash_of_what_was_read_is_the_hash_of_the_files) {
  const TemporaryFolder folder;
  for (const char* name : {"a.nii", "a.nii.gz", "a.hdr", "a.mha", "a.mhd"}) {
    SCOPED_TRACE(name);
    write_ramp<std::int16_t>(folder / name, oblique);
    const HashedImage read = read_hashed_image(folder / name);
    EXPECT_EQ(read.sha256, image_sha256(folder / name));
    EXPECT_EQ(values(read.image), values(read_image(folder / name)));
  }
  EXPECT_EQ(read_hashed_image(folder / "a.img").sha256, image_sha256(folder / "a.img"));
  EXPECT_EQ(read_hashed_image(folder / "a.nii").sha256, sha256_of_file(folder / "a.nii"));
  EXPECT_NE(image_sha256(folder / "a.hdr"), sha256_of_file(folder / "a.hdr"));  // voxels, too
}

TEST(Image, fewer_bytes_than_promised_never_make_an_image) {
  EXPECT_THAT(refusal([] { Image({.grid = oblique}, Buffer(), 0); }), HasSubstr("fewer bytes"));
}

TEST(Image, lack_of_memory_is_an_error_like_others) {
  if (test::sanitized) GTEST_SKIP() << "the sanitizer ends the program instead of throwing";
  Buffer buffer;
  const std::string said = refusal([&] { room_in(buffer, std::size_t{1} << 62); });
  EXPECT_THAT(said, HasSubstr("needs 4611686018427387904 bytes of memory, more than there are"));
}

std::size_t foreground_count(const std::filesystem::path& path) {
  const Image image = read_image(path);
  Buffer scratch;
  const auto view = foreground(image, std::nullopt, scratch);
  return image.grid().size() -
         static_cast<std::size_t>(std::ranges::count(view.voxels, std::uint8_t{0}));
}

TEST(Image, real_pairs_have_the_expected_foreground) {
  const auto [folder, absence] = test::real_data("nifti-pairs");
  if (!absence.empty()) GTEST_SKIP() << absence;
  std::size_t checked = 0;
  const auto expected = nlohmann::json::parse(read_text(folder / "expected.json"));
  for (const auto& pair : expected["pairs"]) {
    if (!pair.contains("canonical_gt0") || !pair["canonical_gt0"].contains("confusion")) continue;
    const auto& c = pair["canonical_gt0"]["confusion"];
    const auto name = pair["pred"].get<std::string>(), target = pair["target"].get<std::string>();
    EXPECT_EQ(foreground_count(folder / name),
              c["tp"].get<std::size_t>() + c["fp"].get<std::size_t>())
        << name;
    EXPECT_EQ(foreground_count(folder / target),
              c["tp"].get<std::size_t>() + c["fn"].get<std::size_t>())
        << target;
    ++checked;
  }
  EXPECT_GE(checked, 8U);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (image_ending(entry.path().filename().string()).empty()) continue;
    EXPECT_EQ(refusal([&] { read_image(entry.path()); }), "");
  }
}

}  // namespace assay::image_test
