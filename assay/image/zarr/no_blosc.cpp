// SPDX-License-Identifier: Apache-2.0
/// Compiled instead of blosc.cpp where blosc and zstd are not found.
#include "assay/error.hpp"
#include "assay/image/zarr/blosc.hpp"

namespace assay {

std::string blosc_support() {
  throw Error(
      Error::Kind::unsupported,
      "this build of assay does not read Zarr chunks compressed with blosc or zstd; compile "
      "assay from source where libblosc-dev and libzstd-dev are installed, or save the "
      "image with zlib");
}

void inflate_blosc(std::span<const std::byte>, std::span<std::byte>) {
  blosc_support();
}

void inflate_zstd(std::span<const std::byte>, std::span<std::byte>) {
  blosc_support();
}

}  // namespace assay
