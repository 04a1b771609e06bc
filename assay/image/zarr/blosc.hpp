// SPDX-License-Identifier: Apache-2.0
/// Chunks of Zarr that are compressed with blosc or zstd, where these libraries were found.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace assay {

/// Decompresses into `out`, which must be filled exactly. Throws Error::input when the data are
/// damaged or hold another number of bytes, Error::unsupported where the library is missing.
void inflate_blosc(std::span<const std::byte> packed, std::span<std::byte> out);
void inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out);

/// The versions of both libraries, for people. Throws Error::unsupported where they are missing.
std::string blosc_support();

}  // namespace assay
