// SPDX-License-Identifier: Apache-2.0
#include "assay/image/zarr/blosc.hpp"

#include <blosc.h>
#include <zstd.h>

#include "assay/error.hpp"

namespace assay {
namespace {

void require_chunk(bool is_right) {
  if (!is_right)
    throw Error(Error::Kind::input,
                "a chunk is damaged, or does not hold as many bytes as .zarray states; copy the "
                "folder again");
}

}  // namespace

void inflate_blosc(std::span<const std::byte> packed, std::span<std::byte> out) {
  std::size_t size = 0;
  require_chunk(packed.size() >= BLOSC_MIN_HEADER_LENGTH &&
                blosc_cbuffer_validate(packed.data(), packed.size(), &size) == 0 &&
                size == out.size());
  // The context form has no state that is shared between threads.
  require_chunk(blosc_decompress_ctx(packed.data(), out.data(), out.size(), 1) ==
                static_cast<int>(out.size()));
}

void inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out) {
  require_chunk(ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) ==
                out.size());
}

std::string blosc_support() {
  return "blosc " + std::string(blosc_get_version_string()) + ", zstd " + ZSTD_versionString();
}

}  // namespace assay
