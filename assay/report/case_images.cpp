// SPDX-License-Identifier: Apache-2.0
#include "assay/report/case_images.hpp"

#include <algorithm>

#include "assay/base/bids.hpp"
#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

std::vector<fs::path> candidates(const WantedFile& wanted, const fs::path& results) {
  if (!wanted.given.empty())
    return {wanted.given / wanted.model / wanted.shown, wanted.given / wanted.shown};
  std::vector<fs::path> out = {results.parent_path() / wanted.shown};
  if (!wanted.recorded.empty()) out.insert(out.begin(), wanted.recorded / wanted.shown);
  return out;
}

}  // namespace

fs::path locate_file(const WantedFile& wanted, const fs::path& results) {
  if (wanted.shown.empty())
    throw Error(Error::Kind::input, results.string() + ": names no file for this case");
  bool other_content = false;
  for (const fs::path& path : candidates(wanted, results)) {
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
  if (found != images.end()) return *found;
  const auto stated = std::ranges::find_if(images, [wanted = entities(id)](const auto& image) {
    return wanted.contains("sub") &&
           std::ranges::includes(entities(without_image_ending(image)), wanted);
  });
  return stated == images.end() ? std::nullopt : std::optional(*stated);
}

}  // namespace assay::report
