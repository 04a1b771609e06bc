// SPDX-License-Identifier: Apache-2.0
/// Whole-slide images through OpenSlide, which is loaded when the first slide is opened.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "assay/image/picture.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::slide {

/// The version of the library that was found, "4.0.0" or "3.4.1". Throws an Error::unsupported that
/// says what to install when there is none.
std::string openslide_version();

/// An open slide. Reading is thread-safe. The whole slide is never read at full resolution.
class Slide {
 public:
  /// Throws an Error that names the path when it is not a slide, is damaged, or needs a newer
  /// OpenSlide.
  explicit Slide(const std::filesystem::path& path);
  Slide(Slide&&) noexcept;
  Slide& operator=(Slide&&) noexcept;
  ~Slide();

  const SlideInfo& info() const;

  /// The whole slide. Its longer side has `longest` pixels, or fewer where level 0 has fewer.
  Picture thumbnail(std::int64_t longest) const;

  /// A region. Its longer side has `longest` pixels, or fewer where level 0 has fewer (never
  /// enlarged). The region must lie inside the slide (see crop_problem).
  Picture region(const SlideRegion& region, std::int64_t longest) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace assay::slide
