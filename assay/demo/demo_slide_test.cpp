// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_slide.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/qa/slides/patches.hpp"
#include "assay/slide/slide.hpp"

namespace demo_slide_test {

using namespace assay;
using namespace assay::demo;

class DemoSlides : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const DemoSlide& options) {
    std::filesystem::create_directories(folder_);
    write_demo_slide(folder_ / name, options);
    return folder_ / name;
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("assay_demo_slide_" + std::to_string(getpid()));
};

double mean(const Picture& picture, std::size_t channel) {
  double sum = 0;
  for (std::size_t i = channel; i < picture.rgb.size(); i += 3) sum += picture.rgb[i];
  return sum / static_cast<double>(picture.rgb.size() / 3);
}

TEST_F(DemoSlides, open_as_a_plain_tiff_and_as_aperio) {
  for (const bool aperio : {false, true}) {
    const slide::Slide slide(
        write(aperio ? "a.svs" : "a.tiff", {.width = 2300, .height = 1700, .aperio = aperio}));
    const slide::SlideInfo& info = slide.info();
    EXPECT_EQ(info.vendor, aperio ? "aperio" : "generic-tiff");
    EXPECT_EQ(info.width, 2300);
    EXPECT_EQ(info.height, 1700);
    ASSERT_EQ(info.levels.size(), 3U);
    EXPECT_EQ(info.levels[1].width, 575);
    EXPECT_EQ(info.levels[2].height, 106);
    ASSERT_TRUE(info.microns_per_pixel);
    EXPECT_NEAR(*info.microns_per_pixel, 0.25, 1e-12);
  }
}

/// Every level shows the same slide: read from any of them, a region has the same mean colour.
TEST_F(DemoSlides, levels_show_the_same) {
  const slide::Slide slide(write("a.tiff", {}));
  const slide::SlideRegion part = {1024, 512, 2048, 1536};
  const Picture fine = slide.region(part, 2048), coarse = slide.region(part, 100);
  EXPECT_EQ(fine.width, 2048U);
  EXPECT_EQ(coarse.width, 100U);
  EXPECT_EQ(coarse.height, 75U);
  for (const std::size_t channel : {0U, 1U, 2U})
    EXPECT_NEAR(mean(fine, channel), mean(coarse, channel), 1.0);
}

TEST_F(DemoSlides, have_tissue_that_patches_find) {
  const slide::Slide slide(write("a.svs", {.aperio = true}));
  const auto patches = qa::patch_regions(slide.thumbnail(512), slide.info());
  ASSERT_EQ(patches.size(), 30U);
  double green = 0;
  for (const slide::SlideRegion& patch : patches) green += mean(slide.region(patch, 224), 1) / 30;
  EXPECT_LT(green, 190);  // stained; glass has 242
}

TEST_F(DemoSlides, same_options_same_bytes) {
  const DemoSlide small = {.width = 600, .height = 500};
  const std::string first = read_text(write("a.tiff", small));
  EXPECT_EQ(read_text(write("b.tiff", small)), first);
  EXPECT_NE(read_text(write("c.tiff", {.width = 600, .height = 500, .seed = 2})), first);
}

TEST_F(DemoSlides, refuse_sides_that_make_no_sense) {
  EXPECT_THROW(write("a.tiff", {.width = 255, .height = 3000}), Error);
  EXPECT_THROW(write("a.tiff", {.width = 300, .height = 60'001}), Error);
}

}  // namespace demo_slide_test
