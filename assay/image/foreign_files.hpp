// SPDX-License-Identifier: Apache-2.0
/// Files that people pass as images but assay does not read: what they are, and what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay {

struct ForeignKind {
  std::string_view name;    ///< "PNG"
  std::string_view remedy;  ///< "convert it to NIfTI, …"
};

/// The kind of a file by its first bytes; nothing when it is not a known kind.
std::optional<ForeignKind> foreign_kind(std::span<const std::byte> head);

/// What a folder holds instead of images, subfolders included: "holds 24 PNG files and no image
/// that assay reads; convert …". "" when there is no file of a known kind.
std::string foreign_content(const std::filesystem::path& folder);

}  // namespace assay
