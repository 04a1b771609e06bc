// SPDX-License-Identifier: Apache-2.0
#include "assay/image/folder.hpp"

#include <algorithm>
#include <map>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/dicom_series.hpp"
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

/// Calls `use` with the path of every file below `root` that is not hidden, and of every folder
/// that is an image.
template <class Use>
void walk_files(const fs::path& root, Use use) try {
  const auto options = fs::directory_options::follow_directory_symlink;
  for (auto it = fs::recursive_directory_iterator(root, options); it != fs::end(it); ++it) {
    const fs::path& path = it->path();
    if (is_hidden(path)) {
      if (it->is_directory()) it.disable_recursion_pending();
      continue;
    }
    const bool is_folder = it->is_directory();
    const bool is_one_image = is_folder && is_folder_image(path);
    if (is_one_image) it.disable_recursion_pending();
    if (!is_folder || is_one_image) use(path);
  }
} catch (const fs::filesystem_error& trouble) {
  if (trouble.code() == std::errc::interrupted) return walk_files(root, use);
  throw Error(Error::Kind::io, root,
              "the folder cannot be read; check the path and "
              "its permissions");
}

bool is_image(const fs::path& path) {
  return !image_ending(path.filename().string()).empty() && !has_own_header(path);
}

/// Scanners and archives name files IM0001, or by their UID.
bool is_unnamed_structures(const fs::path& path) {
  return image_ending(path.filename().string()).empty() && holds_structures(path);
}

/// The files of one folder are one image if any two of them belong to the same series.
std::vector<fs::path> scans_among(const fs::path& folder, const std::vector<fs::path>& files) {
  if (files.size() > 1 && series_among(files).size() < files.size()) return {folder};
  return files;
}

std::string below(const fs::path& root, const fs::path& path) {
  return path.lexically_relative(root).generic_string();
}

std::vector<std::string> required(std::vector<std::string> found, const fs::path& root) {
  if (!found.empty()) return found;
  const std::string foreign = foreign_content(root);
  throw Error(
      Error::Kind::input, root,
      (foreign.empty() ? "contains no image; assay reads files ending in " + joined(image_endings())
                       : foreign));
}

}  // namespace

std::vector<std::string> list_images(const fs::path& root) {
  std::vector<std::string> found;  // not paths, which are large and slow to compare
  walk_files(root, [&](const fs::path& path) {
    if (is_image(path) || is_unnamed_structures(path)) found.push_back(below(root, path));
  });
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> require_images(const fs::path& root) {
  return required(list_images(root), root);
}

std::vector<std::string> list_scans(const fs::path& root) {
  std::vector<std::string> found;
  std::map<fs::path, std::vector<fs::path>> slices;  // by folder
  walk_files(root, [&](const fs::path& path) {
    const auto class_uid = fs::is_directory(path) ? std::nullopt : class_of_file(path);
    if (class_uid) {
      if (is_image_class(*class_uid)) slices[path.parent_path()].push_back(path);
    } else if (is_image(path)) {
      found.push_back(below(root, path));
    }
  });
  for (const auto& [folder, files] : slices)
    for (const fs::path& scan : scans_among(folder, files)) found.push_back(below(root, scan));
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> require_scans(const fs::path& root) {
  return required(list_scans(root), root);
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

bool is_cohort_folder(const fs::path& path) {
  return fs::is_directory(path) && !is_folder_image(path);
}

}  // namespace assay
