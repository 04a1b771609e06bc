// SPDX-License-Identifier: Apache-2.0
/// The images of a run: cut from slides, stored once by their hash, and kept in memory only if many
/// questions share them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "assay/qa/agent/agent_loop.hpp"
#include "assay/slide/slide.hpp"

namespace assay::qa {

/// Thrown when a picture cannot be written: the disk's fault, not the slide's.
struct PictureNotStored {
  std::string why;
};

/// Shared by all workers.
class PictureShelf {
 public:
  /// `folder` is made; pictures are `folder/<sha256>.jpg`. Empty: nothing is written.
  PictureShelf(std::filesystem::path folder, int jpeg_quality);

  /// Encodes a picture and puts it into the folder, unless it is there. Throws PictureNotStored.
  ChatImage store(const Picture& picture) const;

  /// What is known about a slide, and its thumbnails, by path, kind and size.
  using CoverKey = std::tuple<std::filesystem::path, ImageWish::Kind, std::int64_t>;

  std::optional<slide::SlideInfo> info(const std::filesystem::path& slide) const;
  void keep(const std::filesystem::path& slide, const slide::SlideInfo& info);
  std::optional<ChatImage> cover(const CoverKey& key) const;
  void keep(const CoverKey& key, const ChatImage& image);

 private:
  static constexpr std::size_t most_covers = 64;  // about 15 MB

  std::filesystem::path folder_;
  int quality_;
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, slide::SlideInfo> infos_;
  std::map<CoverKey, ChatImage> covers_;
  std::deque<CoverKey> oldest_;
};

/// The slide of one attempt; opened when something must be read from it.
class SlidePictures {
 public:
  SlidePictures(std::filesystem::path path, PictureShelf& shelf)
      : path_(std::move(path)), shelf_(shelf) {}

  const slide::SlideInfo& info();
  ChatImage image(const ImageWish& wish);
  std::vector<slide::SlideRegion> patches(const PatchSettings& settings);

 private:
  const slide::Slide& slide();
  Picture drawn(const ImageWish& wish);

  std::filesystem::path path_;
  PictureShelf& shelf_;
  std::optional<slide::Slide> slide_;
  std::optional<slide::SlideInfo> info_;
};

}  // namespace assay::qa
