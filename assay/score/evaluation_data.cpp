// SPDX-License-Identifier: Apache-2.0
#include "assay/score/evaluation_data.hpp"

#include <algorithm>
#include <functional>

#include "assay/error.hpp"
#include "assay/image/folder.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

struct Layout {
  const char *images, *references, *split;
};

/// nnU-Net's folders, and other usual names. The first split that has references is taken.
constexpr Layout layouts[] = {
    {"imagesTs", "labelsTs", "Ts"}, {"imagesVal", "labelsVal", "Val"},
    {"imagesTr", "labelsTr", "Tr"}, {"images", "labels", ""},
    {"images", "references", ""},   {"images", "masks", ""},
};

std::string both(const Layout& layout) {
  return std::string(layout.images) + "/ and " + layout.references + "/";
}

bool has_files(const fs::path& folder) {
  return fs::is_directory(folder) && !list_images(folder).empty();
}

/// The layouts whose folders all exist. Those without any reference are returned only if there are
/// no others.
std::vector<Layout> layouts_in(const DataRequest& request) {
  std::vector<Layout> out;
  for (const Layout& layout : layouts)
    if ((request.split.empty() || request.split == layout.split) &&
        fs::is_directory(request.data / layout.images) &&
        fs::is_directory(request.data / layout.references))
      out.push_back(layout);
  const auto filled = [&](const Layout& layout) {
    return has_files(request.data / layout.references);
  };
  if (std::ranges::any_of(out, filled)) std::erase_if(out, std::not_fn(filled));
  return out;
}

Error not_found(const DataRequest& request) {
  std::string wanted;
  for (const Layout& layout : layouts)
    if (request.split.empty() || request.split == layout.split)
      wanted += (wanted.empty() ? "" : ", ") + both(layout);
  return {Error::Kind::usage, request.data.string() +
                                  ": holds no folders of images and references (looked for " +
                                  wanted + "); name them with --images and --ref"};
}

/// The note for when another split could have been meant.
std::string choice_note(const DataRequest& request, const Layout& taken) {
  for (const Layout& other : layouts) {
    const bool is_other = *other.split != '\0' && std::string_view(other.split) != taken.split;
    if (*taken.split == '\0' || !is_other || !has_files(request.data / other.images)) continue;
    const bool is_labelled = has_files(request.data / other.references);
    const std::string why = is_labelled
                                ? std::string("; --split ") + other.split + " takes " + both(other)
                                : std::string("; ") + other.images + "/ has no references";
    return "evaluated on " + both(taken) + why;
  }
  return "";
}

EvaluationData folders_in(const DataRequest& request) {
  const std::vector<Layout> found = layouts_in(request);
  if (found.empty()) throw not_found(request);
  const Layout& taken = found.front();
  if (*taken.split == '\0' && found.size() > 1)
    throw Error(Error::Kind::usage, request.data,
                "holds " + both(taken) + " as well as " + both(found[1]) +
                    "; choose with --images and --ref");
  return {request.data / taken.images,
          request.data / taken.references,
          {},
          request.split.empty() ? choice_note(request, taken) : ""};
}

}  // namespace

std::vector<std::string> data_splits() {
  std::vector<std::string> out;
  for (const Layout& layout : layouts)
    if (*layout.split != '\0') out.insert(out.begin(), layout.split);
  return out;
}

EvaluationData evaluation_data(const DataRequest& request) {
  const auto& [data, images, references, split] = request;
  if (!data.empty() && !fs::exists(data))
    throw Error(Error::Kind::io, data, "no such file or folder; it was given as data");
  const bool in_folder = !data.empty() && fs::is_directory(data);
  if (!split.empty() && (!in_folder || !images.empty() || !references.empty()))
    throw Error(Error::Kind::usage,
                "--split chooses in a folder of images and references; it goes with DATA alone");
  if (!data.empty() && !in_folder) return {images, references, data};
  if (!images.empty() && !references.empty()) return {images, references};
  if (data.empty())
    throw Error(Error::Kind::usage, "--images and --ref go together, where no folder is given");
  if (images.empty() && references.empty()) return folders_in(request);
  throw Error(Error::Kind::usage, "--images and --ref go together; give both, or neither");
}

}  // namespace assay::score
