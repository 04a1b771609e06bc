// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_pictures.hpp"

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image/jpeg.hpp"
#include "assay/qa/slides/guides.hpp"
#include "assay/qa/slides/patches.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

bool is_cover(ImageWish::Kind kind) {
  return kind == ImageWish::Kind::thumbnail || kind == ImageWish::Kind::guided_thumbnail;
}

slide::SlideRegion whole(const slide::SlideInfo& slide) {
  return {0, 0, slide.width, slide.height};
}

}  // namespace

PictureShelf::PictureShelf(fs::path folder, int jpeg_quality)
    : folder_(std::move(folder)), quality_(jpeg_quality) {
  if (folder_.empty()) return;
  make_folder(folder_);
  sync_folder(folder_);  // a crop of a process that was killed may have no durable name yet
}

ChatImage PictureShelf::store(const Picture& picture) const {
  ChatImage image{.jpeg = std::make_shared<const std::string>(jpeg_bytes(picture, quality_)),
                  .sha256 = {},
                  .width = picture.width,
                  .height = picture.height};
  image.sha256 = sha256(*image.jpeg);
  if (folder_.empty()) return image;
  const fs::path file = folder_ / (image.sha256 + ".jpg");
  std::error_code absent;
  if (fs::file_size(file, absent) == image.jpeg->size() && !absent) return image;
  try {
    write_atomically(file, *image.jpeg);
  } catch (const Error& error) {
    throw PictureNotStored{error.what()};
  }
  return image;
}

std::optional<slide::SlideInfo> PictureShelf::info(const fs::path& slide) const {
  const std::lock_guard lock(mutex_);
  const auto found = infos_.find(slide);
  return found == infos_.end() ? std::nullopt : std::optional(found->second);
}

void PictureShelf::keep(const fs::path& slide, const slide::SlideInfo& info) {
  const std::lock_guard lock(mutex_);
  infos_.emplace(slide, info);
}

std::optional<ChatImage> PictureShelf::cover(const CoverKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = covers_.find(key);
  return found == covers_.end() ? std::nullopt : std::optional(found->second);
}

void PictureShelf::keep(const CoverKey& key, const ChatImage& image) {
  const std::lock_guard lock(mutex_);
  if (!covers_.emplace(key, image).second) return;
  oldest_.push_back(key);
  if (oldest_.size() <= most_covers) return;
  covers_.erase(oldest_.front());
  oldest_.pop_front();
}

const slide::Slide& SlidePictures::slide() {
  if (!slide_) slide_.emplace(path_);
  return *slide_;
}

const slide::SlideInfo& SlidePictures::info() {
  if (!info_) info_ = shelf_.info(path_);
  if (!info_) {
    info_ = slide().info();
    shelf_.keep(path_, *info_);
  }
  return *info_;
}

ChatImage SlidePictures::image(const ImageWish& wish) {
  if (!is_cover(wish.kind)) return shelf_.store(drawn(wish));
  const PictureShelf::CoverKey key{path_, wish.kind, wish.longest};
  if (const auto kept = shelf_.cover(key)) return *kept;
  ChatImage image = shelf_.store(drawn(wish));
  shelf_.keep(key, image);
  return image;
}

Picture SlidePictures::drawn(const ImageWish& wish) {
  switch (wish.kind) {
    case ImageWish::Kind::thumbnail: return slide().thumbnail(wish.longest);
    case ImageWish::Kind::guided_thumbnail:
      return with_guides(slide().thumbnail(wish.longest), whole(info()));
    case ImageWish::Kind::crop:
    case ImageWish::Kind::patch: return slide().region(wish.region, wish.longest);
    case ImageWish::Kind::collage: break;
  }
  std::vector<Picture> pictures;
  pictures.reserve(wish.regions.size());
  for (const slide::SlideRegion& region : wish.regions)
    pictures.push_back(slide().region(region, wish.longest));
  return collage(pictures);
}

std::vector<slide::SlideRegion> SlidePictures::patches(const PatchSettings& settings) {
  constexpr std::int64_t overview = 1024;  // pixels: enough to tell tissue from glass
  return patch_regions(slide().thumbnail(overview), info(), settings);
}

}  // namespace assay::qa
