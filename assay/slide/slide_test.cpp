// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/slide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/demo/tiff_writer.hpp"
#include "assay/error.hpp"
#include "assay/image/jpeg.hpp"

namespace slide_test {

using namespace assay;
using namespace assay::slide;
using demo::tiff_bytes;
using demo::TiffImage;
using testing::HasSubstr;

constexpr std::int64_t tile_side = 128;

/// Red grows to the right over the whole slide, green downwards.
Picture ramp(std::int64_t left, std::int64_t top, std::int64_t width, std::int64_t height) {
  Picture out = Picture::filled(tile_side, tile_side, 60);
  for (std::int64_t y = 0; y < tile_side; ++y)
    for (std::int64_t x = 0; x < tile_side; ++x) {
      std::uint8_t* at = out.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
      at[0] = static_cast<std::uint8_t>(std::min<std::int64_t>(255, (left + x) * 255 / width));
      at[1] = static_cast<std::uint8_t>(std::min<std::int64_t>(255, (top + y) * 255 / height));
    }
  return out;
}

TiffImage level(std::int64_t width, std::int64_t height, bool reduced = false) {
  TiffImage out = {.width = width, .height = height, .tile = tile_side, .reduced = reduced};
  for (std::int64_t y = 0; y < height; y += tile_side)
    for (std::int64_t x = 0; x < width; x += tile_side)
      out.parts.push_back(jpeg_bytes(ramp(x, y, width, height), 98));
  return out;
}

class Slides : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, std::string_view bytes) {
    write_atomically(folder_ / name, bytes);
    return folder_ / name;
  }
  std::filesystem::path write(const std::string& name, const std::vector<TiffImage>& images) {
    return write(name, tiff_bytes(images));
  }

  std::string refusal(const std::filesystem::path& path) {
    return test::refusal([&] { const Slide slide(path); });
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("assay_slide_" + std::to_string(getpid()));
};

/// The worst difference of a picture from the ramp that `region` of the slide shows.
double worst(const Picture& picture, const SlideRegion& region, const SlideInfo& info) {
  double out = 0;
  for (std::size_t y = 0; y < picture.height; ++y)
    for (std::size_t x = 0; x < picture.width; ++x) {
      const auto place = [](std::int64_t start, std::int64_t length, std::size_t at,
                            std::size_t size) {
        return static_cast<double>(start) + (static_cast<double>(at) + 0.5) *
                                                static_cast<double>(length) /
                                                static_cast<double>(size);
      };
      const double red =
          place(region.x, region.width, x, picture.width) * 255 / static_cast<double>(info.width);
      const double green = place(region.y, region.height, y, picture.height) * 255 /
                           static_cast<double>(info.height);
      out = std::max(
          {out, std::abs(picture.at(x, y)[0] - red), std::abs(picture.at(x, y)[1] - green)});
    }
  return out;
}

TEST_F(Slides, know_their_size_levels_and_resolution) {
  std::vector<TiffImage> images = {level(1000, 600), level(250, 150, true)};
  const Slide bare(write("bare.tiff", images));
  EXPECT_EQ(bare.info().width, 1000);
  EXPECT_EQ(bare.info().height, 600);
  ASSERT_EQ(bare.info().levels.size(), 2U);
  EXPECT_EQ(bare.info().levels[1].downsample, 4);
  EXPECT_EQ(bare.info().microns_per_pixel, std::nullopt);
  images[0].pixels_per_cm = 20'000;
  EXPECT_EQ(Slide(write("scaled.tiff", images)).info().microns_per_pixel, 0.5);
}

/// Any region from any level shows the right place: a level is off by at most a few grey values,
/// where a shift by one pixel of the coarsest level would be 4.
TEST_F(Slides, regions_show_the_right_place) {
  const Slide slide(
      write("a.tiff", {level(1000, 600), level(250, 150, true), level(62, 37, true)}));
  const std::vector<SlideRegion> regions = {{0, 0, 1000, 600},    {0, 0, 100, 100},
                                            {900, 500, 100, 100}, {333, 217, 401, 99},
                                            {1, 1, 998, 598},     {999, 599, 1, 1}};
  for (const SlideRegion& region : regions)
    for (const std::int64_t longest : {1000, 300, 64, 17, 1}) {
      const Picture picture = slide.region(region, longest);
      const auto side =
          static_cast<std::size_t>(std::min(longest, std::max(region.width, region.height)));
      EXPECT_EQ(std::max(picture.width, picture.height), side);
      EXPECT_LE(worst(picture, region, slide.info()), 6) << region.x << ' ' << longest;
    }
  EXPECT_EQ(slide.thumbnail(500), slide.region({0, 0, 1000, 600}, 500));
}

/// Longer than one read may be: it comes in blocks, averaged on the way.
TEST_F(Slides, large_areas_are_read_in_blocks) {
  const Slide slide(write("long.tiff", {level(10'300, 300)}));
  const Picture picture = slide.thumbnail(700);
  EXPECT_EQ(picture.width, 700U);
  EXPECT_EQ(picture.height, 20U);
  EXPECT_LE(worst(picture, {0, 0, 10'300, 300}, slide.info()), 4);
  // A part of the same slide that is read at once: the same place shows the same.
  EXPECT_LE(worst(slide.region({5000, 0, 5300, 300}, 700), {5000, 0, 5300, 300}, slide.info()), 4);
}

TEST_F(Slides, tiles_that_are_not_there_are_white) {
  TiffImage image = level(256, 256);
  image.parts[3].clear();
  image.description = "Aperio Image Library|MPP = 0.5";  // whose scanners leave empty places out
  const Picture picture = Slide(write("hole.tiff", {image})).thumbnail(256);
  for (const std::size_t channel : {0U, 1U, 2U}) EXPECT_EQ(picture.at(200, 200)[channel], 255);
  EXPECT_LT(picture.at(20, 20)[0], 40);
}

TEST_F(Slides, can_be_read_by_several_threads) {
  const Slide slide(write("a.tiff", {level(1000, 600)}));
  const Picture expected = slide.region({100, 100, 700, 400}, 300);
  std::vector<std::future<Picture>> readers;
  for (int i = 0; i < 8; ++i)
    readers.push_back(std::async(std::launch::async, [&slide] {
      return slide.region({100, 100, 700, 400}, 300);
    }));
  for (auto& reader : readers) EXPECT_EQ(reader.get(), expected);
}

TEST_F(Slides, refuse_what_is_no_slide_by_name) {
  EXPECT_THAT(refusal(folder_ / "absent.svs"), HasSubstr("absent.svs: does not exist"));
  EXPECT_THAT(refusal(folder_), HasSubstr("is not a file"));
  EXPECT_THAT(refusal(write("text.svs", "hello")), HasSubstr("text.svs: is not a slide"));
  EXPECT_THAT(refusal(write("empty.svs", "")), HasSubstr("empty.svs: is not a slide"));
}

TEST_F(Slides, dicom_needs_version_4) {
  const auto path = write("d.dcm", std::string(128, '\0') + "DICM" + std::string(100, '\0'));
  EXPECT_THAT(refusal(path),
              HasSubstr(openslide_version().starts_with("3.") ? "a DICOM slide needs OpenSlide 4"
                                                              : "d.dcm: "));
}

TEST_F(Slides, a_damaged_slide_says_so_at_every_read) {
  TiffImage image = level(512, 512);
  for (char& byte : image.parts[5]) byte = '\x77';
  const Slide slide(write("damaged.tiff", {image}));
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(test::refusal([&] { slide.thumbnail(256); }),
                HasSubstr("damaged.tiff: the slide is damaged"))
        << "read " << i;
}

TEST_F(Slides, cut_off_anywhere_are_refused_or_read_but_never_fatal) {
  const std::string whole = tiff_bytes(std::vector{level(300, 200), level(75, 50, true)});
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 40) {
    try {
      const Slide slide(write("cut.tiff", std::string_view(whole).substr(0, size)));
      slide.thumbnail(100);
      ADD_FAILURE() << size;  // the directories stand at the end, so nothing can be whole
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("cut.tiff: "));
    }
  }
}

TEST_F(Slides, only_what_lies_inside_can_be_read) {
  const Slide slide(write("a.tiff", {level(300, 200)}));
  EXPECT_THROW(slide.region({0, 0, 301, 10}, 100), Error);
  EXPECT_THROW(slide.region({0, 0, 10, 10}, 0), Error);
}

}  // namespace slide_test
