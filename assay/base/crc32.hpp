// SPDX-License-Identifier: Apache-2.0
/// CRC-32 as in gzip and zip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

/// The checksum of the bytes, or of all bytes so far if `before` is the checksum of the preceding
/// ones.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace assay
