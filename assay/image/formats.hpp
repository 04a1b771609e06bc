// SPDX-License-Identifier: Apache-2.0
/// The only list of image formats and their file endings. A new format needs its two files, a row
/// in formats.cpp, and its endings there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/image/layout.hpp"

namespace assay {

/// A format that can be read.
struct ImageFormat {
  std::string_view name;
  bool (*recognises)(std::span<const std::byte> head);
  Layout (*layout)(std::span<const std::byte> head, const std::filesystem::path& path);
};

/// What files of an ending usually hold. Where a folder has volumes, its pictures are for people.
enum class ImageKind { volume, array, picture };

/// An ending of the names of images, and how to write such a file; nullptr where they are only
/// read.
struct ImageEnding {
  std::string_view text;
  std::vector<EncodedFile> (*encode)(const std::filesystem::path& path, const Encodable& image);
  ImageKind kind;
};

/// The kind by the ending of the name; nothing when it is not an image's.
std::optional<ImageKind> kind_of_image(std::string_view file_name);

std::span<const ImageFormat> image_formats();

/// The format of a file that starts with these bytes (inflated, where it is compressed), or
/// nullptr.
const ImageFormat* format_of(std::span<const std::byte> head);

/// Longest first.
std::span<const ImageEnding> endings_of_images();

/// The name without the ending of an image of any format, also of those that assay does not read.
std::string_view without_any_image_ending(std::string_view file_name);

}  // namespace assay
