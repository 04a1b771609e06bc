// SPDX-License-Identifier: Apache-2.0
#include "assay/report/case_volumes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"
#include "assay/image/nifti.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/region_volume.hpp"

namespace case_volumes_test {

using namespace assay;
using namespace assay::report;
using assay::test::refusal;
using assay::test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

TEST(ImageOf, is_called_by_the_case) {
  const std::vector<std::string> images = {"sub-1.nii.gz", "sub-10_0000.nii.gz", "sub-10_0001.nii",
                                           "deep/sub-2.mha"};
  EXPECT_EQ(image_of("sub-1", images), "sub-1.nii.gz");
  EXPECT_EQ(image_of("sub-10", images), "sub-10_0000.nii.gz");
  EXPECT_EQ(image_of("deep/sub-2", images), "deep/sub-2.mha");
  EXPECT_EQ(image_of("sub", images), std::nullopt);
  EXPECT_EQ(image_of("ub-1", images), std::nullopt);
  const std::vector<std::string> tree = {"sub-1/ses-1/anat/sub-1_ses-1_T1w.nii.gz",
                                         "sub-1/ses-2/anat/sub-1_ses-2_T1w.nii.gz"};
  EXPECT_EQ(image_of("sub-1_ses-2", tree), tree[1]);
  EXPECT_EQ(image_of("sub-2", tree), std::nullopt);
}

struct Cohort {
  TemporaryFolder folder{};

  Cohort() {
    for (const char* name : {"p", "r", "other", "models/m"}) fs::create_directories(folder / name);
    write_atomically(folder / "p/a.nii", "prediction");
    write_atomically(folder / "r/a.nii", "reference");
    write_atomically(folder / "models/m/a.nii", "of a model");
  }
  std::string at(const char* name) const { return (folder / name).string(); }
};

TEST(Located, is_below_the_recorded_root) {
  const Cohort c;
  const WantedFile wanted = {
      .shown = "a.nii", .sha256 = sha256("reference"), .recorded = c.at("r")};
  EXPECT_EQ(locate_file(wanted, c.at("x.json")), c.at("r/a.nii"));
}

TEST(Located, looks_beside_the_results) {
  const Cohort c;
  EXPECT_EQ(locate_file({.shown = "r/a.nii", .sha256 = ""}, c.at("x.json")), c.at("r/a.nii"));
}

TEST(Located, a_root_may_hold_a_folder_per_model) {
  const Cohort c;
  const auto given = [&](const char* root) {
    return WantedFile{
        .shown = "a.nii", .sha256 = "", .recorded = c.at("r"), .given = c.at(root), .model = "m"};
  };
  EXPECT_EQ(locate_file(given("models"), "x.json"), c.at("models/m/a.nii"));
  EXPECT_EQ(locate_file(given("p"), "x.json"), c.at("p/a.nii"));
}

TEST(Located, says_what_is_wrong) {
  const Cohort c;
  EXPECT_THAT(refusal([&] {
                locate_file({.shown = "b.nii", .sha256 = "", .recorded = c.at("p")},
                            c.at("x.json"));
              }),
              HasSubstr("b.nii: is not found; name the folders with --predictions"));
  EXPECT_THAT(refusal([&] {
                locate_file({.shown = "a.nii", .sha256 = "00", .recorded = c.at("p")},
                            c.at("x.json"));
              }),
              HasSubstr("is not the file that was scored"));
}

/// A mask of one voxel at an index of a grid whose axes run left, back and up.
fs::path one_voxel(const fs::path& path, const Shape& index) {
  const Grid grid = {.shape = {5, 4, 3}, .affine = {{{-9, 0, 0, 0}, {0, -9, 0, 0}, {0, 0, 9, 0}}}};
  Volume<std::uint8_t> volume(grid);
  volume.voxels()[index[0] + 5 * (index[1] + 4 * index[2])] = 1;
  write_image(path, volume.view());
  return path;
}

results::SegmentationFile scored_regions(const std::vector<metrics::Region>& regions) {
  results::SegmentationFile out;
  for (const metrics::Region& region : regions) out.labels.push_back({region});
  return out;
}

TEST(RegionCase, runs_right_front_and_up) {
  const TemporaryFolder folder;
  const results::SegmentationFile scored = scored_regions({metrics::foreground_region()});
  RegionCase one(one_voxel(folder / "r.nii", {0, 0, 0}), scored);
  one.add_prediction(3, one_voxel(folder / "p.nii", {1, 0, 0}));
  const CaseVolume volume = std::move(one).cropped();
  // 16 mm around the two voxels: two voxels of 9 mm on each side, as far as there are any.
  EXPECT_EQ(volume.shape, (Shape{4, 3, 3}));
  EXPECT_EQ(volume.spacing_mm, (Point{9, 9, 9}));
  EXPECT_EQ(volume.reference[3 + 4 * (2 + 3 * 0)], 1);
  EXPECT_EQ(volume.predictions.at(0).model, 3U);
  EXPECT_EQ(volume.predictions[0].voxels[2 + 4 * (2 + 3 * 0)], 1);
  EXPECT_THAT(volume.labels, ElementsAre(metrics::foreground_region().name));
  EXPECT_THAT(volume.regions.at(0).codes, ElementsAre(1));
}

TEST(RegionCase, has_a_code_per_label) {
  const TemporaryFolder folder;
  Volume<std::uint8_t> labels(Grid{.shape = {4, 1, 1}}, {0, 1, 4, 9});
  write_image(folder / "r.nii", labels.view());
  const results::SegmentationFile scored =
      scored_regions({{"1", "core", {1}}, {"w", "whole", {1, 4}}});
  const CaseVolume volume = RegionCase(folder / "r.nii", scored).cropped();
  EXPECT_THAT(volume.reference, ElementsAre(0, 1, 2, 0));  // 9 was not scored
  EXPECT_THAT(volume.labels, ElementsAre("core", "label 4"));
  EXPECT_THAT(volume.regions,
              ElementsAre(DrawnRegion{"1", "core", {1}}, DrawnRegion{"w", "whole", {1, 2}}));
}

/// Two voxels with the probabilities of three classes: label 2 is likeliest in the first, and the
/// background in the second.
fs::path class_maps(const fs::path& path) {
  constexpr std::uint8_t stored[] = {16, 80, 32, 40, 80, 8};
  const auto files = encode_nifti(path, {.grid = {.shape = {2, 1, 1}},
                                         .voxels = std::as_bytes(std::span(stored)),
                                         .volumes = 3,
                                         .slope = 1.0 / 128});
  write_atomically(path, files.front().bytes);
  return path;
}

TEST(RegionCase, of_a_volume_per_class_the_likeliest_label_is_drawn_or_what_a_threshold_leaves) {
  const TemporaryFolder folder;
  Volume<std::uint8_t> reference(Grid{.shape = {2, 1, 1}}, {1, 2});
  write_image(folder / "r.nii", reference.view());
  const fs::path maps = class_maps(folder / "p.nii");
  const auto drawn = [&](const results::SegmentationFile& scored) {
    RegionCase one(folder / "r.nii", scored);
    one.add_prediction(0, maps);
    return std::move(one).cropped().predictions.at(0).voxels;
  };
  EXPECT_THAT(drawn(scored_regions({{"1", "core", {1}}, {"2", "oedema", {2}}})), ElementsAre(2, 0));
  results::SegmentationFile whole = scored_regions({metrics::foreground_region()});
  EXPECT_THAT(drawn(whole), ElementsAre(1, 0));
  whole.settings.threshold = 0.3;
  EXPECT_THAT(drawn(whole), ElementsAre(1, 1));
}

TEST(RegionCase, another_place_is_refused_and_an_image_of_it_only_noted) {
  const TemporaryFolder folder;
  const results::SegmentationFile scored = scored_regions({metrics::foreground_region()});
  Volume<std::uint8_t> elsewhere(Grid{.shape = {2, 2, 2}});
  write_image(folder / "e.nii", elsewhere.view());
  RegionCase one(one_voxel(folder / "r.nii", {0, 0, 0}), scored);
  EXPECT_NE(refusal([&] { one.add_prediction(0, folder / "e.nii"); }), "");
  one.add_image(folder / "e.nii");
  const CaseVolume volume = std::move(one).cropped();
  EXPECT_TRUE(volume.image.empty());
  EXPECT_THAT(volume.notes.at(0), HasSubstr("shown without its image"));
}

TEST(RegionCase, of_a_larger_image_the_part_around_the_reference_is_shown) {
  const TemporaryFolder folder;
  Volume<std::uint8_t> reference(Grid{.shape = {2, 1, 2}}, {1, 0, 0, 1});
  Grid around = {.shape = {4, 1, 3}};
  around.affine[0][3] = -1;  // one voxel to the left
  around.affine[2][3] = -1;  // and one below
  Volume<std::uint8_t> image(around, {9, 9, 9, 9, 9, 0, 50, 9, 9, 100, 100, 9});
  write_image(folder / "r.nii", reference.view());
  write_image(folder / "i.nii", image.view());
  RegionCase one(folder / "r.nii", scored_regions({metrics::foreground_region()}));
  one.add_image(folder / "i.nii");
  EXPECT_THAT(std::move(one).cropped().image, ElementsAre(0, 128, 255, 255));
}

Study ranked_study() {
  Study study;
  study.ids = {"a", "b", "c", "d", "e"};
  compare::ResultTable table;
  table.model_name = "m";
  table.ids = study.ids;
  table.cases = 5;
  table.averages = {{"dice", {0.9, 0.1, std::nullopt, 0.5, 0.2}},
                    {"hd95", {9.0, 1.0, std::nullopt, 5.0, 2.0}}};
  study.models = {table};
  return study;
}

std::vector<std::string> names(const std::vector<ShownCase>& cases) {
  std::vector<std::string> out;
  for (const ShownCase& one : cases) out.push_back(ranked_study().ids[one.place] + " " + one.why);
  return out;
}

TEST(ShownCases, are_the_worst_the_best_and_the_median) {
  EXPECT_THAT(names(shown_cases(ranked_study(), "dice", {})),
              ElementsAre("b worst", "a best", "d median", "e second worst"));
  EXPECT_THAT(names(shown_cases(ranked_study(), "hd95", {"c"})),
              ElementsAre("c asked for", "a worst", "b best", "e median", "d second worst"));
}

TEST(ShownCases, unknown_ones_are_refused) {
  EXPECT_THAT(refusal([] { shown_cases(ranked_study(), "dice", {"z"}); }),
              HasSubstr("no file has a case 'z'"));
}

}  // namespace case_volumes_test
