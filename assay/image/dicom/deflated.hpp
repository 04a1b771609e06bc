// SPDX-License-Identifier: Apache-2.0
/// DICOM files that are deflated as a whole: one stream follows the file meta group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "assay/memory.hpp"

namespace assay {

/// The transfer syntax of such files.
inline constexpr std::string_view deflated_syntax = "1.2.840.10008.1.2.1.99";

struct InflatedDicom {
  Buffer bytes{};             ///< the file as it would be without compression, or its start
  std::size_t file_size = 0;  ///< of the whole file; unlimited where `bytes` are the start
};

/// Decompresses a file whose stream begins at `begin`, up to and including the first element from
/// `stop` on; plain pixels are then included as well. Throws Error::input when these take more than
/// 512 MB, or everything before them more than 128 MB.
InflatedDicom inflate_dicom(std::span<const std::byte> file, std::size_t begin, std::uint32_t stop);

}  // namespace assay
