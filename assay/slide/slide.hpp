// SPDX-License-Identifier: Apache-2.0
/// Whole-slide images through OpenSlide, which is loaded when the first slide is opened.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "assay/image/picture.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::slide {

/// "4.0.0" or "3.4.1" of the library that was found. Throws Error::unsupported when there is none,
/// saying what to install.
std::string openslide_version();

/// An open slide. Reading is thread-safe; the whole slide is never read.
class Slide {
 public:
  /// Throws Error naming the path: not a slide, damaged, or of a kind that needs a newer OpenSlide.
  explicit Slide(const std::filesystem::path& path);
  Slide(Slide&&) noexcept;
  Slide& operator=(Slide&&) noexcept;
  ~Slide();

  const SlideInfo& info() const;

  /// The whole slide, its longer side `longest` pixels, or less where level 0 has less.
  Picture thumbnail(std::int64_t longest) const;

  /// A region, its longer side `longest` pixels, or less where level 0 has less (never enlarged).
  /// The region must lie inside the slide (see crop_problem).
  Picture region(const SlideRegion& region, std::int64_t longest) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace assay::slide
