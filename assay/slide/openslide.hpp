// SPDX-License-Identifier: Apache-2.0
/// The functions of OpenSlide that are used, found in the library at run time: the program also
/// starts without the library, and works with a newer version than it was built with.
#pragma once

#include <cstdint>

namespace assay::slide {

struct OpenSlideHandle;  ///< openslide_t

struct OpenSlide {
  const char* (*get_version)();
  const char* (*detect_vendor)(const char* path);
  OpenSlideHandle* (*open)(const char* path);
  void (*close)(OpenSlideHandle* slide);
  const char* (*get_error)(OpenSlideHandle* slide);
  std::int32_t (*get_level_count)(OpenSlideHandle* slide);
  void (*get_level_dimensions)(OpenSlideHandle* slide, std::int32_t level, std::int64_t* width,
                               std::int64_t* height);
  double (*get_level_downsample)(OpenSlideHandle* slide, std::int32_t level);
  /// Premultiplied ARGB, one word per pixel. x and y are in pixels of level 0, width and height in
  /// those of `level`.
  void (*read_region)(OpenSlideHandle* slide, std::uint32_t* pixels, std::int64_t x, std::int64_t y,
                      std::int32_t level, std::int64_t width, std::int64_t height);
  const char* (*get_property_value)(OpenSlideHandle* slide, const char* name);
};

/// The library, loaded at the first call: $ASSAY_OPENSLIDE, or the newest one on the system. Throws
/// Error::unsupported when there is none; a later call tries again.
const OpenSlide& openslide();

}  // namespace assay::slide
