// SPDX-License-Identifier: Apache-2.0
#include "assay/run/case_images.hpp"

#include <algorithm>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/image.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// The folders that a command line names, seen from here and from where its results are.
std::vector<fs::path> folders_in(const std::vector<std::string>& command, const fs::path& results) {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& word) {
    if (is_folder(word)) out.push_back(word);
    if (is_file(word)) out.push_back(word.parent_path());
  };
  for (const std::string& word : command) {
    if (word.empty() || word.starts_with('-')) continue;
    add(word);
    if (!fs::path(word).is_absolute()) add(results.parent_path() / word);
  }
  return out;
}

std::vector<fs::path> candidates(const WantedFile& wanted, const fs::path& results,
                                 const std::vector<std::string>& command) {
  if (!wanted.root.empty())
    return {wanted.root / wanted.model / wanted.shown, wanted.root / wanted.shown};
  std::vector<fs::path> out = {wanted.shown, results.parent_path() / wanted.shown};
  for (const fs::path& folder : folders_in(command, results)) out.push_back(folder / wanted.shown);
  return out;
}

}  // namespace

fs::path located(const WantedFile& wanted, const fs::path& results,
                 const std::vector<std::string>& command) {
  if (wanted.shown.empty())
    throw Error(Error::Kind::input, results.string() + ": names no file for this case");
  bool other_content = false;
  for (const fs::path& path : candidates(wanted, results, command)) {
    if (!is_file(path)) continue;
    if (wanted.sha256.empty() || image_sha256(path) == wanted.sha256) return path;
    other_content = true;
  }
  throw Error(Error::Kind::input,
              wanted.shown +
                  (other_content ? ": is not the file that was scored" : ": is not found") +
                  "; name the folders with --predictions and --references");
}

std::optional<std::string> image_of(const std::string& id, const std::vector<std::string>& images) {
  const auto begins = [&](const std::string& image) {
    constexpr std::string_view separators = "_.";
    return image.starts_with(id) && image.size() > id.size() &&
           separators.find(image[id.size()]) != separators.npos;
  };
  for (const std::string& image : images)
    if (without_image_ending(image) == id) return image;
  const auto found = std::ranges::find_if(images, begins);
  return found == images.end() ? std::nullopt : std::optional(*found);
}

}  // namespace assay
