// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests only: prints an image's header as JSON and writes its values as raw
/// doubles, so that Python can compare them with what nibabel reads. With a reader, such as "runs",
/// the JSON also says how many runs it gave; null if it gave bytes.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"

namespace {

void dump(const std::string& image_path, const std::string& values_path,
          assay::VoxelReader reader) {
  assay::Image read = assay::read_image(image_path, {}, assay::Volumes::one, reader);
  const auto* runs = read.runs();
  const nlohmann::json run_count = runs != nullptr ? nlohmann::json(runs->runs.size()) : nullptr;
  const assay::Image image = assay::in_bytes(std::move(read), {});
  assay::Buffer scratch;
  const auto mask = assay::foreground(image, std::nullopt, scratch);
  std::size_t foreground = 0;
  for (const auto voxel : mask.voxels) foreground += voxel != 0 ? 1 : 0;
  const auto values = assay::values(image);
  assay::write_atomically(values_path, std::as_bytes(std::span(values)));
  const nlohmann::json json = {{"shape", image.grid().shape},
                               {"affine", image.grid().affine},
                               {"bytes_per_voxel", assay::bytes_per_voxel(image.header().type)},
                               {"foreground", foreground},
                               {"runs", run_count}};
  std::puts(json.dump().c_str());
}

}  // namespace

int main(int count, char** arguments) try {
  const std::span<char*> words(arguments, static_cast<std::size_t>(count));
  const auto readers = assay::voxel_readers();
  const auto reader =
      std::ranges::find(readers, words.size() == 4 ? std::string_view(words[3]) : "buffer",
                        &assay::Named<assay::VoxelReader>::name);
  if (words.size() < 3 || words.size() > 4 || reader == readers.end()) {
    std::fputs("usage: dump_image IMAGE VALUES [READER]\n", stderr);
    return 2;
  }
  dump(words[1], words[2], reader->value);
  return 0;
} catch (const assay::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
