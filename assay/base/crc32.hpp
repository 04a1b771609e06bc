// SPDX-License-Identifier: Apache-2.0
/// CRC-32 as in gzip and zip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

/// Of the bytes; or of all bytes so far, if that of those before is given.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace assay
