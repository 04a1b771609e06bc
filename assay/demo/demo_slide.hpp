// SPDX-License-Identifier: Apache-2.0
/// A made-up whole slide, for the demonstration and tests: no tissue of any patient.
#pragma once

#include <cstdint>
#include <filesystem>

namespace assay::demo {

struct DemoSlide {
  std::int64_t width = 4096, height = 3072;
  std::uint32_t seed = 1;
  bool aperio = false;  ///< as an Aperio scanner writes .svs; otherwise a plain pyramidal TIFF
};

/// Pink tissue with purple nuclei on white, 0.25 microns per pixel, in levels that shrink by 4. The
/// same options give the same bytes. Throws Error when the file cannot be written, or for sides
/// outside 256 to 60,000.
void write_demo_slide(const std::filesystem::path& path, const DemoSlide& options);

}  // namespace assay::demo
