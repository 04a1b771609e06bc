// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests only: prints an image's header as JSON and writes its values as raw
/// doubles, so that Python can compare them with what nibabel reads.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"

namespace {

void dump(const std::string& image_path, const std::string& values_path) {
  const assay::Image image = assay::read_image(image_path);
  assay::Buffer scratch;
  const auto mask = assay::foreground(image, std::nullopt, scratch);
  std::size_t foreground = 0;
  for (const auto voxel : mask.voxels) foreground += voxel != 0 ? 1 : 0;
  const auto values = assay::values(image);
  assay::write_atomically(values_path, std::as_bytes(std::span(values)));
  const nlohmann::json json = {{"shape", image.grid().shape},
                               {"affine", image.grid().affine},
                               {"bytes_per_voxel", assay::bytes_per_voxel(image.header().type)},
                               {"foreground", foreground}};
  std::puts(json.dump().c_str());
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fputs("usage: dump_image IMAGE VALUES\n", stderr);
    return 2;
  }
  dump(arguments[1], arguments[2]);
  return 0;
} catch (const assay::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
