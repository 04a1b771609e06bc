// SPDX-License-Identifier: Apache-2.0
#include "assay/score/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "assay/base/ascii.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/folder.hpp"
#include "assay/score/dataset_json.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits = 4, most_numbered = 256;

/// "case_0001" is channel 1 of "case".
struct NumberedStem {
  std::string stem;
  std::size_t number;
};

std::optional<NumberedStem> numbered_stem(std::string_view stem) {
  if (stem.size() <= digits + 1 || stem[stem.size() - digits - 1] != '_') return std::nullopt;
  std::size_t number = 0;
  for (const char c : stem.substr(stem.size() - digits)) {
    if (!is_ascii_digit(c)) return std::nullopt;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  if (number >= most_numbered) return std::nullopt;
  return NumberedStem{std::string(stem.substr(0, stem.size() - digits - 1)), number};
}

/// The name of another channel of the same image.
std::string sibling_name(const std::string& path, const std::string& stem, std::size_t number) {
  return fmt::format("{}_{:04}{}", stem, number, image_ending(path));
}

using ByNumber = std::map<std::size_t, std::string>;  // number -> path

ChannelFiles channels_of_image(const std::string& stem, const ByNumber& files,
                               std::size_t channels) {
  ChannelFiles out = {.stem = stem};
  const std::size_t count = std::max(channels, files.rbegin()->first + 1);
  for (std::size_t number = 0; number < count; ++number) {
    const auto found = files.find(number);
    if (found != files.end())
      out.paths.push_back(found->second);
    else if (out.missing.empty())
      out.missing = sibling_name(files.begin()->second, stem, number);
  }
  return out;
}

}  // namespace

std::vector<ChannelFiles> grouped_channels(const std::vector<std::string>& paths,
                                           std::size_t channels) {
  std::map<std::string, ByNumber> images;
  std::vector<ChannelFiles> out;
  for (const std::string& path : paths) {
    const std::string stem(without_image_ending(path));
    const auto numbered = channels == 1 ? std::nullopt : numbered_stem(stem);
    if (!numbered)
      out.push_back({.stem = stem, .paths = {path}});
    else if (!images[numbered->stem].try_emplace(numbered->number, path).second)
      throw Error(Error::Kind::input, "two files are channel " + std::to_string(numbered->number) +
                                          " of " + numbered->stem + ": " +
                                          images[numbered->stem][numbered->number] + " and " +
                                          path + "; remove one");
  }
  for (const auto& [stem, files] : images) out.push_back(channels_of_image(stem, files, channels));
  std::ranges::sort(out, {}, [](const ChannelFiles& image) { return image.paths.front(); });
  return out;
}

std::size_t channels_by_names(const std::vector<std::string>& images,
                              const std::vector<std::string>& references) {
  std::set<std::string, std::less<>> named;
  for (const std::string& path : references) named.emplace(without_image_ending(path));
  std::size_t channels = 1;
  bool has_reference = false;
  for (const std::string& path : images) {
    const std::string_view stem = without_image_ending(path);
    const auto numbered = numbered_stem(stem);
    if (!numbered || named.contains(stem)) return 1;
    has_reference = has_reference || named.contains(numbered->stem);
    channels = std::max(channels, numbered->number + 1);
  }
  return has_reference ? channels : 1;
}

fs::path dataset_json_of(const fs::path& images) {
  const fs::path folder = (images / "").lexically_normal().parent_path();
  const fs::path file = folder.parent_path() / "dataset.json";
  std::error_code ignored;
  return fs::exists(file, ignored) ? file : fs::path();
}

std::vector<ChannelFiles> group_images(const CohortRequest& request,
                                       const std::vector<std::string>& paths) {
  std::size_t channels = request.channels;
  if (channels == 0) {
    const fs::path file =
        request.dataset_json.empty() ? dataset_json_of(request.prediction) : request.dataset_json;
    if (!file.empty()) channels = read_dataset_json(file).channels;
  }
  if (channels == 0) channels = channels_by_names(paths, require_images(request.reference));
  return grouped_channels(paths, channels);
}

std::vector<NamedFile> first_channels(const std::vector<ChannelFiles>& images,
                                      const std::string& pattern) {
  std::vector<NamedFile> out;
  std::vector<std::string> paths;
  for (const ChannelFiles& image : images) {
    paths.push_back(image.paths.front());
    out.push_back({paths.back(), image.stem, ""});
  }
  return pattern.empty() ? out : matching_files(paths, pattern);
}

std::vector<fs::path> listed_channels(const std::string& text, const fs::path& root) {
  std::error_code ignored;
  if (text.find(';') == std::string::npos || fs::exists(root / text, ignored)) return {root / text};
  std::vector<fs::path> out;
  for (const std::string_view part : parts_of(text, ';')) out.push_back(root / trimmed(part));
  return out;
}

std::string channels_sha256(const std::vector<fs::path>& paths) {
  if (paths.size() == 1) return image_sha256(paths.front());
  std::string hashes;
  for (const fs::path& path : paths) hashes += image_sha256(path) + '\n';
  return sha256(hashes);
}

bool has_content(const fs::path& file, const std::string& sha256) {
  if (image_sha256(file) == sha256) return true;
  const std::string path = file.string();
  const auto numbered = numbered_stem(without_image_ending(path));
  if (!numbered || numbered->number != 0) return false;
  std::vector<fs::path> channels = {file};
  std::error_code ignored;
  for (fs::path next;
       fs::exists(next = sibling_name(path, numbered->stem, channels.size()), ignored);)
    channels.push_back(next);
  return channels.size() > 1 && channels_sha256(channels) == sha256;
}

std::vector<fs::path> image_files(const FilePair& pair) {
  std::vector<fs::path> out = {pair.prediction};
  out.insert(out.end(), pair.channels.begin(), pair.channels.end());
  return out;
}

void add_channels(std::vector<CasePlan>& cases, const fs::path& root,
                  const std::vector<ChannelFiles>& images) {
  std::map<std::string, const ChannelFiles*> by_first;
  for (const ChannelFiles& image : images) by_first[image.paths.front()] = &image;
  for (CasePlan& plan : cases) {
    const auto found = by_first.find(plan.prediction);
    if (found == by_first.end() || plan.fate != metrics::Fate::scored) continue;
    const ChannelFiles& image = *found->second;
    for (std::size_t i = 1; i < image.paths.size(); ++i)
      plan.files.front().channels.push_back((root / image.paths[i]).string());
    if (image.missing.empty()) continue;
    plan.fate = metrics::Fate::failed;
    plan.error = "the image lacks a channel: there is no " + image.missing;
  }
}

}  // namespace assay::score
