// SPDX-License-Identifier: Apache-2.0
#include "assay/image/folder.hpp"

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/foreign_files.hpp"
#include "assay/image/formats.hpp"
#include "assay/image/tiled.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

/// x.img is read through its header x.hdr.
bool has_own_header(const fs::path& path) {
  std::string name = path.filename().string();
  const std::size_t dot = name.rfind(".img");
  if (dot == std::string::npos) return false;
  return fs::exists(path.parent_path() / name.replace(dot, 4, ".hdr"));
}

}  // namespace

std::vector<std::string> list_images(const fs::path& root) try {
  std::vector<std::string> found;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (auto it = fs::recursive_directory_iterator(root, options); it != fs::end(it); ++it) {
    const fs::path& path = it->path();
    if (is_hidden(path)) {
      if (it->is_directory()) it.disable_recursion_pending();
      continue;
    }
    const bool is_folder = it->is_directory(),
               is_image_of_files = is_folder && is_folder_image(path);
    if (is_image_of_files) it.disable_recursion_pending();
    if (is_folder ? !is_image_of_files : image_ending(path.filename().string()).empty()) continue;
    if (!has_own_header(path)) found.push_back(path.lexically_relative(root).generic_string());
  }
  std::ranges::sort(found);
  return found;
} catch (const fs::filesystem_error& trouble) {
  if (trouble.code() == std::errc::interrupted) return list_images(root);
  throw Error(Error::Kind::io, root,
              "the folder cannot be read; check the path and "
              "its permissions");
}

std::vector<std::string> require_images(const fs::path& root) {
  std::vector<std::string> found = list_images(root);
  if (!found.empty()) return found;
  const std::string foreign = foreign_content(root);
  throw Error(
      Error::Kind::input, root,
      (foreign.empty() ? "no image in this folder (" + joined(image_endings()) + ")" : foreign));
}

std::vector<std::string> without_illustrations(std::vector<std::string> paths) {
  const auto is_volume = [](const std::string& path) {
    return kind_of_image(path) == ImageKind::volume;
  };
  if (std::ranges::any_of(paths, is_volume))
    std::erase_if(
        paths, [](const std::string& path) { return kind_of_image(path) == ImageKind::picture; });
  return paths;
}

}  // namespace assay
