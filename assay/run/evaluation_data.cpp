// SPDX-License-Identifier: Apache-2.0
#include "assay/run/evaluation_data.hpp"

#include <string>
#include <vector>

#include "assay/core/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Layout {
  const char *images, *references;
};

/// nnU-Net's folders, and what others call them.
constexpr Layout layouts[] = {
    {"imagesTs", "labelsTs"}, {"imagesVal", "labelsVal"}, {"imagesTr", "labelsTr"},
    {"images", "labels"},     {"images", "references"},   {"images", "masks"},
};

std::string both(const Layout& layout) {
  return std::string(layout.images) + "/ and " + layout.references + "/";
}

EvaluationData folders_in(const fs::path& data) {
  std::vector<Layout> found;
  for (const Layout& layout : layouts)
    if (fs::is_directory(data / layout.images) && fs::is_directory(data / layout.references))
      found.push_back(layout);
  if (found.size() == 1) return {data / found[0].images, data / found[0].references};
  std::string wanted;
  for (const Layout& layout : layouts) wanted += (wanted.empty() ? "" : ", ") + both(layout);
  throw Error(
      Error::Kind::usage,
      data.string() + (found.empty() ? ": holds no folders of images and references (looked for " +
                                           wanted + "); name them with --images and --ref"
                                     : ": holds " + both(found[0]) + " as well as " +
                                           both(found[1]) + "; choose with --images and --ref"));
}

}  // namespace

EvaluationData evaluation_data(const fs::path& data, const fs::path& images,
                               const fs::path& references) {
  if (!data.empty() && !fs::exists(data))
    throw Error(Error::Kind::io, data.string() + ": no such file or folder; it was given as data");
  if (!data.empty() && !fs::is_directory(data)) return {images, references, data};
  if (!images.empty() && !references.empty()) return {images, references};
  if (data.empty())
    throw Error(Error::Kind::usage, "--images and --ref go together, where no folder is given");
  if (images.empty() && references.empty()) return folders_in(data);
  throw Error(Error::Kind::usage, "--images and --ref go together; give both, or neither");
}

}  // namespace assay
